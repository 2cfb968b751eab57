! The same five calls as in calls.c, from Fortran.
!
! The same lines, but the last: what memory is in use was the C program's to say.
program calls
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  implicit none
  integer :: blocks, n, block, i, rank, pending, error
  logical :: flag
  real(real64) :: x(1), y(1), never(1)
  integer(int64) :: begin

  blocks = argument(1, 10)
  n = argument(2, 20000)
  x = 1
  call MPI_Init(error)
  call MPI_Irecv(never, 1, MPI_DOUBLE_PRECISION, 0, 77, MPI_COMM_SELF, pending, error)
  do block = 1, blocks
    begin = now_ns()
    do i = 1, n
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    end do
    call report('Comm_rank')
    begin = now_ns()
    do i = 1, n
      call MPI_Iprobe(0, 5, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, error)
    end do
    call report('Iprobe')
    begin = now_ns()
    do i = 1, n
      call MPI_Test(pending, flag, MPI_STATUS_IGNORE, error)
    end do
    call report('Test')
    begin = now_ns()
    do i = 1, n
      call MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, 0, 1, y, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, &
                        MPI_STATUS_IGNORE, error)
    end do
    call report('Sendrecv')
    begin = now_ns()
    do i = 1, n
      call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_SELF, error)
    end do
    call report('Allreduce')
  end do
  call MPI_Send(x, 1, MPI_DOUBLE_PRECISION, 0, 77, MPI_COMM_SELF, error)
  call MPI_Wait(pending, MPI_STATUS_IGNORE, error)
  call MPI_Finalize(error)

contains

  integer function argument(position, default)
    integer, intent(in) :: position, default
    character(len=32) :: text
    argument = default
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) argument
  end function argument

  integer(int64) function now_ns()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    now_ns = count * (1000000000_int64 / rate)
  end function now_ns

  subroutine report(call)
    character(len=*), intent(in) :: call
    integer(int64) :: ns
    ns = now_ns() - begin
    write (*, '(3a,i0,a,i0,a)') '{"call": "', call, '", "calls": ', n, ', "ns": ', ns, '}'
  end subroutine report

end program calls
