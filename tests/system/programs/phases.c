/* Phases: "many" numbers more than are told apart; "threads": several threads change them at the same time. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>

static void* change(void* argument) {
    const int own = *(const int*)argument;
    for (int i = 0; i < 500; ++i) MPI_Pcontrol(i % 2 == 0 ? own : -own);
    return NULL;
}

int main(int argc, char** argv) {
    int provided, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        for (int phase = 2; phase <= 200; ++phase) {
            MPI_Pcontrol(phase);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Pcontrol(-phase);
        }
    }
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        pthread_t threads[3];
        int phases[3] = {10, 20, 30};
        for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, change, &phases[i]);
        for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    }
    return MPI_Finalize();
}
