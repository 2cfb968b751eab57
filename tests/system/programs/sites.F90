! Calls of MPI at lines that the test finds by their marks, in the three forms (see fortran.F90).
#if FORM == 3
#define USE_MPI use mpi_f08
#elif FORM == 2
#define USE_MPI use mpi
#else
#define USE_MPI
#endif

module solver
    USE_MPI
    implicit none
#if FORM == 1
    include 'mpif.h'
#endif
contains
    subroutine second(value)
        integer :: i, sum, value, ierr
        do i = 1, 4
            call MPI_Allreduce(value, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! solver::second: 4 MPI_Allreduce
        end do
        value = sum
    end subroutine
end module

program sites
    use solver
    integer :: ierr, i, value
    call MPI_Init(ierr)
    value = 1
    do i = 1, 3
        call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! MAIN__: 3 MPI_Bcast
    end do
    call second(value)
    call third
    call MPI_Finalize(ierr)
contains
    subroutine third
        call MPI_Bcast(value, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr) ! third: 1 MPI_Bcast
        value = value + 1
    end subroutine
end program
