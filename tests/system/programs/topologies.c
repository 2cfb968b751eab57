// Makes communicators with a topology in every way, uses them in every way, and checks what comes of it
// against what was declared, whatever order their ranks have.
//
//     topologies HOST,…
//
// HOST: the name of the node that each process is to be on, by its rank in MPI_COMM_WORLD. Prints for each
// communicator whether its ranks have another order, and the declared weight between processes of two nodes.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 64
#define CHECK(holds)                                                           \
    do {                                                                       \
        if (!(holds)) {                                                        \
            printf("rank %d, line %d: not so: %s\n", world, __LINE__, #holds); \
            fflush(stdout);                                                    \
            failures += 1;                                                     \
        }                                                                      \
    } while (0)

static int world, size, failures;
static MPI_Comm everyone;  // MPI_COMM_WORLD with an error handler that returns

static void be_on(char* hosts) {
    char* host = strtok(hosts, ",");
    for (int i = 0; i < world; ++i) host = strtok(NULL, ",");
    CHECK(host != NULL && unshare(CLONE_NEWUTS) == 0 && sethostname(host, strlen(host)) == 0);
}

// Edges that leave this rank.
static void print_cut(const char* name, MPI_Comm created, int edges, const int* to, const int* weights) {
    char host[MOST] = "", hosts[MOST][MOST];
    int cut = 0, sum = 0, rank, kept;
    gethostname(host, sizeof host);
    MPI_Comm_rank(created, &rank);
    kept = rank == world;
    MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_INT, MPI_LAND, created);
    MPI_Allgather(host, MOST, MPI_CHAR, hosts, MOST, MPI_CHAR, created);
    for (int i = 0; i < edges; ++i)
        if (to[i] >= 0 && strcmp(host, hosts[to[i]]) != 0) cut += weights == NULL ? 1 : weights[i];
    MPI_Reduce(&cut, &sum, 1, MPI_INT, MPI_SUM, 0, created);
    if (rank == 0) printf("%s: %s, cut %d\n", name, kept ? "as before" : "anew", sum);
    fflush(stdout);
}

// Checks of every communicator: ranks, groups, messages, inherited attributes, and communicators made from it.
static void use(MPI_Comm created, int topology) {
    int rank, n, got = -1, worlds[MOST], ranks[MOST], in_world[MOST], kind;
    MPI_Errhandler handler;
    MPI_Group group, all;
    MPI_Comm half, twin;
    MPI_Comm_rank(created, &rank);
    MPI_Comm_size(created, &n);
    MPI_Topo_test(created, &kind);
    CHECK(kind == topology);
    MPI_Allgather(&world, 1, MPI_INT, worlds, 1, MPI_INT, created);
    CHECK(worlds[rank] == world);
    for (int i = 0; i < n; ++i) ranks[i] = i;
    MPI_Comm_group(created, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(group, n, ranks, all, in_world);
    CHECK(memcmp(worlds, in_world, (size_t)n * sizeof *worlds) == 0);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % n, 7, &got, 1, MPI_INT, (rank + n - 1) % n, 7, created,
                 MPI_STATUS_IGNORE);
    CHECK(got == (rank + n - 1) % n);
    MPI_Comm_get_errhandler(created, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);

    MPI_Comm_split(created, rank % 2, rank, &half);
    MPI_Comm_rank(half, &got);
    CHECK(got == rank / 2);
    MPI_Comm_free(&half);
    MPI_Comm_dup(created, &twin);
    MPI_Topo_test(twin, &kind);
    CHECK(kind == topology);
    MPI_Comm_compare(created, twin, &got);
    CHECK(got == MPI_CONGRUENT);
    MPI_Comm_free(&twin);
}

