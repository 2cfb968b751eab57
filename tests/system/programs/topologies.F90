! What topologies.c does, of each call once, in the three forms that MPI has for Fortran: FORM is 1 for mpif.h, 2 for
! the module mpi and 3 for mpi_f08.
!
!     topologies HOST HOST …
!
! HOST: the name of the node that each process is to be on, by its rank in MPI_COMM_WORLD.
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

program topologies
    use iso_c_binding
    USE_MPI
    implicit none
    INCLUDE_MPI
    interface
        integer(c_int) function unshare(flags) bind(c)
            import
            integer(c_int), value :: flags
        end function
        integer(c_int) function sethostname(text, bytes) bind(c)
            import
            character(kind=c_char), intent(in) :: text(*)
            integer(c_size_t), value :: bytes
        end function
    end interface
    integer(c_int), parameter :: new_uts = int(z'04000000', c_int)
    integer :: rank, ranks, world, failures, total, error, i, neighbours, in, out
    integer :: place(2), from(1), to(1), from_weight(1), to_weight(1), degree(1), sender(1)
    integer, allocatable :: index(:), edges(:)
    logical :: weighted
    character(len=64) :: host
    HANDLE(MPI_Comm) :: made

    call MPI_Init(error)
    call MPI_Comm_rank(W, world, error)
    call MPI_Comm_size(W, ranks, error)
    call get_command_argument(world + 1, host)
    failures = unshare(new_uts) + sethostname(trim(host)//c_null_char, int(len_trim(host), c_size_t))

    call MPI_Cart_create(W, 2, [2, ranks/2], [.false., .true.], .true., made, error)
    call MPI_Comm_rank(made, rank, error)
    call MPI_Cart_coords(made, rank, 2, place, error)
    call check(place(1)*(ranks/2) + place(2) == rank, 'coordinates')
    call MPI_Cart_shift(made, 1, 1, from(1), to(1), error)
    call check(to(1) == place(1)*(ranks/2) + mod(place(2) + 1, ranks/2), 'shift')
    call finish('grid')

    allocate (index(ranks), edges(ranks))
    index = [(i, i=1, ranks)]
    edges = [(partner(i), i=0, ranks - 1)]
    call MPI_Graph_create(W, ranks, index, edges, .true., made, error)
    call MPI_Comm_rank(made, rank, error)
    call MPI_Graph_neighbors_count(made, rank, neighbours, error)
    call MPI_Graph_neighbors(made, rank, 1, to, error)
    call check(neighbours == 1 .and. to(1) == partner(rank), 'graph')
    call finish('graph')

    to = partner(world)
    to_weight = 10 + world
    from_weight = 10 + to
    call MPI_Dist_graph_create_adjacent(W, 1, to, from_weight, 1, to, to_weight, MPI_INFO_NULL, .true., made, error)
    call check_pairs(.true.)
    call finish('adjacent')
    call MPI_Dist_graph_create_adjacent(W, 1, to, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, .true., made, error)
    call check_pairs(.false.)
    call finish('adjacent without weights')

    sender = mod(world + 1, ranks)
    degree = 1
    to = partner(sender(1))
    to_weight = 10 + sender
    call MPI_Dist_graph_create(W, 1, sender, degree, to, to_weight, MPI_INFO_NULL, .true., made, error)
    call check_pairs(.true.)
    call finish('by others')
    call MPI_Dist_graph_create(W, 1, sender, degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, .true., made, error)
    call check_pairs(.false.)
    call finish('by others without weights')

    call MPI_Reduce(failures, total, 1, MPI_INTEGER, MPI_SUM, 0, W, error)
    if (world == 0) print '(i0, a)', total, ' checks failed'
    call MPI_Finalize(error)

contains

    integer function partner(of)
        integer, intent(in) :: of
        partner = mod(of + ranks/2, ranks)
    end function

    subroutine check_pairs(has_weights)
        logical, intent(in) :: has_weights
        integer :: a(1), b(1), c(1), d(1)
        call MPI_Comm_rank(made, rank, error)
        call MPI_Dist_graph_neighbors_count(made, in, out, weighted, error)
        call check(in == 1 .and. out == 1 .and. (weighted .eqv. has_weights), 'degrees')
        call MPI_Dist_graph_neighbors(made, 1, a, b, 1, c, d, error)
        call check(a(1) == partner(rank) .and. c(1) == partner(rank), 'neighbours')
        if (has_weights) call check(b(1) == 10 + a(1) .and. d(1) == 10 + rank, 'weights')
    end subroutine

    ! Says whether the ranks have another order.
    subroutine finish(name)
        character(len=*), intent(in) :: name
        integer :: kept(1), all(1)
        kept = merge(1, 0, rank == world)
        call MPI_Allreduce(kept, all, 1, MPI_INTEGER, MPI_MIN, W, error)
        if (world == 0) print '(3a)', name, ': ', merge('as before', 'anew     ', all(1) == 1)
        call MPI_Comm_free(made, error)
    end subroutine

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print *, 'rank', world, ' not so: ', what
        failures = failures + 1
    end subroutine
end program
