/* Every way to send and to receive one message around a ring: sends of 10 k + rank ints, receives
   that are posted for more. */
#include <mpi.h>

static int in[400], out[400], buffer[4000];
static int rank, left, right;
static MPI_Request request;

#define TO_RIGHT(k) out, 10 * (k) + rank, MPI_INT, right, 0
#define SEND(k) TO_RIGHT(k), MPI_COMM_WORLD
#define FROM_LEFT(n) in, n, MPI_INT, left, 0, MPI_COMM_WORLD
#define WAIT MPI_Wait(&request, MPI_STATUS_IGNORE)
#define EXCHANGE(send)                                                    \
    do {                                                                  \
        MPI_Request received;                                             \
        MPI_Irecv(FROM_LEFT(300), &received);                             \
        MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs its receive */ \
        send;                                                             \
        MPI_Wait(&received, MPI_STATUS_IGNORE);                           \
    } while (0)

static void sends(void) {
    EXCHANGE(MPI_Send(SEND(1)));
    EXCHANGE(MPI_Ssend(SEND(2)));
    EXCHANGE(MPI_Rsend(SEND(3)));
    EXCHANGE(MPI_Bsend(SEND(4)));
    EXCHANGE(MPI_Isend(SEND(5), &request); WAIT);
    EXCHANGE(MPI_Issend(SEND(6), &request); WAIT);
    EXCHANGE(MPI_Irsend(SEND(7), &request); WAIT);
    EXCHANGE(MPI_Ibsend(SEND(8), &request); WAIT);
}

static void receives(void) {
    MPI_Message message;
    MPI_Request matched;
    int found = 0;
    MPI_Isend(SEND(9), &request);
    MPI_Recv(in, 200, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    WAIT;
    MPI_Isend(SEND(9), &request);
    MPI_Mprobe(left, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 210, MPI_INT, &message, MPI_STATUS_IGNORE);
    WAIT;
    MPI_Isend(SEND(9), &request);
    while (!found) MPI_Improbe(left, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 220, MPI_INT, &message, &matched);
    MPI_Wait(&matched, MPI_STATUS_IGNORE);
    WAIT;
}

static void both(void) {
    MPI_Sendrecv(TO_RIGHT(10), FROM_LEFT(310), MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in, 110, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isendrecv(TO_RIGHT(12), FROM_LEFT(320), &request);
    WAIT;
    MPI_Isendrecv_replace(in, 130, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD, &request);
    WAIT;
}

static void nobody(void) {
    MPI_Message message;
    MPI_Send(out, 7, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 7, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 7, MPI_INT, &message, MPI_STATUS_IGNORE);
    /* The left end of an open chain: only one side of the exchange exists. */
    MPI_Sendrecv(out, 5, MPI_INT, rank == 0 ? MPI_PROC_NULL : left, 1, in, 6, MPI_INT,
                 right == 0 ? MPI_PROC_NULL : right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void shapes(void) {
    MPI_Datatype columns; /* 3 blocks of 2 ints, 4 apart: 6 ints of payload in an extent of 10 */
    MPI_Type_vector(3, 2, 4, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    EXCHANGE(MPI_Send(out, 2 + rank, columns, right, 0, MPI_COMM_WORLD));
    MPI_Type_free(&columns);
    EXCHANGE(MPI_Send(0, 0, MPI_INT, right, 0, MPI_COMM_WORLD));
    MPI_Sendrecv(out, 1, MPI_CHAR, right, 0, in, 9, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    sends();
    receives();
    both();
    nobody();
    shapes();
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
    return MPI_Finalize();
}
