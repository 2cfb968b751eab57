! One body in the three forms that MPI has for Fortran: FORM is 1 for mpif.h, 2 for the module mpi
! and 3 for mpi_f08. For 3 ranks. The program checks its own results and prints what it got.
#if FORM == 3
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define HANDLE(name) type(name)
#define STATUS type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#else
#define HANDLE(name) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#if FORM == 2
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#endif
#define W MPI_COMM_WORLD

module callbacks
    USE_MPI
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: copies = 0, deletions = 0
contains

    ! Calls MPI within MPI; how often the library calls `larger` is its own affair.
    subroutine copy_attribute(comm, keyval, extra, value_in, value_out, flag, error)
        INCLUDE_MPI
        HANDLE(MPI_Comm) :: comm
        integer :: keyval, error, size
        integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
        logical :: flag
        call MPI_Comm_size(W, size, error)
        value_out = value_in + size + extra
        flag = .true.
        copies = copies + 1
        error = MPI_SUCCESS
    end subroutine

    subroutine delete_attribute(comm, keyval, value, extra, error)
        INCLUDE_MPI
        HANDLE(MPI_Comm) :: comm
        integer :: keyval, error, size
        integer(MPI_ADDRESS_KIND) :: value, extra
        call MPI_Comm_size(W, size, error)
        deletions = deletions + 1
        error = MPI_SUCCESS
    end subroutine

#if FORM == 3
    subroutine larger(input, inout, length, datatype)
        type(c_ptr), value :: input, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        integer :: size
        call c_f_pointer(input, a, [length])
        call c_f_pointer(inout, b, [length])
        call MPI_Type_size(datatype, size)
        b = max(a, b)
    end subroutine
#else
    subroutine larger(input, inout, length, datatype)
        integer :: length, datatype, size, error
        integer :: input(length), inout(length)
        call MPI_Type_size(datatype, size, error)
        inout = max(input, inout)
    end subroutine
#endif
end module

