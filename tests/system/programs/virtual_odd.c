/* What few programs do, and virtual clocks must not harm: virtual_odd DEED. Prints what came of it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, partner, failures;

static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    ++failures;
}

/* An int to the partner, and one from him, over a communicator and with a tag. */
static void exchange(MPI_Comm comm, int tag) {
    int mine = 10 * rank + 1, his = 0;
    MPI_Request request;
    MPI_Irecv(&his, 1, MPI_INT, partner, tag, comm, &request);
    MPI_Send(&mine, 1, MPI_INT, partner, tag, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(his == 10 * partner + 1, "an exchange");
}

static void tags(void) {
    int found, *most;
    MPI_Comm twin;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    exchange(twin, *most);
    exchange(MPI_COMM_WORLD, *most);
    exchange(twin, 0);
    for (int tag = 0; tag < 3000; ++tag) exchange(twin, tag);
    MPI_Comm_free(&twin);
}

static void nothing(void) {
    int value = 0;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    expect(status.MPI_SOURCE == MPI_PROC_NULL, "a message from nobody");
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 100; ++i) {
        MPI_Irecv(NULL, 0, MPI_INT, partner, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Ssend(NULL, 0, MPI_INT, partner, 1, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Wait(&(MPI_Request){MPI_REQUEST_NULL}, MPI_STATUS_IGNORE);
}

static void probes(void) {
    int value = rank, count = 0, found = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, partner, 3, MPI_COMM_WORLD, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(&value, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(value == partner && status.MPI_TAG == 3, "a matched probe");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, partner, 4, MPI_COMM_WORLD, &request);
    while (!found) MPI_Improbe(partner, 4, MPI_COMM_WORLD, &found, &message, &status);
    MPI_Request received;
    MPI_Imrecv(&value, 1, MPI_INT, &message, &received);
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancels(void) {
    int value = 0, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    for (int any = 0; any < 2; ++any) {
        MPI_Irecv(&value, 1, MPI_INT, any ? MPI_ANY_SOURCE : partner, 77, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        expect(cancelled, "a cancelled receive");
        MPI_Barrier(MPI_COMM_WORLD);
        exchange(MPI_COMM_WORLD, 77);
    }
}

static void datatypes(void) {
    int in[12] = {0}, out[12];
    MPI_Datatype every_third;
    MPI_Request request;
    for (int i = 0; i < 12; ++i) out[i] = i;
    MPI_Type_vector(4, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    MPI_Irecv(in, 4, MPI_INT, partner, 0, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1, every_third, partner, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in[3] == 9, "every third int");
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&every_third);
}

/* Freed with a receive under way, which completes later. */
static void freed_early(void) {
    int value = 0;
    MPI_Comm twin;
    MPI_Request request, send;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Irecv(&value, 1, MPI_INT, partner, 0, twin, &request);
    MPI_Isend(&rank, 1, MPI_INT, partner, 0, twin, &send);
    MPI_Comm_free(&twin);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    expect(value == partner, "a message over a freed communicator");
}

/* Even ranks are one group, odd ranks the other. */
static void groups(void) {
    int own, theirs = -1, sum = 0, one = 1;
    MPI_Comm half, between, all;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &between);
    MPI_Sendrecv(&own, 1, MPI_INT, own, 0, &theirs, 1, MPI_INT, own, 0, between, MPI_STATUS_IGNORE);
    expect(theirs == own, "a message between groups");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
    expect(sum == size / 2, "a sum over the other group");
    MPI_Barrier(between);
    MPI_Intercomm_merge(between, rank % 2, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    expect(sum == size, "a sum over both groups");
    MPI_Comm_free(&all);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static int errors_seen;

static void count_error(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    ++errors_seen;
}

/* Calls that fail, and a message that is longer than its receive; then all goes on. */
static void errors(void) {
    int values[4] = {rank, 0, 0, 0};
    MPI_Errhandler counting;
    MPI_Request request;
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_create_errhandler(count_error, &counting);
    MPI_Comm_set_errhandler(twin, counting);
    MPI_Send(values, 1, MPI_INT, 1000, 0, twin);
    MPI_Sendrecv(values, 1, MPI_INT, partner, -5, values, 1, MPI_INT, partner, 0, twin, MPI_STATUS_IGNORE);
    expect(errors_seen == 2, "two errors");
    MPI_Isend(values, 4, MPI_INT, partner, 6, twin, &request);
    MPI_Recv(values, 2, MPI_INT, partner, 6, twin, MPI_STATUS_IGNORE);
    expect(errors_seen == 3, "an error of a receive");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange(twin, 6);
    MPI_Errhandler_free(&counting);
    MPI_Comm_free(&twin);
}

static void own(void) {
    int value = 7, got = 0;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    expect(got == 7, "a message to itself");
}

static void partitions(void) {
#if MPI_VERSION >= 4 || defined(OPEN_MPI)
    int in[4] = {0}, out[4] = {1, 2, 3, 4};
    MPI_Request requests[2];
    MPI_Psend_init(out, 4, 1, MPI_INT, partner, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 4, 1, MPI_INT, partner, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        for (int part = 0; part < 4; ++part) MPI_Pready(part, requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    expect(in[3] == 4, "a partitioned message");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
}

static void large(void) {
#ifdef LARGE_COUNTS
    int in = 0;
    MPI_Request request;
    MPI_Irecv_c(&in, 1, MPI_INT, partner, 9, MPI_COMM_WORLD, &request);
    MPI_Send_c(&rank, 1, MPI_INT, partner, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in == partner, "a message with a large count");
    MPI_Bcast_c(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Count counts[64], places[64];
    int all[64];
    for (int r = 0; r < size; ++r) counts[r] = 1, places[r] = r;
    MPI_Gatherv_c(&rank, 1, MPI_INT, all, counts, (MPI_Aint*)places, MPI_INT, 0, MPI_COMM_WORLD);
#endif
}

static void abort_all(void) {
    exchange(MPI_COMM_WORLD, 0);
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    for (;;) pause(); /* MPICH's comes back */
}

static void* exchange_often(void* comm) {
    for (int i = 0; i < 2000; ++i) {
        exchange(*(MPI_Comm*)comm, 0);
        MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, *(MPI_Comm*)comm);
    }
    return NULL;
}

/* Each thread has a communicator of its own; the second one makes another one meanwhile. */
static void* exchange_and_duplicate(void* comm) {
    MPI_Comm twin;
    for (int i = 0; i < 20; ++i) {
        MPI_Comm_dup(*(MPI_Comm*)comm, &twin);
        exchange(twin, 0);
        MPI_Comm_free(&twin);
    }
    return exchange_often(comm);
}

static void at_once(void) {
    pthread_t threads[2];
    MPI_Comm comms[2];
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    pthread_create(&threads[0], NULL, exchange_often, &comms[0]);
    pthread_create(&threads[1], NULL, exchange_and_duplicate, &comms[1]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void* exchange_ten_times(void* unused) {
    for (int i = 0; i < 10; ++i) exchange(MPI_COMM_WORLD, 0);
    return unused;
}

static void in_turn(void) {
    pthread_t thread;
    for (int i = 0; i < 3; ++i) {
        pthread_create(&thread, NULL, exchange_ten_times, NULL);
        pthread_join(thread, NULL);
        exchange_ten_times(NULL);
    }
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } kDeeds[] = {{"tags", tags},
                  {"nothing", nothing},
                  {"probes", probes},
                  {"cancels", cancels},
                  {"datatypes", datatypes},
                  {"freed early", freed_early},
                  {"groups", groups},
                  {"own", own},
                  {"partitions", partitions},
                  {"large", large},
                  {"errors", errors},
                  {"abort", abort_all},
                  {"at once", at_once},
                  {"in turn", in_turn}};
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partner = rank ^ 1;
    for (int i = 1; i < argc; ++i) {
        for (size_t k = 0; k < sizeof kDeeds / sizeof *kDeeds; ++k) {
            if (strcmp(argv[i], kDeeds[k].name) == 0) kDeeds[k].run();
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d failures\n", failures);
    MPI_Finalize();
    return failures != 0;
}
