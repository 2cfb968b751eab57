/* Calls MPI from what MPI calls back: each kind of callback, once or twice on every rank. */
#include <mpi.h>

static void copy_ints(int n) {
    int in[8], out[8] = {0};
    MPI_Sendrecv(out, n, MPI_INT, 0, 0, in, n, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static int remove_attribute(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value, (void)state;
    copy_ints(5);
    return MPI_SUCCESS;
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * size / (int)sizeof(int); ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int query(void* state, MPI_Status* status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 1);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void* state) {
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void handle(MPI_Comm* comm, int* code, ...) {
    int class, flag;
    (void)comm;
    MPI_Error_class(*code, &class);
    MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int key, flag, one[2] = {1, 1}, sum[2] = {1, 1};
    MPI_Comm comm;
    MPI_Op op;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);

    MPI_Op_create(add, 1, &op);
    MPI_Reduce_local(one, sum, 2, MPI_INT, op);
    MPI_Op_free(&op);
    if (sum[1] != 2) MPI_Abort(comm, 1);

    for (int i = 0; i < 2; ++i) {
        MPI_Grequest_start(query, release, cancel, 0, &request);
        MPI_Grequest_complete(request);
        if (i == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (flag = i == 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }

    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Probe(1000, 0, comm, MPI_STATUS_IGNORE); /* there is no such rank */
    MPI_Errhandler_free(&handler);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_attribute, &key, 0);
    MPI_Comm_set_attr(comm, key, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
    MPI_Comm_free(&comm);
    return MPI_Finalize(); /* removes the attribute of MPI_COMM_SELF */
}
