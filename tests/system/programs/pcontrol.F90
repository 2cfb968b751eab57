! MPI_Pcontrol as MPICH's module mpi_f08 has it: with an error code that may be absent.
program pcontrol
    use mpi_f08
    implicit none
    integer :: ierr

    call MPI_Init()
    ierr = -1
    call MPI_Pcontrol(2, ierr)
    if (ierr /= MPI_SUCCESS) error stop 1
    call MPI_Pcontrol(1)
    call MPI_Finalize()
end program
