/* MPI by MPI_Init, by sessions, and by both: `sessions STEPS`. A step is one letter:
 *   a, b     begin session A or B, and make a communicator of its world in reverse order; A, B end it
 *   i, f     MPI_Init, MPI_Finalize
 *   x        a message and a reduction on every communicator that there is
 *   e        exit */
#include <mpi.h>
#include <stdlib.h>

enum { A, B, WORLD, PLACES };
static MPI_Session sessions[2];
static MPI_Comm comms[PLACES];
static int there[PLACES];

static void begin(int place) {
    MPI_Group world, reverse;
    int size;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &sessions[place]);
    MPI_Group_from_session_pset(sessions[place], "mpi://WORLD", &world);
    MPI_Group_size(world, &size);
    MPI_Group_range_incl(world, 1, (int[1][3]){{size - 1, 0, -1}}, &reverse);
    MPI_Comm_create_from_group(reverse, place == A ? "a" : "b", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comms[place]);
    MPI_Group_free(&world);
    MPI_Group_free(&reverse);
    there[place] = 1;
}

static void end(int place) {
    there[place] = 0;
    MPI_Comm_free(&comms[place]);
    MPI_Session_finalize(&sessions[place]);
}

/* To the next rank: one int on A's communicator, two on B's, three on MPI_COMM_WORLD. */
static void exchange(void) {
    for (int place = 0; place < PLACES; ++place) {
        int in[PLACES], out[PLACES] = {0}, rank, size, sum;
        if (!there[place]) continue;
        MPI_Comm_rank(comms[place], &rank);
        MPI_Comm_size(comms[place], &size);
        MPI_Sendrecv(out, place + 1, MPI_INT, (rank + 1) % size, 0, in, place + 1, MPI_INT, (rank + size - 1) % size, 0,
                     comms[place], MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[place]);
        if (sum != size * (size - 1) / 2) MPI_Abort(comms[place], 1);
    }
}

int main(int argc, char** argv) {
    for (const char* step = argv[1]; *step; ++step) {
        if (*step == 'a' || *step == 'b') begin(*step - 'a');
        if (*step == 'A' || *step == 'B') end(*step - 'A');
        if (*step == 'i') MPI_Init(&argc, &argv);
        if (*step == 'f') MPI_Finalize();
        if (*step == 'i' || *step == 'f') there[WORLD] = *step == 'i';
        if (*step == 'i') comms[WORLD] = MPI_COMM_WORLD;
        if (*step == 'x') exchange();
        if (*step == 'e') exit(0);
    }
    return 0;
}