program fortran_forms
    USE_MPI
    use, intrinsic :: iso_c_binding
    use callbacks
    implicit none
    INCLUDE_MPI
    integer :: rank, size, left, right, ierr, i, provided
    integer :: in(100), out(100)
    real(8) :: checksum = 0, started
    logical :: right_so_far = .true.

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
    call MPI_Comm_rank(W, rank, ierr)
    call MPI_Comm_size(W, size, ierr)
    started = MPI_Wtime()
    left = mod(rank + size - 1, size)
    right = mod(rank + 1, size)
    out = [(1000 * rank + i, i = 1, 100)]
    call blocking
    call nonblocking
    call persistent
    call rooted
    call to_all
    call reductions
    call in_a_ring
    call one_sided
    call absolute_addresses
    call communicators
    call characters_and_a_file
    call check(MPI_Wtime() >= started .and. MPI_Wtick() > 0, 'clock')
    if (.not. right_so_far) call MPI_Abort(W, 1, ierr)
    print '(a, i0, a, f0.1)', 'rank ', rank, ' has ', checksum
    call MPI_Finalize(ierr)

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (.not. holds) print '(a, i0, 2a)', 'wrong on rank ', rank, ': ', what
        right_so_far = right_so_far .and. holds
    end subroutine

    subroutine received(from, count, what)
        integer, intent(in) :: from, count
        character(*), intent(in) :: what
        call check(all(in(1:count) == [(1000 * from + i, i = 1, count)]), what)
        checksum = checksum + sum(in(1:count))
        in = -1
    end subroutine

    subroutine blocking
        STATUS :: state
        HANDLE(MPI_Message) :: message
        HANDLE(MPI_Request) :: request
        real(8) :: grid(8, 8), row(8)
        integer :: count
        if (rank == 0) then
            call MPI_Send(out, 10 + rank, MPI_INTEGER, right, 0, W, ierr)
            call MPI_Recv(in, 20, MPI_INTEGER, left, 0, W, MPI_STATUS_IGNORE, ierr)
        else
            call MPI_Recv(in, 20, MPI_INTEGER, left, 0, W, state, ierr)
            call MPI_Get_count(state, MPI_INTEGER, count, ierr)
            call check(count == 10 + left, 'status')
            call MPI_Send(out, 10 + rank, MPI_INTEGER, right, 0, W, ierr)
        end if
        call received(left, 10 + left, 'recv')
        call MPI_Sendrecv(out, 15 + rank, MPI_INTEGER, right, 1, in, 30, MPI_INTEGER, left, 1, W, &
                          MPI_STATUS_IGNORE, ierr)
        call received(left, 15 + left, 'sendrecv')
        in = out
        call MPI_Sendrecv_replace(in, 25, MPI_INTEGER, right, 1, left, 1, W, MPI_STATUS_IGNORE, ierr)
        call received(left, 25, 'sendrecv_replace')
        call MPI_Send(out, 7, MPI_INTEGER, MPI_PROC_NULL, 0, W, ierr)

        call MPI_Isend(out, 35, MPI_INTEGER, right, 2, W, request, ierr)
        call MPI_Mprobe(left, 2, W, message, MPI_STATUS_IGNORE, ierr)
        call MPI_Mrecv(in, 40, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call received(left, 35, 'mrecv')

        ! A section that lies together, and one that does not.
        grid = reshape([(real(100 * rank + i, 8), i = 1, 64)], [8, 8])
        call MPI_Sendrecv(grid(:, 3), 8, MPI_DOUBLE_PRECISION, right, 3, row, 8, MPI_DOUBLE_PRECISION, &
                          left, 3, W, MPI_STATUS_IGNORE, ierr)
        call check(all(row == [(real(100 * left + i, 8), i = 17, 24)]), 'column')
        call MPI_Sendrecv(grid(5, 2:7), 6, MPI_DOUBLE_PRECISION, right, 4, row(1:6), 6, &
                          MPI_DOUBLE_PRECISION, left, 4, W, MPI_STATUS_IGNORE, ierr)
        call check(all(row(1:6) == [(real(100 * left + 8 * i + 5, 8), i = 1, 6)]), 'row')
        checksum = checksum + sum(row)
    end subroutine

    subroutine nonblocking
        HANDLE(MPI_Request) :: requests(2), one
        STATUSES(2) :: states
        HANDLE(MPI_Message) :: message
        logical :: flag
        call MPI_Irecv(in, 50, MPI_INTEGER, left, 0, W, requests(1), ierr)
        call MPI_Isend(out, 20 + rank, MPI_INTEGER, right, 0, W, requests(2), ierr)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
        call received(left, 20 + left, 'irecv')
        call MPI_Irecv(in, 50, MPI_INTEGER, left, 0, W, requests(1), ierr)
        call MPI_Issend(out, 30, MPI_INTEGER, right, 0, W, requests(2), ierr)
        call MPI_Waitall(2, requests, states, ierr)
        call received(left, 30, 'issend')

        call MPI_Isend(out, 31, MPI_INTEGER, right, 5, W, requests(1), ierr)
        flag = .false.
        do while (.not. flag)
            call MPI_Improbe(left, 5, W, flag, message, MPI_STATUS_IGNORE, ierr)
        end do
        call MPI_Imrecv(in, 33, MPI_INTEGER, message, one, ierr)
        call MPI_Wait(one, MPI_STATUS_IGNORE, ierr)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
        call received(left, 31, 'imrecv')

        in(1:4) = out(1:4)
        call MPI_Iallreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, W, one, ierr)
        call MPI_Wait(one, MPI_STATUS_IGNORE, ierr)
        call check(all(in(1:4) == [(3000 + 3 * i, i = 1, 4)]), 'iallreduce')
    end subroutine

    subroutine persistent
        HANDLE(MPI_Request) :: requests(2)
        call MPI_Recv_init(in, 60, MPI_INTEGER, left, 0, W, requests(1), ierr)
        call MPI_Send_init(out, 40 + rank, MPI_INTEGER, right, 0, W, requests(2), ierr)
        do i = 1, 3
            call MPI_Startall(2, requests, ierr)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
        end do
        do i = 1, 2
            call MPI_Start(requests(1), ierr)
            call MPI_Start(requests(2), ierr)
            call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
            call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
        end do
        call MPI_Request_free(requests(1), ierr)
        call MPI_Request_free(requests(2), ierr)
        call received(left, 40 + left, 'persistent')
        ! The handle of a request that was freed comes back with another payload.
        call MPI_Send_init(out, 3, MPI_INTEGER, right, 0, W, requests(2), ierr)
        call MPI_Start(requests(2), ierr)
        call MPI_Recv(in, 3, MPI_INTEGER, left, 0, W, MPI_STATUS_IGNORE, ierr)
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
        call MPI_Request_free(requests(2), ierr)
        call received(left, 3, 'persistent again')
    end subroutine

    subroutine rooted
        integer :: counts(3), starts(3), none(1)
        counts = [1, 2, 3]
        starts = [0, 1, 3]
        in(1:5) = out(1:5)
        call MPI_Bcast(in, 5, MPI_INTEGER, 1, W, ierr)
        call received(1, 5, 'bcast')
        call MPI_Gather(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, 2, W, ierr)
        if (rank == 2) call check(all(in(1:9:3) == [1, 1001, 2001]), 'gather')
        if (rank == 1) then
            in(2:3) = out(1:2)
            call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INTEGER, in, counts, starts, MPI_INTEGER, 1, W, ierr)
            call check(all(in(1:6) == [1, 1001, 1002, 2001, 2002, 2003]), 'gatherv')
        else
            call MPI_Gatherv(out, counts(rank + 1), MPI_INTEGER, none, none, none, MPI_INTEGER, 1, W, ierr)
        end if
        call MPI_Scatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, 2, W, ierr)
        call check(in(1) == 2001 + 6 * rank, 'scatter')
        if (rank == 1) then
            call MPI_Scatterv(out, counts, starts, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, 1, W, ierr)
        else
            call MPI_Scatterv(out, counts, starts, MPI_INTEGER, in, counts(rank + 1), MPI_INTEGER, 1, W, ierr)
            call check(in(1) == 1001 + starts(rank + 1), 'scatterv')
        end if
        in(1:9) = out(1:9)
        if (rank == 1) then
            call MPI_Reduce(MPI_IN_PLACE, in, 9, MPI_INTEGER, MPI_SUM, 1, W, ierr)
            call check(all(in(1:9) == [(3000 + 3 * i, i = 1, 9)]), 'reduce')
        else
            call MPI_Reduce(out, in, 9, MPI_INTEGER, MPI_SUM, 1, W, ierr)
        end if
    end subroutine

    subroutine to_all
        integer :: counts(3), starts(3), sent(3), taken(3), apart(3), apart_bytes(3)
        real(8) :: from(60), to(60)
        HANDLE(MPI_Datatype) :: types(3)
        counts = [3, 1, 2]
        starts = [0, 3, 4]
        in(2 * rank + 1:2 * rank + 2) = out(1:2)
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, W, ierr)
        call check(all(in(1:6) == [1, 2, 1001, 1002, 2001, 2002]), 'allgather')
        call MPI_Allgatherv(out, counts(rank + 1), MPI_INTEGER, in, counts, starts, MPI_INTEGER, W, ierr)
        call check(all(in(1:6) == [1, 2, 3, 1001, 2001, 2002]), 'allgatherv')
        in(1:6) = out(1:6)
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, W, ierr)
        call check(all(in(1:5:2) == [(1000 * i + 2 * rank + 1, i = 0, 2)]), 'alltoall')
        do i = 1, 3
            sent(i) = rank + 2 * (i - 1)
            taken(i) = i - 1 + 2 * rank
            apart(i) = 20 * (i - 1)
            apart_bytes(i) = 160 * (i - 1)
            types(i) = MPI_INTEGER
            if (mod(rank + i - 1, 2) == 1) types(i) = MPI_DOUBLE_PRECISION
        end do
        call MPI_Alltoallv(out, sent, apart, MPI_INTEGER, in, taken, apart, MPI_INTEGER, W, ierr)
        if (rank > 0) call check(all(in(1:41:20) == [(1000 * i + 20 * rank + 1, i = 0, 2)]), 'alltoallv')
        from = 7.5d0 + rank
        to = 0
        call MPI_Alltoallw(from, sent, apart_bytes, types, to, taken, apart_bytes, types, W, ierr)
        if (types(1) == MPI_DOUBLE_PRECISION) call check(to(1) == 7.5d0, 'alltoallw')
        checksum = checksum + sum(in(1:6)) + sum(to)
    end subroutine

    subroutine reductions
        HANDLE(MPI_Op) :: op
        in(1:4) = out(1:4)
        call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, W, ierr)
        call check(all(in(1:4) == [(3000 + 3 * i, i = 1, 4)]), 'allreduce')
        call MPI_Op_create(larger, .true., op, ierr)
        call MPI_Allreduce(out, in, 6, MPI_INTEGER, op, W, ierr)
        call MPI_Op_free(op, ierr)
        call received(2, 6, 'user-defined operation')
        call MPI_Scan(out, in, 5, MPI_INTEGER, MPI_SUM, W, ierr)
        call check(in(5) == 500 * rank * (rank + 1) + 5 * (rank + 1), 'scan')
        call MPI_Exscan(out, in, 6, MPI_INTEGER, MPI_MAX, W, ierr)
        if (rank > 0) call received(rank - 1, 6, 'exscan')
        call MPI_Reduce_scatter(out, in, [1, 2, 3], MPI_INTEGER, MPI_MAX, W, ierr)
        call check(in(1) == 2001 + rank * (rank + 1) / 2, 'reduce_scatter')
        call MPI_Reduce_scatter_block(out, in, 2, MPI_INTEGER, MPI_MAX, W, ierr)
        call check(in(1) == 2001 + 2 * rank, 'reduce_scatter_block')
