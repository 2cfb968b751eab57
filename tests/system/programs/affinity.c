/* Prints the cores that each OpenMP thread of each rank may use: "rank 0 thread 1: 2 3". */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(int count, char** words) {
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel
    {
        char line[4096];
        cpu_set_t cores;
        int used = snprintf(line, sizeof line, "rank %d thread %d:", rank, omp_get_thread_num());
        sched_getaffinity(0, sizeof cores, &cores);
        for (int core = 0; core < CPU_SETSIZE && used < 4000; ++core)
            if (CPU_ISSET(core, &cores)) used += snprintf(line + used, 16, " %d", core);
#pragma omp critical
        puts(line);
    }
    MPI_Finalize();
    return 0;
}
