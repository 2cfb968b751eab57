/* A preloaded library with which the FAULTY_DRAW-th MPI_Fetch_and_op of a rank adds FAULTY_STEP, 0 or 2, in place of 1,
   and with SLOW_CLOCK set every 2000th reading of a clock takes 2 ms, wherever the program is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
                     MPI_Win window) {
    static const int64_t steps[] = {0, 1, 2};
    static long calls;
    const char* draw = getenv("FAULTY_DRAW");
    if (draw && ++calls == atol(draw)) origin = &steps[atol(getenv("FAULTY_STEP"))];
    return PMPI_Fetch_and_op(origin, result, type, target, at, op, window);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    static int (*ask)(clockid_t, struct timespec*);
    static long calls;
    if (!ask) ask = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    const struct timespec pause = {0, 2000000};
    if (++calls % 2000 == 0 && getenv("SLOW_CLOCK")) nanosleep(&pause, NULL);
    return ask(clock, now);
}
