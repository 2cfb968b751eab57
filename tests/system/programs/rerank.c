// Uses MPI_COMM_WORLD in every way, and checks what comes of it against the order that its ranks were
// given. PMPI_ knows the launcher's ranks.
//
//     rerank ORDER FILE [spawn|windowless|briefly]
//
// ORDER: the launcher's ranks, one a line, by new rank. FILE: a file to be made. Prints the host of
// each rank and how many ranks share its memory.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define CHECK(holds)                                                          \
    do {                                                                      \
        if (!(holds)) {                                                       \
            printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #holds); \
            fflush(stdout);                                                   \
            failures += 1;                                                    \
        }                                                                     \
    } while (0)

static int rank, size, launcher_rank, failures;
static int* order;

static void read_order(const char* path) {
    FILE* file = fopen(path, "r");
    order = calloc((size_t)size, sizeof *order);
    for (int i = 0; i < size; ++i) CHECK(fscanf(file, "%d", &order[i]) == 1);
    fclose(file);
}

// briefly: without MPI_ANY_SOURCE, for which MPICH 5.0.2 may wait for ever where several hosts are, also
// in the launcher's order.
static void ranks_and_messages(int briefly) {
    MPI_Status status;
    MPI_Request requests[2];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int got = -1, all[size], sum = 0, root_says = launcher_rank;

    CHECK(order[rank] == launcher_rank);
    MPI_Sendrecv(&launcher_rank, 1, MPI_INT, right, 3, &got, 1, MPI_INT, left, 3, WORLD, &status);
    CHECK(got == order[left] && status.MPI_SOURCE == left);
    MPI_Isend(&rank, 1, MPI_INT, left, 4, WORLD, &requests[0]);
    MPI_Recv_init(&got, 1, MPI_INT, briefly ? right : MPI_ANY_SOURCE, 4, WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], &status);
    CHECK(got == right && status.MPI_SOURCE == right);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
    MPI_Allgather(&launcher_rank, 1, MPI_INT, all, 1, MPI_INT, WORLD);
    CHECK(memcmp(all, order, sizeof all) == 0);
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    CHECK(sum == rank * (rank + 1) / 2);
    MPI_Ibcast(&root_says, 1, MPI_INT, size - 1, WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(root_says == order[size - 1]);
}

