! stages.c in the forms that fortran.F90 explains.
#if FORM == 3
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define HANDLE(name) type(name)
#else
#define HANDLE(name) integer
#if FORM == 2
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#endif
#define W MPI_COMM_WORLD

program stages
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: rank, i, round, ierr
    integer :: in(6), out(6) = [(i, i = 1, 6)]
    HANDLE(MPI_Comm) :: reversed
    HANDLE(MPI_Request) :: request

    call MPI_Init(ierr)
    call MPI_Comm_rank(W, rank, ierr)
    call MPI_Comm_split(W, 0, -rank, reversed, ierr)
    call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_SUM, W, ierr)
    do round = 1, 3
        call MPI_Pcontrol(2)
        call MPI_Allreduce(out, in, 4, MPI_INTEGER, MPI_SUM, W, ierr)
        call MPI_Bcast(in, 3, MPI_INTEGER, 1, reversed, ierr)
        call MPI_Pcontrol(-2)
    end do
    call MPI_Pcontrol(7)
    call MPI_Alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, W, ierr)
    call MPI_Reduce(out, in, 5, MPI_INTEGER, MPI_SUM, 2, reversed, ierr)
    call MPI_Iallreduce(out, in, 6, MPI_INTEGER, MPI_SUM, W, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, out, 6, MPI_INTEGER, MPI_SUM, reversed, ierr)
    call MPI_Barrier(W, ierr)
    call MPI_Comm_free(reversed, ierr)
    call MPI_Finalize(ierr)
end program