#if FORM == 3
        call MPI_Barrier(W)
#else
        call MPI_Barrier(W, ierr)
#endif
    end subroutine

    subroutine in_a_ring
        HANDLE(MPI_Comm) :: ring
        call MPI_Cart_create(W, 1, [3], [.true.], .false., ring, ierr)
        call MPI_Neighbor_allgather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, ring, ierr)
        call check(all(in(1:4:2) == 1000 * [left, right] + 1), 'neighbor_allgather')
        call MPI_Neighbor_alltoallv(out, [3, 4], [0, 10], MPI_INTEGER, in, [4, 3], [0, 10], MPI_INTEGER, ring, ierr)
        call check(in(1) == 1000 * left + 11 .and. in(11) == 1000 * right + 1, 'neighbor_alltoallv')
        call MPI_Comm_free(ring, ierr)
    end subroutine

    subroutine one_sided
        HANDLE(MPI_Win) :: window
        integer(MPI_ADDRESS_KIND), parameter :: nothing = 0
        integer(MPI_ADDRESS_KIND) :: bytes
        type(c_ptr) :: memory
        integer, pointer :: shown(:)
        integer :: old
        bytes = 80
        call MPI_Alloc_mem(bytes, MPI_INFO_NULL, memory, ierr)
        call c_f_pointer(memory, shown, [20])
        shown = out(1:20)
        call MPI_Win_create(shown, bytes, 4, MPI_INFO_NULL, W, window, ierr)
        call MPI_Win_fence(0, window, ierr)
        call MPI_Put(out, 3, MPI_INTEGER, right, nothing + 10, 3, MPI_INTEGER, window, ierr)
        call MPI_Get(in, 4, MPI_INTEGER, right, nothing, 4, MPI_INTEGER, window, ierr)
        call MPI_Win_fence(0, window, ierr)
        call received(right, 4, 'get')
        call check(all(shown(11:13) == 1000 * left + [1, 2, 3]), 'put')
        call MPI_Accumulate(out, 5, MPI_INTEGER, MPI_PROC_NULL, nothing, 5, MPI_INTEGER, MPI_SUM, window, ierr)
        call MPI_Get_accumulate(out, 0, MPI_INTEGER, in, 6, MPI_INTEGER, right, nothing, 6, MPI_INTEGER, &
                                MPI_NO_OP, window, ierr)
        call MPI_Win_fence(0, window, ierr)
        call received(right, 6, 'get_accumulate')
        call MPI_Fetch_and_op(out(50), old, MPI_INTEGER, right, nothing + 15, MPI_SUM, window, ierr)
        call MPI_Win_fence(0, window, ierr)
        call check(old == 1000 * right + 16, 'fetch_and_op')
        call check(shown(16) == 1000 * rank + 16 + 1000 * left + 50, 'fetch_and_op at the target')
        call MPI_Win_free(window, ierr)
        call MPI_Free_mem(shown, ierr)
    end subroutine

    ! Two integers and two reals that lie apart, by their addresses.
    subroutine absolute_addresses
        HANDLE(MPI_Datatype) :: type
        integer(MPI_ADDRESS_KIND) :: places(2)
        integer, asynchronous, save :: integers(2)
        real(8), asynchronous, save :: reals(2)
        integers = rank
        reals = rank + 0.5d0
        call MPI_Get_address(integers, places(1), ierr)
        call MPI_Get_address(reals, places(2), ierr)
        call MPI_Type_create_struct(2, [2, 2], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], type, ierr)
        call MPI_Type_commit(type, ierr)
        call MPI_Bcast(MPI_BOTTOM, 1, type, 1, W, ierr)
        call MPI_Type_free(type, ierr)
        call check(all(integers == 1) .and. all(reals == 1.5d0), 'MPI_BOTTOM')
        checksum = checksum + sum(integers) + sum(reals)
    end subroutine

    subroutine communicators
        HANDLE(MPI_Comm) :: reversed, copy
        integer :: keyval, mine
        integer(MPI_ADDRESS_KIND), save :: extra = 1000
        integer(MPI_ADDRESS_KIND) :: value
        logical :: found
        call MPI_Comm_split(W, 0, -rank, reversed, ierr)
        call MPI_Comm_rank(reversed, mine, ierr)
        call MPI_Sendrecv(out, 45, MPI_INTEGER, mod(mine + 1, 3), 0, in, 46, MPI_INTEGER, mod(mine + 2, 3), 0, &
                          reversed, MPI_STATUS_IGNORE, ierr)
        call received(right, 45, 'reversed')
        call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, extra, ierr)
        value = 5
        call MPI_Comm_set_attr(reversed, keyval, value, ierr)
        call MPI_Comm_dup(reversed, copy, ierr)
        call MPI_Comm_get_attr(copy, keyval, value, found, ierr)
        call check(found .and. value == 1008, 'attribute')
        call MPI_Comm_free(copy, ierr)
        call MPI_Comm_disconnect(reversed, ierr)
        call MPI_Comm_free_keyval(keyval, ierr)
        call check(copies == 1 .and. deletions == 2, 'attribute callbacks')
    end subroutine

    subroutine characters_and_a_file
        character(MPI_MAX_OBJECT_NAME) :: name
        character(MPI_MAX_PROCESSOR_NAME) :: host
        character(12) :: value
        character(200) :: path
        integer :: length
        logical :: found
        HANDLE(MPI_Info) :: info
        HANDLE(MPI_File) :: file
        integer(MPI_OFFSET_KIND) :: offset
        call MPI_Comm_set_name(W, 'everyone  ', ierr)
        call MPI_Comm_get_name(W, name, length, ierr)
        call check(name == 'everyone' .and. length == 8, 'name of a communicator')
        call MPI_Get_processor_name(host, length, ierr)
        call check(length > 0 .and. host(length + 1:) == '', 'name of the processor')
        call MPI_Info_create(info, ierr)
        call MPI_Info_set(info, 'waywiser_key', 'a value', ierr)
        call MPI_Info_get(info, 'waywiser_key', 12, value, found, ierr)
        call check(found .and. value == 'a value', 'info')
        call get_command_argument(1, path)
        call MPI_File_open(W, path, MPI_MODE_CREATE + MPI_MODE_RDWR, info, file, ierr)
        call MPI_Info_free(info, ierr)
        offset = 400 * rank
        call MPI_File_write_at(file, offset, out, 12, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
        call MPI_File_read_at(file, offset, in, 12, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
        call MPI_File_close(file, ierr)
        call received(rank, 12, 'file')
    end subroutine
end program
