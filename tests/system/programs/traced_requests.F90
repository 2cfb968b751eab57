! Receives by wildcards whose statuses the program ignores, but for the last one's. Two ranks.
program traced_requests
    use MODULE
    implicit none
#ifdef F08
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: found
#else
    integer :: requests(2), found(MPI_STATUS_SIZE)
#endif
    integer :: rank, room(2), i, order, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 1) then
        do i = 20, 21
            call MPI_Send(room, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierror)
        end do
        ! Of the next two receives the second is to be complete first.
        call MPI_Send(room, 1, MPI_INTEGER, 0, 23, MPI_COMM_WORLD, ierror)
        call MPI_Recv(room, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        do i = 22, 25
            if (i /= 23) call MPI_Send(room, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, ierror)
        end do
    else
        call MPI_Irecv(room(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Irecv(room(2), 1, MPI_INTEGER, 1, 21, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
        call MPI_Irecv(room(1), 1, MPI_INTEGER, 1, 22, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Irecv(room(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitany(2, requests, order, MPI_STATUS_IGNORE, ierror)
        call MPI_Send(room, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierror)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
        call MPI_Recv(room, 1, MPI_INTEGER, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        call MPI_Recv(room, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, found, ierror)
    end if
    call MPI_Finalize(ierror)
end program traced_requests