static void topologies(void) {
    MPI_Comm grid, graph;
    int sizes[2] = {0, 0}, periods[2] = {1, 0}, up, down, own = -1, got = -1, place[2];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, weight = 1;

    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(WORLD, 2, sizes, periods, 0, &grid);
    MPI_Comm_rank(grid, &own);
    MPI_Cart_coords(grid, rank, 2, place);
    CHECK(own == rank && place[0] * sizes[1] + place[1] == rank);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Sendrecv(&launcher_rank, 1, MPI_INT, down, 0, &got, 1, MPI_INT, up, 0, grid, MPI_STATUS_IGNORE);
    CHECK(got == order[(rank + size - sizes[1]) % size]);
    MPI_Comm_free(&grid);

    MPI_Dist_graph_create_adjacent(WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&launcher_rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
    CHECK(got == order[left]);
    MPI_Comm_free(&graph);
}

static void windows(void) {
    MPI_Win window;
    MPI_Group members;
    int *memory, own = -1;
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_get_group(window, &members);
    MPI_Group_rank(members, &own);
    CHECK(own == rank);
    MPI_Group_free(&members);
    MPI_Win_fence(0, window);
    MPI_Put(&launcher_rank, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(*memory == order[left]);
    MPI_Win_free(&window);
}

static void files(const char* path) {
    MPI_File file;
    int contents[2 * size];
    CHECK(MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
    MPI_File_write_at_all(file, (MPI_Offset)sizeof(int) * rank, &launcher_rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, (MPI_Offset)sizeof(int) * size, MPI_SEEK_SET);
    MPI_File_write_ordered(file, &launcher_rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(WORLD);
    MPI_File_read_at_all(file, 0, contents, 2 * size, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(memcmp(contents, order, (size_t)size * sizeof *order) == 0);
    CHECK(memcmp(contents + size, order, (size_t)size * sizeof *order) == 0);
    MPI_File_close(&file);
}

static void groups_and_intercommunicators(void) {
    MPI_Group world, some;
    MPI_Comm created, half, between, merged;
    const int others[3] = {size - 1, 0, size / 2};
    int own = -1, far = -1, got = -1, relation, others_in_world[3];
    const int upper = rank >= size / 2;

    MPI_Comm_group(WORLD, &world);
    MPI_Group_rank(world, &own);
    CHECK(own == rank);
    MPI_Group_incl(world, 3, others, &some);
    MPI_Group_translate_ranks(some, 3, (const int[3]){0, 1, 2}, world, others_in_world);
    CHECK(memcmp(others, others_in_world, sizeof others) == 0);
    MPI_Comm_create(WORLD, some, &created);
    CHECK((created != MPI_COMM_NULL) == (rank == others[0] || rank == others[1] || rank == others[2]));
    if (created != MPI_COMM_NULL) {
        int from = launcher_rank;
        MPI_Bcast(&from, 1, MPI_INT, 0, created);
        CHECK(from == order[size - 1]);
        MPI_Comm_free(&created);
        MPI_Comm_create_group(WORLD, some, 5, &created);
        MPI_Comm_rank(created, &own);
        CHECK(others[own] == rank);
        MPI_Comm_free(&created);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);

    MPI_Comm_split(WORLD, upper, rank, &half);
    MPI_Comm_rank(half, &own);
    CHECK(own == rank - upper * (size / 2));
    MPI_Intercomm_create(half, 0, WORLD, upper ? 0 : size / 2, 6, &between);
    MPI_Comm_remote_size(between, &far);
    CHECK(far == (upper ? size / 2 : size - size / 2));
    if (own == 0) {
        MPI_Sendrecv(&launcher_rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, between, MPI_STATUS_IGNORE);
        CHECK(got == order[upper ? 0 : size / 2]);
    }
    MPI_Intercomm_merge(between, upper, &merged);
    MPI_Comm_compare(WORLD, merged, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

static int copied, deleted, handled;

static int copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* flag) {
    (void)comm, (void)key, (void)extra;
    copied += 1;
    *(void**)to = from;
    return *flag = 1, MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    deleted += 1;
    return MPI_SUCCESS;
}

static void attributes_and_names(void) {
    const int keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM};
    char name[MPI_MAX_OBJECT_NAME];
    int key, found, librarys, *value, *theirs, length, relation, value_of_ours = 7;
    MPI_Comm twin;
    MPI_Request request;

    for (int i = 0; i < 4; ++i) {
        MPI_Comm_get_attr(WORLD, keys[i], &value, &found);
        PMPI_Comm_get_attr(WORLD, keys[i], &theirs, &librarys);
        CHECK(found == librarys);
        CHECK(!found || *value == *theirs);
    }
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &value, &found);
    CHECK(found);
    MPI_Comm_create_keyval(copy, forget, &key, NULL);
    MPI_Comm_get_attr(WORLD, key, &value, &found);
    CHECK(!found);
    MPI_Comm_set_attr(WORLD, key, &value_of_ours);
    MPI_Comm_get_attr(WORLD, key, &value, &found);
    CHECK(found && *value == 7);
    MPI_Comm_dup(WORLD, &twin);
    CHECK(copied == 1);
    MPI_Comm_compare(WORLD, twin, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Comm_free(&twin);
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(WORLD, key);
    MPI_Comm_get_attr(WORLD, key, &value, &found);
    CHECK(deleted == 2 && !found);
    MPI_Comm_free_keyval(&key);

    MPI_Comm_idup(WORLD, &twin, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_compare(twin, WORLD, &relation);
    CHECK(relation == MPI_CONGRUENT);
    MPI_Comm_free(&twin);
    MPI_Comm_compare(WORLD, MPI_Comm_f2c(MPI_Comm_c2f(WORLD)), &relation);
    CHECK(relation == MPI_IDENT);
    MPI_Comm_get_name(WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
    MPI_Comm_set_name(WORLD, "everybody");
    MPI_Comm_get_name(WORLD, name, &length);
    CHECK(strcmp(name, "everybody") == 0);
}

static void handle(MPI_Comm* comm, int* code, ...) {
    int relation = MPI_UNEQUAL;
    (void)code;
    MPI_Comm_compare(*comm, WORLD, &relation);
    if (relation == MPI_IDENT) handled += 1;
}

static void error_handlers(void) {
    MPI_Errhandler ours, now;
    MPI_Comm world = WORLD;
    MPI_Comm_create_errhandler(handle, &ours);
    MPI_Comm_set_errhandler(WORLD, ours);
    MPI_Comm_get_errhandler(WORLD, &now);
    CHECK(now == ours);
    MPI_Errhandler_free(&now);
    MPI_Send(&rank, 1, MPI_INT, size, 0, WORLD);
    CHECK(handled == 1);
    MPI_Comm_call_errhandler(WORLD, MPI_ERR_OTHER);
    CHECK(handled == 2);
    MPI_Errhandler_free(&ours);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_free(&world) != MPI_SUCCESS);
    CHECK(MPI_Send(&rank, 1, MPI_INT, size, 0, WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

// One child, which has a world of its own.
static void spawn(char* program) {
    char* arguments[] = {"child", NULL};
    MPI_Comm child;
    int got = -1;
    MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, WORLD, &child, MPI_ERRCODES_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, child);
    MPI_Recv(&got, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
    CHECK(got == size);
    MPI_Comm_disconnect(&child);
}

static int child(void) {
    MPI_Comm parents;
    int parent_count, got;
    MPI_Comm_get_parent(&parents);
    MPI_Comm_remote_size(parents, &parent_count);
    for (int i = 0; i < parent_count; ++i) {
        MPI_Recv(&got, 1, MPI_INT, i, 0, parents, MPI_STATUS_IGNORE);
        if (got != i) parent_count = -1;
    }
    for (int i = 0; i < parent_count; ++i) MPI_Send(&parent_count, 1, MPI_INT, i, 0, parents);
    MPI_Comm_disconnect(&parents);
    return MPI_Finalize();
}

// MPI_Finalize calls it before anything else, so that all of MPI can still be used.
static int at_finalise(MPI_Comm comm, int key, void* value, void* extra) {
    int own = -1, sum = 0, all = 0;
    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Comm_rank(WORLD, &own);
    CHECK(own == rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, WORLD);
    if (rank == 0) printf("%d checks failed\n", all);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Comm here;
    char host[64] = "";
    int sharing, key;
    const char* how = argc == 4 ? argv[3] : "";
    MPI_Init(&argc, &argv);
    if (argc == 2) return child();
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    PMPI_Comm_rank(WORLD, &launcher_rank);
    read_order(argv[1]);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalise, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);

    const int briefly = strcmp(how, "briefly") == 0;
    ranks_and_messages(briefly);
    if (!briefly) {
        topologies();
        if (strcmp(how, "windowless") != 0) windows();
        files(argv[2]);
        groups_and_intercommunicators();
        attributes_and_names();
        error_handlers();
    }
    if (strcmp(how, "spawn") == 0) spawn(argv[0]);

    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &sharing);
    MPI_Comm_free(&here);
    gethostname(host, sizeof host - 1);
    printf("rank %d of %d is the launcher's %d on %s with %d\n", rank, size, launcher_rank, host, sharing);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
