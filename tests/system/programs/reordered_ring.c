// A ring whose ranks may be reordered. Each passes 1,000 bytes on to the next one, and says to whom, by ranks in
// MPI_COMM_WORLD.
//
//     reordered_ring [HOST,…]
//
// HOST: the name of the node that each process is to be on, by its rank in MPI_COMM_WORLD; without it, where it is.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int world, size, rank, below, above;
    char sent[1000] = "", received[1000];
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        char* host = strtok(argv[1], ",");
        for (int i = 0; i < world; ++i) host = strtok(NULL, ",");
        if (unshare(CLONE_NEWUTS) != 0 || sethostname(host, strlen(host)) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){1}, 1, &ring);
    MPI_Comm_rank(ring, &rank);
    MPI_Cart_shift(ring, 0, 1, &below, &above);
    MPI_Sendrecv(sent, 1000, MPI_CHAR, above, 0, received, 1000, MPI_CHAR, below, 0, ring, MPI_STATUS_IGNORE);

    MPI_Group of_ring, all;
    int to;
    MPI_Comm_group(ring, &of_ring);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(of_ring, 1, &above, all, &to);
    printf("%d sends to %d\n", world, to);
    MPI_Group_free(&of_ring);
    MPI_Group_free(&all);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