static void grid(const char* name, int dimensions, const int* lengths, const int* wraps, int reorder) {
    MPI_Comm created, row;
    int rank, n = 1, place[3], reported[3], wrapped[3], back, got[6], to[6], keep[3] = {1, 0, 0}, own;
    for (int d = 0; d < dimensions; ++d) n *= lengths[d];
    CHECK(MPI_Cart_create(everyone, dimensions, lengths, wraps, reorder, &created) == MPI_SUCCESS);
    int taken = created != MPI_COMM_NULL, sum;
    MPI_Allreduce(&taken, &sum, 1, MPI_INT, MPI_SUM, everyone);
    CHECK(sum == n);
    if (created == MPI_COMM_NULL) return;
    use(created, MPI_CART);
    MPI_Comm_rank(created, &rank);
    MPI_Cart_get(created, dimensions, reported, wrapped, place);
    CHECK(memcmp(reported, lengths, (size_t)dimensions * sizeof *reported) == 0);
    for (int d = 0; d < dimensions; ++d) CHECK(!wrapped[d] == !wraps[d]);
    MPI_Cart_rank(created, place, &back);
    CHECK(back == rank);
    back = 0;
    for (int d = 0; d < dimensions; ++d) back = back * lengths[d] + place[d];
    CHECK(back == rank);
    for (int i = 0; i < 6; ++i) got[i] = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, created);
    for (int d = 0; d < dimensions; ++d) {
        int stride = 1;
        for (int e = d + 1; e < dimensions; ++e) stride *= lengths[e];
        MPI_Cart_shift(created, d, 1, &to[2 * d], &to[2 * d + 1]);
        const int last = place[d] == lengths[d] - 1, beyond = last && !wraps[d];
        CHECK(to[2 * d + 1] == (beyond ? MPI_PROC_NULL : last ? rank - place[d] * stride : rank + stride));
        for (int side = 2 * d; side < 2 * d + 2; ++side)
            CHECK(got[side] == (to[side] == MPI_PROC_NULL ? -1 : to[side]));
    }
    MPI_Cart_sub(created, keep, &row);
    MPI_Comm_rank(row, &own);
    CHECK(own == place[0]);
    MPI_Comm_free(&row);
    print_cut(name, created, 2 * dimensions, to, NULL);
    MPI_Comm_free(&created);
    CHECK(created == MPI_COMM_NULL);
}

// Each rank is joined to the one half way round a ring.
static void graph(const char* name, int reorder) {
    MPI_Comm created;
    int index[MOST], edges[MOST], reported[MOST], listed[MOST], rank, n, m, neighbour, got = -1;
    for (int i = 0; i < size; ++i) {
        index[i] = i + 1;
        edges[i] = (i + size / 2) % size;
    }
    CHECK(MPI_Graph_create(everyone, size, index, edges, reorder, &created) == MPI_SUCCESS);
    use(created, MPI_GRAPH);
    MPI_Comm_rank(created, &rank);
    MPI_Graphdims_get(created, &n, &m);
    CHECK(n == size && m == size);
    MPI_Graph_get(created, n, m, reported, listed);
    CHECK(memcmp(reported, index, (size_t)n * sizeof *index) == 0 &&
          memcmp(listed, edges, (size_t)m * sizeof *edges) == 0);
    MPI_Graph_neighbors(created, rank, 1, &neighbour);
    CHECK(neighbour == edges[rank]);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, created);
    CHECK(got == neighbour);
    print_cut(name, created, 1, &neighbour, NULL);
    MPI_Comm_free(&created);
}

// Two neighbours: a light one further on a ring, and a heavy one half way round it. Every second rank has them in
// another order, and weights tell each rank from all others.
static int declare(int rank, int* to, int* weights) {
    const int turned = rank % 2, heavy = 100 * rank + 1000;
    to[turned] = (rank + size / 2) % size;
    to[1 - turned] = (rank + 1) % size;
    weights[turned] = heavy;
    weights[1 - turned] = 1;
    return 2;
}

static int declared_weight(int from, int to) {
    int targets[2], weights[2];
    declare(from, targets, weights);
    return targets[0] == to ? weights[0] : weights[1];
}

static void sources_of(int rank, int* from, int* weights) {
    from[0] = (rank + size - size / 2) % size;
    from[1] = (rank + size - 1) % size;
    for (int i = 0; i < 2; ++i) weights[i] = declared_weight(from[i], rank);
}

