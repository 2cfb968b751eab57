/* Three threads that call MPI at the same time; then, if asked to, many one after the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
    MPI_Comm comm;
    int number;
};

/* Thread t sends 10 (t + 1) messages of 8 (t + 1) bytes to its own rank. */
static void* send_messages(void* argument) {
    const struct task* task = argument;
    char in[24], out[24] = {0};
    const int bytes = 8 * (task->number + 1);
    for (int i = 0; i < 10 * (task->number + 1); ++i) {
        MPI_Request request;
        MPI_Irecv(in, bytes, MPI_CHAR, 0, 0, task->comm, &request);
        MPI_Send(out, bytes, MPI_CHAR, 0, 0, task->comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return 0;
}

static void* ask_rank(void* unused) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}

int main(int argc, char** argv) {
    int provided;
    pthread_t threads[3];
    struct task tasks[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 77);
    for (int t = 0; t < 3; ++t) {
        MPI_Comm_dup(MPI_COMM_SELF, &tasks[t].comm);
        tasks[t].number = t;
    }
    for (int t = 0; t < 3; ++t) pthread_create(&threads[t], 0, send_messages, &tasks[t]);
    for (int t = 0; t < 3; ++t) pthread_join(threads[t], 0);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); ++i) {
        pthread_create(&threads[0], 0, ask_rank, 0);
        pthread_join(threads[0], 0);
    }
    return MPI_Finalize();
}
