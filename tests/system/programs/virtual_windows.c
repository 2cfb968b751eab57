/* Epochs of windows that virtual clocks follow, one pattern a run: virtual_windows PATTERN [REPEATS [BYTES]]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static int rank, size, repeats = 10, bytes = 8;
static char out[8];
static long in[8];
static MPI_Win window, other;

static MPI_Group group_of(int n, const int* ranks) {
    MPI_Group all, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

/* Rank 0 puts into the windows of all others, who post them for it. */
static void scatter(void) {
    int ranks[64];
    for (int r = 0; r < size; ++r) ranks[r] = r;
    MPI_Group targets = group_of(size - 1, ranks + 1), origin = group_of(1, ranks);
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            MPI_Win_start(targets, 0, window);
            for (int r = 1; r < size; ++r) MPI_Put(out, 8, MPI_BYTE, r, 0, 8, MPI_BYTE, window);
            MPI_Win_complete(window);
        } else {
            int over = 0;
            MPI_Win_post(origin, 0, window);
            if (i % 2 == 0) {
                MPI_Win_wait(window);
            } else {
                while (!over) MPI_Win_test(window, &over);
            }
        }
    }
    MPI_Group_free(&targets);
    MPI_Group_free(&origin);
}

/* The window that was posted last, of two windows of one communicator, is started first. */
static void crossed(void) {
    const int partner = 1 - rank;
    if (rank > 1) return;
    MPI_Group group = group_of(1, &partner);
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            MPI_Win_start(group, 0, other);
            MPI_Put(out, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, other);
            MPI_Win_complete(other);
            MPI_Win_start(group, 0, window);
            MPI_Put(out, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, window);
            MPI_Win_complete(window);
        } else {
            MPI_Win_post(group, 0, window);
            MPI_Sendrecv(out, 0, MPI_BYTE, 0, 0, in, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            MPI_Win_post(group, 0, other);
            MPI_Win_wait(other);
            MPI_Win_wait(window);
        }
    }
    MPI_Group_free(&group);
}

static void lock(int how) {
    for (int i = 0; i < repeats && rank > 0; ++i) {
        MPI_Win_lock(how, 0, 0, window);
        MPI_Put(out, 8, MPI_BYTE, 0, 8 * rank, 8, MPI_BYTE, window);
        MPI_Win_unlock(0, window);
    }
}

static void share(void) { lock(MPI_LOCK_SHARED); }

static void exclude(void) { lock(MPI_LOCK_EXCLUSIVE); }

/* Ranks come to one lock at different times, most to share it, and hold it for one to three puts. */
static void turns(void) {
    static char sent[60000], received[60000];
    for (int i = 0; i < repeats; ++i) {
        const int bytes = 1000 * ((19 * rank + 59 * i) % 60);
        MPI_Sendrecv(sent, bytes, MPI_BYTE, 0, 0, received, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Win_lock((rank + i) % 3 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
        for (int puts = 1 + (rank + i) % 3; puts > 0; --puts) {
            MPI_Put(out, 8, MPI_BYTE, 0, 8 * rank, 8, MPI_BYTE, window);
            MPI_Win_flush(0, window);
        }
        MPI_Win_unlock(0, window);
    }
}

static void compute(double seconds) {
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) {
    }
}

/* Two counters that all ranks add to, each at a pace of its own; some look at one together. Rank 0 comes last by far.
 */
static void counters(void) {
    const long one = 1;
    long seen;
    if (rank == 0) compute(0.05);
    for (int i = 0; i < repeats; ++i) {
        const int target = (i + rank) % 3 == 0;
        compute(1e-3 * (1 + (rank + i) % 3));
        MPI_Win_lock(i % 4 == 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, window);
        MPI_Get(&seen, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, window);
        MPI_Win_flush(target, window);
        compute(2e-4);
        if (i % 4 != 3) MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, window);
        MPI_Win_unlock(target, window);
        if (i % 8 == 7) MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Ranks wait for one lock, and for what others hand on to them when they have had it; rank 0 for that alone, and ends
 * last. */
static void relay(void) {
    static char sent[MOST_BYTES], received[MOST_BYTES];
    for (int i = 0; i < repeats; ++i) {
        MPI_Request request;
        MPI_Irecv(received, bytes, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
        compute(1e-3 * ((rank + i) % 3));
        if (rank > 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            MPI_Put(out, 8, MPI_BYTE, 0, 8 * rank, 8, MPI_BYTE, window);
            MPI_Win_unlock(0, window);
        }
        MPI_Send(sent, bytes, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; rank == 0 && i < 4 * repeats; ++i)
        MPI_Sendrecv(sent, 0, MPI_BYTE, 0, 1, received, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } kPatterns[] = {{"scatter", scatter}, {"crossed", crossed},   {"share", share}, {"exclude", exclude},
                     {"turns", turns},     {"counters", counters}, {"relay", relay}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2) repeats = atoi(argv[2]);
    if (argc > 3) bytes = atoi(argv[3]);
    if (bytes > MOST_BYTES) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    int known = 0;
    for (size_t i = 0; i < sizeof kPatterns / sizeof *kPatterns; ++i) {
        if (argc < 2 || strcmp(argv[1], kPatterns[i].name) != 0) continue;
        kPatterns[i].run();
        known = 1;
    }
    MPI_Win_free(&other);
    MPI_Win_free(&window);
    MPI_Finalize();
    if (rank == 0) printf("%s\n", known ? "done" : "no such pattern");
    return known ? 0 : 2;
}
