/* Runs collectives and prints who sent how many messages and bytes to whom
 * in each, as Open MPI's component pml/monitoring counts them. Each is run once before it is counted: then a library
 * may make communicators for it, which takes messages of their own.
 *
 * Arguments, one for each: NAME:ALGORITHM:BYTES:ROOT, where NAME is MPI's ("bcast", "iallreduce"), ALGORITHM the
 * number in coll/tuned (0: its own choice, -1: nothing is forced, -2: nor does the operator commute), and BYTES those
 * of the vector or of a block. What is forced has a communicator of its own. The others share one, in which component
 * coll/monitoring does not come before coll/han, from which it would hide that it is to step back for good. It is not
 * freed: Open MPI 5.0.11 crashed there. Output: "CASE RANK PEER MESSAGES BYTES". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, self;

static void fail(const char* what) {
    fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What a monitoring variable counts towards each rank. */
static void counted(MPI_T_pvar_session session, const char* name, size_t* values) {
    int index, count;
    MPI_T_pvar_handle handle;
    MPI_Comm world = MPI_COMM_WORLD;
    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) fail("no such counter");
    if (MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count) != MPI_SUCCESS) fail("no handle");
    MPI_T_pvar_start(session, handle);
    if (MPI_T_pvar_read(session, handle, values) != MPI_SUCCESS) fail("counter cannot be read");
    MPI_T_pvar_handle_free(session, &handle);
}

/* Forces an algorithm on communicators that are made from now on. */
static void force(const char* collective, int algorithm) {
    char name[80];
    int index, count;
    MPI_T_cvar_handle handle;
    snprintf(name, sizeof name, "coll_tuned_%s_algorithm", collective);
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) fail("no such parameter");
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (MPI_T_cvar_write(handle, &algorithm) != MPI_SUCCESS) fail("parameter cannot be set");
    MPI_T_cvar_handle_free(&handle);
}

static void keep(void* in, void* inout, int* length, MPI_Datatype* type) {
    (void)type;
    memcpy(inout, in, (size_t)*length);
}