static void check_neighbours(MPI_Comm created, int weighted, int in_order) {
    int rank, in, out, has_weights, from[2], from_weights[2], to[2], to_weights[2];
    int expected[2], expected_weights[2], got[2], source[2], source_weights[2];
    MPI_Comm_rank(created, &rank);
    MPI_Dist_graph_neighbors_count(created, &in, &out, &has_weights);
    CHECK(in == 2 && out == 2 && !has_weights == !weighted);
    MPI_Dist_graph_neighbors(created, 2, from, from_weights, 2, to, to_weights);
    declare(rank, expected, expected_weights);
    sources_of(rank, source, source_weights);
    for (int i = 0; i < 2; ++i) {
        const int at = in_order || to[i] == expected[i] ? i : 1 - i,
                  from_at = in_order || from[i] == source[i] ? i : 1 - i;
        CHECK(to[i] == expected[at] && (!weighted || to_weights[i] == expected_weights[at]));
        CHECK(from[i] == source[from_at] && (!weighted || from_weights[i] == source_weights[from_at]));
    }
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, created);
    CHECK(memcmp(got, from, sizeof got) == 0);
}

static void adjacent(const char* name, int weighted, int reorder) {
    MPI_Comm created;
    int from[2], from_weights[2], to[2], weights[2], rank;
    declare(world, to, weights);
    sources_of(world, from, from_weights);
    CHECK(MPI_Dist_graph_create_adjacent(everyone, 2, from, weighted ? from_weights : MPI_UNWEIGHTED, 2, to,
                                         weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder,
                                         &created) == MPI_SUCCESS);
    use(created, MPI_DIST_GRAPH);
    check_neighbours(created, weighted, 1);
    MPI_Comm_rank(created, &rank);
    declare(rank, to, weights);
    print_cut(name, created, 2, to, weighted ? weights : NULL);
    MPI_Comm_free(&created);
}

// Some have one neighbour, some none: the lists that change hands differ in length.
static void uneven(const char* name, int reorder) {
    MPI_Comm created;
    const int half = size / 2;
    int rank, in, out, weighted, other, weight, got = -1;
    const int sends = world < half, peer = (world + half) % size, heavy = 5 + world % half;
    CHECK(MPI_Dist_graph_create_adjacent(everyone, !sends, &peer, sends ? MPI_WEIGHTS_EMPTY : &heavy, sends, &peer,
                                         sends ? &heavy : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, reorder,
                                         &created) == MPI_SUCCESS);
    use(created, MPI_DIST_GRAPH);
    MPI_Comm_rank(created, &rank);
    MPI_Dist_graph_neighbors_count(created, &in, &out, &weighted);
    CHECK(out == (rank < half) && in == (rank >= half) && weighted);
    MPI_Dist_graph_neighbors(created, in, &other, &weight, out, &other, &weight);
    CHECK(other == (rank + half) % size && weight == 5 + rank % half);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, created);
    CHECK(got == (rank < half ? -1 : rank - half));
    print_cut(name, created, out, &other, &weight);
    MPI_Comm_free(&created);
}

// Each process declares the edges of the next rank.
static void by_others(const char* name, int weighted, int reorder) {
    MPI_Comm created;
    const int of = (world + 1) % size, two = 2;
    int to[2], weights[2], rank;
    declare(of, to, weights);
    CHECK(MPI_Dist_graph_create(everyone, 1, &of, &two, to, weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder,
                                &created) == MPI_SUCCESS);
    use(created, MPI_DIST_GRAPH);
    check_neighbours(created, weighted, 0);
    MPI_Comm_rank(created, &rank);
    declare(rank, to, weights);
    print_cut(name, created, 2, to, weighted ? weights : NULL);
    MPI_Comm_free(&created);
}

