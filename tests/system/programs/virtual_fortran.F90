! A message there, received from any source, and back, for virtual clocks.
program virtual_clocks
  use mpi_f08
  implicit none
  integer :: rank
  real(8) :: value(1)
  type(MPI_Request) :: request

  value = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
    call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  else
    call MPI_Irecv(value, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program virtual_clocks
