/* How many messages, and of how many bytes in all, MPICH hands to its network for ten calls of a collective: for each
   collective and each size among the arguments. Counted where it calls UCX: the program's own function stands before
   UCX's (link it with -rdynamic). */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static long long sent[2];

typedef void* Send(void*, const void*, size_t, uint64_t, const void*);

void* ucp_tag_send_nbx(void* endpoint, const void* data, size_t count, uint64_t tag, const void* parameters) {
    static Send* next;
    if (next == NULL) next = (Send*)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    ++sent[0];
    sent[1] += (long long)count;
    return next(endpoint, data, count, tag, parameters);
}

static int ranks, bytes;
static char *give, *take;
static MPI_Op own_sum;

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((char*)inout)[i] = (char)(((char*)inout)[i] + ((char*)in)[i]);
}

static void allgather(void) { MPI_Allgather(give, bytes, MPI_CHAR, take, bytes, MPI_CHAR, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(give, take, bytes, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD); }
static void allreduce_own_sum(void) { MPI_Allreduce(give, take, bytes, MPI_CHAR, own_sum, MPI_COMM_WORLD); }
static void alltoall(void) { MPI_Alltoall(give, bytes, MPI_CHAR, take, bytes, MPI_CHAR, MPI_COMM_WORLD); }
static void alltoall_in_place(void) {
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, take, bytes, MPI_CHAR, MPI_COMM_WORLD);
}
static void bcast(void) { MPI_Bcast(give, bytes, MPI_CHAR, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(give, take, bytes, MPI_CHAR, MPI_SUM, 0, MPI_COMM_WORLD); }
static void reduce_scatter_block(void) {
    MPI_Reduce_scatter_block(give, take, bytes / ranks, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char* name;
    void (*call)(void);
} collectives[] = {{"allgather", allgather},
                   {"allreduce", allreduce},
                   {"allreduce_own_sum", allreduce_own_sum},
                   {"alltoall", alltoall},
                   {"alltoall_in_place", alltoall_in_place},
                   {"bcast", bcast},
                   {"reduce", reduce},
                   {"reduce_scatter_block", reduce_scatter_block}};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op_create(add, 1, &own_sum);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i) {
        for (int k = 1; k < argc; ++k) {
            bytes = atoi(argv[k]);
            give = calloc((size_t)ranks, (size_t)bytes);
            take = calloc((size_t)ranks, (size_t)bytes);
            sent[0] = sent[1] = 0;
            for (int round = 0; round < 10; ++round) collectives[i].call();
            long long own[2] = {sent[0], sent[1]}, all[2];
            MPI_Allreduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0) printf("%s %d: %lld %lld\n", collectives[i].name, bytes, all[0], all[1]);
            free(give);
            free(take);
        }
    }
    MPI_Op_free(&own_sum);
    MPI_Finalize();
    return 0;
}