static void run(const char* name, int bytes, int root, MPI_Op op, MPI_Comm comm, char* send, char* receive, int* counts,
                int* places) {
    MPI_Request request = MPI_REQUEST_NULL;
    const MPI_Datatype byte = MPI_CHAR;
    for (int i = 0; i < ranks; ++i) {
        counts[i] = bytes;
        places[i] = i * bytes;
    }
    if (!strcmp(name, "barrier"))
        MPI_Barrier(comm);
    else if (!strcmp(name, "bcast"))
        MPI_Bcast(send, bytes, byte, root, comm);
    else if (!strcmp(name, "gather"))
        MPI_Gather(send, bytes, byte, receive, bytes, byte, root, comm);
    else if (!strcmp(name, "gatherv"))
        MPI_Gatherv(send, bytes, byte, receive, counts, places, byte, root, comm);
    else if (!strcmp(name, "scatter"))
        MPI_Scatter(send, bytes, byte, receive, bytes, byte, root, comm);
    else if (!strcmp(name, "scatterv"))
        MPI_Scatterv(send, counts, places, byte, receive, bytes, byte, root, comm);
    else if (!strcmp(name, "allgather"))
        MPI_Allgather(send, bytes, byte, receive, bytes, byte, comm);
    else if (!strcmp(name, "allgatherv"))
        MPI_Allgatherv(send, bytes, byte, receive, counts, places, byte, comm);
    else if (!strcmp(name, "alltoall"))
        MPI_Alltoall(send, bytes, byte, receive, bytes, byte, comm);
    else if (!strcmp(name, "alltoallv"))
        MPI_Alltoallv(send, counts, places, byte, receive, counts, places, byte, comm);
    else if (!strcmp(name, "reduce"))
        MPI_Reduce(send, receive, bytes, byte, op, root, comm);
    else if (!strcmp(name, "allreduce"))
        MPI_Allreduce(send, receive, bytes, byte, op, comm);
    else if (!strcmp(name, "reduce_scatter"))
        MPI_Reduce_scatter(send, receive, counts, byte, op, comm);
    else if (!strcmp(name, "reduce_scatter_block"))
        MPI_Reduce_scatter_block(send, receive, bytes, byte, op, comm);
    else if (!strcmp(name, "scan"))
        MPI_Scan(send, receive, bytes, byte, op, comm);
    else if (!strcmp(name, "exscan"))
        MPI_Exscan(send, receive, bytes, byte, op, comm);
    else if (!strcmp(name, "ibarrier"))
        MPI_Ibarrier(comm, &request);
    else if (!strcmp(name, "ibcast"))
        MPI_Ibcast(send, bytes, byte, root, comm, &request);
    else if (!strcmp(name, "igather"))
        MPI_Igather(send, bytes, byte, receive, bytes, byte, root, comm, &request);
    else if (!strcmp(name, "iscatter"))
        MPI_Iscatter(send, bytes, byte, receive, bytes, byte, root, comm, &request);
    else if (!strcmp(name, "iallgather"))
        MPI_Iallgather(send, bytes, byte, receive, bytes, byte, comm, &request);
    else if (!strcmp(name, "ialltoall"))
        MPI_Ialltoall(send, bytes, byte, receive, bytes, byte, comm, &request);
    else if (!strcmp(name, "ireduce"))
        MPI_Ireduce(send, receive, bytes, byte, op, root, comm, &request);
    else if (!strcmp(name, "iallreduce"))
        MPI_Iallreduce(send, receive, bytes, byte, op, comm, &request);
    else if (!strcmp(name, "ireduce_scatter"))
        MPI_Ireduce_scatter(send, receive, counts, byte, op, comm, &request);
    else if (!strcmp(name, "iscan"))
        MPI_Iscan(send, receive, bytes, byte, op, comm, &request);
    else
        fail(name);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Comm without_monitoring(void) {
    MPI_Info info;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^monitoring");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

int main(int argc, char** argv) {
    int provided;
    MPI_T_pvar_session session;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    size_t* numbers = calloc(4 * (size_t)ranks, sizeof *numbers);
    size_t *messages = numbers, *bytes_sent = numbers + ranks;
    int* counts = calloc(2 * (size_t)ranks, sizeof *counts);
    const MPI_Comm plain = without_monitoring();
    MPI_Op in_order;
    MPI_Op_create(keep, 0, &in_order);

    for (int i = 1; i < argc; ++i) {
        char name[40];
        int algorithm, bytes, root;
        MPI_Comm comm = plain;
        if (sscanf(argv[i], "%39[^:]:%d:%d:%d", name, &algorithm, &bytes, &root) != 4) fail(argv[i]);
        if (algorithm >= 0) {
            force(name, algorithm);
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        }
        const MPI_Op op = algorithm == -2 ? in_order : MPI_SUM;
        const size_t room = (size_t)bytes * (size_t)ranks + 1;
        char* send = calloc(room, 1);
        char* receive = calloc(room, 1);
        run(name, bytes, root, op, comm, send, receive, counts, counts + ranks);
        size_t* before = numbers + 2 * ranks;
        counted(session, "pml_monitoring_messages_count", before);
        counted(session, "pml_monitoring_messages_size", before + ranks);
        run(name, bytes, root, op, comm, send, receive, counts, counts + ranks);
        counted(session, "pml_monitoring_messages_count", messages);
        counted(session, "pml_monitoring_messages_size", bytes_sent);
        for (int peer = 0; peer < ranks; ++peer) {
            if (messages[peer] == before[peer]) continue;
            printf("%d %d %d %zu %zu\n", i - 1, self, peer, messages[peer] - before[peer],
                   bytes_sent[peer] - before[ranks + peer]);
        }
        free(send);
        free(receive);
        if (algorithm >= 0) MPI_Comm_free(&comm);
    }
    fflush(stdout);
    free(numbers);
    free(counts);
    MPI_Op_free(&in_order);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