// Rank 0 declares all edges. Without their weights, those of the ring would count for more: each of its pairs has two,
// each pair half way round one.
static void by_the_first(const char* name, int reorder) {
    MPI_Comm created;
    int sources[MOST], degrees[MOST], to[3 * MOST], weights[3 * MOST], edges = 0, rank, in, out, weighted;
    const int half = size / 2;
    for (int i = 0; i < size; ++i) {
        const int targets[3] = {(i + 1) % size, (i + size - 1) % size, i + half};
        sources[i] = i;
        degrees[i] = i < half ? 3 : 2;
        for (int j = 0; j < degrees[i]; ++j) {
            to[edges] = targets[j];
            weights[edges++] = j < 2 ? 1 : 100;
        }
    }
    CHECK(MPI_Dist_graph_create(everyone, world == 0 ? size : 0, sources, degrees, to, weights, MPI_INFO_NULL, reorder,
                                &created) == MPI_SUCCESS);
    use(created, MPI_DIST_GRAPH);
    MPI_Comm_rank(created, &rank);
    MPI_Dist_graph_neighbors_count(created, &in, &out, &weighted);
    CHECK(out == degrees[rank] && in == 5 - out && weighted);
    int from[3], from_weights[3], targets[3], target_weights[3], sum = 0;
    MPI_Dist_graph_neighbors(created, in, from, from_weights, out, targets, target_weights);
    for (int i = 0; i < out; ++i) {
        CHECK(target_weights[i] == (targets[i] == rank + half ? 100 : 1));
        sum += targets[i];
    }
    CHECK(sum == (rank + 1) % size + (rank + size - 1) % size + (out == 3 ? rank + half : 0));
    print_cut(name, created, out, targets, target_weights);
    MPI_Comm_free(&created);
}

static void errors(void) {
    MPI_Comm created;
    const int too_long = size + 1, no = 0, nobody = size;
    int class, plain_class;
    const int reported = MPI_Cart_create(everyone, 1, &too_long, &no, 1, &created);
    const int plain = MPI_Cart_create(everyone, 1, &too_long, &no, 0, &created);
    CHECK(reported != MPI_SUCCESS);
    MPI_Error_class(reported, &class);
    MPI_Error_class(plain, &plain_class);
    CHECK(class == plain_class);
    CHECK(MPI_Graph_create(everyone, nobody + 1, &no, &no, 1, &created) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
    int key, found, value = 0, all_failures = 0;
    void* kept;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    be_on(argv[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &everyone);
    MPI_Comm_set_errhandler(everyone, MPI_ERRORS_RETURN);

    // Alone, nobody can change places: nothing is said of it.
    MPI_Comm created;
    CHECK(MPI_Cart_create(MPI_COMM_SELF, 1, &(int){1}, &(int){1}, 1, &created) == MPI_SUCCESS);
    MPI_Comm_free(&created);

    grid("ring", 1, (const int[]){size}, (const int[]){1}, 1);
    grid("plain ring", 1, (const int[]){size}, (const int[]){1}, 0);
    grid("line", 1, (const int[]){size}, (const int[]){0}, 1);
    grid("plane", 2, (const int[]){size / 2, 2}, (const int[]){0, 0}, 1);
    grid("cylinder", 2, (const int[]){2, size / 2}, (const int[]){0, 1}, 1);
    grid("box", 3, (const int[]){size / 2, 2, 1}, (const int[]){1, 0, 0}, 1);
    grid("some", 2, (const int[]){2, 2}, (const int[]){0, 0}, 1);
    graph("graph", 1);
    graph("plain graph", 0);
    adjacent("adjacent", 1, 1);
    adjacent("plain adjacent", 1, 0);
    adjacent("adjacent without weights", 0, 1);
    uneven("uneven", 1);
    by_others("by others", 1, 1);
    by_others("by others without weights", 0, 1);
    by_the_first("by the first", 1);
    by_the_first("plain by the first", 0);
    errors();

    // Attributes of the old communicator are not the new one's (MPI-4.1, section 8.5).
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(everyone, key, &value);
    MPI_Cart_create(everyone, 1, &size, &(int){1}, 1, &created);
    MPI_Comm_get_attr(created, key, &kept, &found);
    CHECK(!found);
    MPI_Comm_free(&created);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&everyone);

    MPI_Reduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world == 0) printf("%d checks failed\n", all_failures);
    MPI_Finalize();
    return 0;
}
