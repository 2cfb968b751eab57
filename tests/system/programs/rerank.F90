! What rerank.c does with MPI_COMM_WORLD, in the three forms that MPI has for Fortran: FORM is 1 for
! mpif.h, 2 for the module mpi and 3 for mpi_f08.
!
!     rerank ORDER FILE
#if FORM == 3
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define HANDLE(name) type(name)
#define STATUS type(MPI_Status)
#define FROM(status) status%MPI_SOURCE
#else
#define HANDLE(name) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define FROM(status) status(MPI_SOURCE)
#if FORM == 2
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#endif
#define W MPI_COMM_WORLD

program rerank
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer, allocatable :: order(:), each(:)
    integer :: rank, ranks, launchers, right, left, got, own, failures, total, error, length, relation, level
    integer :: dims(2)
    integer(MPI_ADDRESS_KIND) :: limit
    integer(MPI_OFFSET_KIND) :: place
    logical :: found, periods(2)
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=200) :: order_file, made_file
    character(len=20) :: text
    HANDLE(MPI_Comm) :: grid, twin
    HANDLE(MPI_Group) :: everybody
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: handler
    STATUS :: status

    call MPI_Init_thread(MPI_THREAD_SINGLE, level, error)
    call MPI_Comm_rank(W, rank, error)
    call MPI_Comm_size(W, ranks, error)
    allocate(order(0:ranks - 1), each(0:ranks - 1))
    call get_command_argument(1, order_file)
    call get_command_argument(2, made_file)
    open (10, file=order_file, status='old', action='read')
    read (10, *) order
    close (10)
    call get_environment_variable('OMPI_COMM_WORLD_RANK', text, length)
    if (length == 0) call get_environment_variable('PMI_RANK', text, length)
    read (text, *) launchers
    failures = 0
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)

    call check(order(rank) == launchers, 'rank')
    call MPI_Sendrecv(launchers, 1, MPI_INTEGER, right, 0, got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, W, status, error)
    call check(got == order(left) .and. FROM(status) == left, 'sendrecv')
    call MPI_Allgather(launchers, 1, MPI_INTEGER, each, 1, MPI_INTEGER, W, error)
    call check(all(each == order), 'allgather')

    dims = 0
    periods = .true.
    call MPI_Dims_create(ranks, 2, dims, error)
    call MPI_Cart_create(W, 2, dims, periods, .false., grid, error)
    call MPI_Comm_rank(grid, own, error)
    call check(own == rank, 'cart_create')
    call MPI_Comm_free(grid, error)

    call MPI_Comm_get_attr(W, MPI_TAG_UB, limit, found, error)
    call check(found .and. limit >= 32767, 'tag_ub')
    call MPI_Comm_get_name(W, name, length, error)
    call check(name(:length) == 'MPI_COMM_WORLD', 'name')
    call MPI_Comm_dup(W, twin, error)
    call MPI_Comm_compare(W, twin, relation, error)
    call check(relation == MPI_CONGRUENT, 'dup')
    call MPI_Comm_compare(W, W, relation, error)
    call check(relation == MPI_IDENT, 'compare')
    call MPI_Comm_free(twin, error)
    call MPI_Comm_group(W, everybody, error)
    call MPI_Group_rank(everybody, own, error)
    call check(own == rank, 'group')
    call MPI_Group_free(everybody, error)

    call MPI_File_open(W, made_file, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
    place = 4 * rank
    call MPI_File_write_at_all(file, place, launchers, 1, MPI_INTEGER, status, error)
    call MPI_File_sync(file, error)
    call MPI_Barrier(W, error)
    each = -1
    place = 0
    call MPI_File_read_at_all(file, place, each, ranks, MPI_INTEGER, status, error)
    call check(all(each == order), 'file')
    call MPI_File_close(file, error)

    call MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN, error)
    call MPI_Comm_get_errhandler(W, handler, error)
    call check(handler == MPI_ERRORS_RETURN, 'errhandler')
    call MPI_Send(rank, 1, MPI_INTEGER, ranks, 0, W, error)
    call check(error /= MPI_SUCCESS, 'error')
    call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, W, error)
    if (rank == 0) print '(I0, A)', total, ' checks failed'
    call MPI_Finalize(error)
contains
    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (.not. holds) then
            failures = failures + 1
            print '(A, I0, 2A)', 'rank ', rank, ': not so: ', what
        end if
    end subroutine check
end program rerank
