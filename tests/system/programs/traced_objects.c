/* Makes communicators, windows and files, and frees some: what is made, its number and its context are
   in the trace. Three ranks. The argument is the file's name. */
#include <mpi.h>

static void use(MPI_Comm comm) {
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_SELF);

    MPI_Comm first, second, half, grid, own, idle, inter, merged, none;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &none);
    int dimension = 3, period = 1;
    MPI_Cart_create(first, 1, &dimension, &period, 0, &grid);
    MPI_Request request;
    MPI_Comm_idup(second, &idle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank / 2 == 0 ? 2 : 1, 5, &inter);
    MPI_Intercomm_merge(inter, rank / 2, &merged);
    MPI_Barrier(merged);
    MPI_Barrier(inter);

    MPI_Win window, other;
    int memory[4] = {0, 1, 2, 3}, got = 0;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_fence(0, window);
    MPI_Put(&got, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, other);
    MPI_Get(&got, 1, MPI_INT, 1, 1, 1, MPI_INT, other);
    MPI_Win_flush(1, other);
    MPI_Win_unlock(1, other);
    MPI_Group all, neighbours;
    int named[2] = {(rank + 1) % 3, (rank + 2) % 3};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, named, &neighbours);
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&other);
    MPI_Win_free(&window);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4 * rank, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);

    for (int i = 0; i < 100; ++i) {
        MPI_Comm again;
        MPI_Comm_dup(MPI_COMM_WORLD, &again);
        use(again);
    }
    MPI_Finalize();
    return 0;
}
