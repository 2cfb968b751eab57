/* Persistent and partitioned messages around a ring: what counts, counts at each start. */
#include <mpi.h>

static char in[8192], out[8192], buffer[65536];
static int left, right;

/* Makes a pair of requests, starts it `times` times, frees it. */
#define TURN(times, make)                                                  \
    do {                                                                   \
        MPI_Request r[2];                                                  \
        MPI_Recv_init(in, 1000, MPI_CHAR, left, 0, MPI_COMM_WORLD, &r[0]); \
        make;                                                              \
        for (int i = 0; i < (times); ++i) {                                \
            MPI_Start(&r[0]);                                              \
            MPI_Barrier(MPI_COMM_WORLD);                                   \
            MPI_Start(&r[1]);                                              \
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);                        \
        }                                                                  \
        MPI_Request_free(&r[0]);                                           \
        MPI_Request_free(&r[1]);                                           \
    } while (0)

int main(int argc, char** argv) {
    int rank, size, bytes;
    void* detached;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    TURN(2, MPI_Send_init(out, 10 + rank, MPI_CHAR, right, 0, MPI_COMM_WORLD, &r[1]));
    TURN(3, MPI_Ssend_init(out, 20 + rank, MPI_CHAR, right, 0, MPI_COMM_WORLD, &r[1]));
    TURN(4, MPI_Rsend_init(out, 30 + rank, MPI_CHAR, right, 0, MPI_COMM_WORLD, &r[1]));
    TURN(5, MPI_Bsend_init(out, 40 + rank, MPI_CHAR, right, 0, MPI_COMM_WORLD, &r[1]));

    MPI_Request all[4];
    MPI_Recv_init(in, 500, MPI_CHAR, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Recv_init(in + 500, 600, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Send_init(out, 100, MPI_CHAR, right, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Send_init(out, 200, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &all[3]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(4, all);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; ++i) MPI_Request_free(&all[i]);

    /* A request outlives its communicator's handle, which soon means other ranks. */
    MPI_Comm reversed;
    int mine;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_rank(reversed, &mine);
    MPI_Recv_init(in, 70, MPI_CHAR, (mine + size - 1) % size, 2, reversed, &all[0]);
    MPI_Send_init(out, 70, MPI_CHAR, (mine + 1) % size, 2, reversed, &all[1]);
    MPI_Comm_free(&reversed);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &reversed);
    MPI_Startall(2, all);
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    MPI_Request_free(&all[0]);
    MPI_Request_free(&all[1]);
    MPI_Comm_free(&reversed);

    /* 4 partitions of 25 ints. */
    MPI_Psend_init(out, 4, 25, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
    MPI_Precv_init(in, 4, 25, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &all[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Startall(2, all);
        for (int p = 0; p < 4; ++p) MPI_Pready(p, all[0]);
        MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&all[0]);
    MPI_Request_free(&all[1]);
    MPI_Buffer_detach(&detached, &bytes);
    return MPI_Finalize();
}
