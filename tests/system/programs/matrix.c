/* Messages through communicators whose ranks are not the world's: reversed, rotated and re-made
   (so that handles come back with another meaning), picked, and between two groups. */
#include <mpi.h>

static char in[4096], out[4096];
static int rank, size;

/* Every rank sends `bytes` to the next of `comm`. */
static void shift(MPI_Comm comm, int bytes) {
    int mine, n;
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &n);
    MPI_Sendrecv(out, bytes, MPI_CHAR, (mine + 1) % n, 0, in, sizeof in, MPI_CHAR, (mine + n - 1) % n, 0, comm,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Comm comm, between;
    MPI_Group world, picked;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    shift(comm, 1 + rank);
    MPI_Comm_free(&comm);
    for (int turn = 0; turn < 6; ++turn) {
        /* Local order: turn even: reversed; turn odd: rank 1 first, then the others rising. */
        MPI_Comm_split(MPI_COMM_WORLD, 0, turn % 2 ? (rank == 1 ? -1 : rank) : -rank, &comm);
        shift(comm, 10 * (turn + 1) + rank);
        if (turn < 3) {
            MPI_Comm_free(&comm);
        } else {
            MPI_Comm_disconnect(&comm);
        }
    }

    int order[3] = {3, 0, 2};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, order, &picked);
    MPI_Comm_create(MPI_COMM_WORLD, picked, &comm);
    if (comm != MPI_COMM_NULL) {
        shift(comm, 200 + rank);
        MPI_Comm_free(&comm);
    }

    /* Even and odd ranks: local rank i of one group sends to local rank i of the other. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, rank % 2 ? 2 : 3, 0, &between);
    int mine;
    MPI_Comm_rank(between, &mine);
    MPI_Sendrecv(out, 300 + rank, MPI_CHAR, mine, 0, in, sizeof in, MPI_CHAR, mine, 0, between, MPI_STATUS_IGNORE);
    shift(MPI_COMM_SELF, 400);
    return MPI_Finalize();
}
