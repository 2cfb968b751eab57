/* Teams with planted waits. The threads sleep instead of computing, so that it does not matter how many processors
 * they share. They time themselves, because a sleep may last longer than it was asked to; rank 0 prints, by thread
 * number, the seconds of work and of waiting. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, UNIT_MS = 40 };

static double worked[THREADS], waited[THREADS], arrived[THREADS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(int units) {
    struct timespec span = {0, units * UNIT_MS * 1000000L};
    nanosleep(&span, NULL);
}

/* Work of the calling thread, the last before it waits. */
static void work(int units) {
    const int me = omp_get_thread_num();
    const double begin = now();
    rest(units);
    arrived[me] = now();
    worked[me] += arrived[me] - begin;
}

static void waited_until(int thread, double end) { waited[thread] += end - arrived[thread]; }

/* After the end of a region of `team` threads. */
static void region_ended(int team) {
    const double end = now();
    for (int i = 0; i < team; ++i) waited_until(i, end);
}

static void region_end(void) {
#pragma omp parallel num_threads(4)
    work(omp_get_thread_num() + 1);
    region_ended(4);
}

static void barrier(void) {
#pragma omp parallel num_threads(4)
    {
        const int me = omp_get_thread_num();
        work(me + 1);
#pragma omp barrier
        waited_until(me, now());
        work(4 - me);
    }
    region_ended(4);
}

static void loops(void) {
#pragma omp parallel for schedule(static, 1) num_threads(4)
    for (int i = 0; i < 4; ++i) work(i + 1);
    region_ended(4);
#pragma omp parallel num_threads(4)
    {
        const int me = omp_get_thread_num();
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; ++i) work(i + 1);
        waited_until(me, now());
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 4; ++i) work(i + 1);
        waited_until(me, now());
        work(0);
    }
    region_ended(4);
}

/* A thread's waits are those of the teams that it belongs to. */
static void teams(void) {
#pragma omp parallel num_threads(2)
    work(omp_get_thread_num() + 1);
    region_ended(2);
    region_end();
}

/* What an inner team does, and how long it waits, is work of the thread that opened it. */
static void nested(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        const int me = omp_get_thread_num();
        const double begin = now();
        if (me == 0) {
#pragma omp parallel num_threads(2)
            {
                rest(omp_get_thread_num() + 1);
#pragma omp barrier
                rest(2 - omp_get_thread_num());
            }
        }
        arrived[me] = now();
        worked[me] += arrived[me] - begin;
    }
    region_ended(2);
}

static void messages(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) MPI_Barrier(MPI_COMM_WORLD);
        work(1);
    }
    region_ended(2);
}

static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 5; ++i) {
#pragma omp task
        rest(0);
    }
}

/* Seconds for a region of two threads that do nothing. */
static void empty(long times) {
    for (int repetition = 0; repetition < 10; ++repetition) {
        const double begin = now();
        for (long i = 0; i < times; ++i) {
#pragma omp parallel num_threads(2)
            __asm__ volatile("");
        }
        printf("%.3g\n", (now() - begin) / (double)times);
    }
}

static void print(const char* name, const double* seconds) {
    printf("\"%s\": [%f, %f, %f, %f]", name, seconds[0], seconds[1], seconds[2], seconds[3]);
}

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "";
    int rank = 0;
    int provided = 0;
    region_end(); /* before MPI: not counted */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(worked, 0, sizeof worked);
    memset(waited, 0, sizeof waited);
    if (strcmp(part, "region_end") == 0) region_end();
    if (strcmp(part, "barrier") == 0) barrier();
    if (strcmp(part, "loops") == 0) loops();
    if (strcmp(part, "teams") == 0) teams();
    if (strcmp(part, "nested") == 0) nested();
    if (strcmp(part, "messages") == 0) messages();
    if (strcmp(part, "tasks") == 0) tasks();
    if (strcmp(part, "empty") == 0) empty(argc > 2 ? atol(argv[2]) : 1);
    if (rank == 0 && strcmp(part, "empty") != 0) {
        printf("{");
        print("busy", worked);
        printf(", ");
        print("wait", waited);
        printf("}\n");
    }
    MPI_Finalize();
    region_end(); /* after MPI: not counted */
    return 0;
}
