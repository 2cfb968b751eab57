/* One-sided calls to the right neighbour; then file output and input. argv[1] is the file. */
#include <mpi.h>

static int local[64], result[64];

static void window(int right) {
    int* base;
    int one = 1, zero = 0, before;
    MPI_Win win;
    MPI_Request request;
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(local, 3, MPI_INT, right, 0, 3, MPI_INT, win);
    MPI_Put(local, 9, MPI_INT, MPI_PROC_NULL, 0, 9, MPI_INT, win);
    MPI_Get(local, 4, MPI_INT, right, 0, 4, MPI_INT, win);
    MPI_Accumulate(local, 5, MPI_INT, right, 0, 5, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(local, 6, MPI_INT, result, 6, MPI_INT, right, 0, 6, MPI_INT, MPI_SUM, win);
    /* MPI_NO_OP makes the origin's arguments insignificant. */
    MPI_Get_accumulate(local, 5, MPI_INT, result, 7, MPI_INT, right, 0, 7, MPI_INT, MPI_NO_OP, win);
    MPI_Fetch_and_op(&one, &before, MPI_INT, right, 0, MPI_SUM, win);
    MPI_Compare_and_swap(&one, &zero, &before, MPI_INT, right, 0, win);
    MPI_Win_flush_all(win);
    MPI_Rput(local, 8, MPI_INT, right, 0, 8, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(local, 9, MPI_INT, right, 0, 9, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(local, 10, MPI_INT, right, 0, 10, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(local, 11, MPI_INT, result, 11, MPI_INT, right, 0, 11, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void file(char* name, int rank) {
    MPI_File f;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, 4096 * rank, local, 12, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(f, 4096 * rank, local, 13, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(f, 4096 * rank, local, 14, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at(f, 4096 * rank, local, 15, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(f, 4096 * rank, local, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(f, 4096 * rank, MPI_SEEK_SET);
    MPI_File_write(f, local, 17, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(f, local, 18, MPI_INT);
    MPI_File_write_all_end(f, local, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    window((rank + 1) % size);
    file(argv[1], rank);
    return MPI_Finalize();
}
