/* Makes and completes requests in every way, and prints what the statuses say that it sees.

   traced_requests complete    rank 0 receives from 1 and 2 by wildcards, and completes by each call
   traced_requests loop N      N iterations of Irecv, Isend and Waitall
   traced_requests many N      N requests, at most 100 at once, and the most memory that it had [kB]
   traced_requests errors      receives by wildcards that are too short, and the error classes
   traced_requests ignored     as complete, but without any status, and with the order fixed */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static MPI_Request receive(int source, int tag) {
    static int room[64], next;
    MPI_Request request;
    MPI_Irecv(&room[next++ % 64], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
    return request;
}

static void say(const char* call, int index, const MPI_Status* status) {
    printf("%s %d %d %d\n", call, index, status->MPI_SOURCE, status->MPI_TAG);
}

/* Messages with tags 0 ... of one rank to rank 0, after all receives are there. */
static void send_all(int first, int n) {
    for (int i = 0; i < n; ++i) MPI_Send(&i, 1, MPI_INT, 0, first + i, MPI_COMM_WORLD);
}

static void complete_by_each_call(void) {
    enum { MESSAGES = 12 };
    if (rank != 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        send_all(100 * rank, MESSAGES);
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int index, flag, count, indices[4];
    MPI_Request pending = receive(1, 111); /* 0 */
    for (int i = 0; i < 4; ++i) requests[i] = receive(i % 2 == 0 ? MPI_ANY_SOURCE : 1, MPI_ANY_TAG);
    MPI_Test(&requests[3], &flag, MPI_STATUS_IGNORE); /* nothing is sent yet */
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Wait(&requests[1], &statuses[0]);
    say("MPI_Wait", 0, &statuses[0]);
    requests[1] = MPI_REQUEST_NULL;
    do MPI_Testany(4, requests, &index, &flag, &statuses[0]);
    while (!flag);
    say("MPI_Testany", index, &statuses[0]);
    MPI_Waitany(4, requests, &index, &statuses[0]);
    say("MPI_Waitany", index, &statuses[0]);
    MPI_Waitsome(4, requests, &count, indices, statuses);
    for (int i = 0; i < count; ++i) say("MPI_Waitsome", indices[i], &statuses[i]);
    for (int i = 0; i < 4; ++i) requests[i] = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; ++i) say("MPI_Waitall", i, &statuses[i]);
    for (int i = 0; i < 2; ++i) requests[i] = receive(2, MPI_ANY_TAG);
    do MPI_Testall(2, requests, &flag, statuses);
    while (!flag);
    for (int i = 0; i < 2; ++i) say("MPI_Testall", i, &statuses[i]);
    for (int i = 0; i < 2; ++i) requests[i] = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    do MPI_Testsome(2, requests, &count, indices, statuses);
    while (count == 0);
    for (int i = 0; i < count; ++i) say("MPI_Testsome", indices[i], &statuses[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    int room;
    MPI_Recv(&room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[0]);
    say("MPI_Recv", -1, &statuses[0]);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[0]);
    say("MPI_Probe", -1, &statuses[0]);
    MPI_Sendrecv(&room, 1, MPI_INT, MPI_PROC_NULL, 0, &room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &statuses[0]);
    say("MPI_Sendrecv", -1, &statuses[0]);
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &statuses[0]);
    say("MPI_Mprobe", -1, &statuses[0]);
    MPI_Mrecv(&room, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    do MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &statuses[0]);
    while (!flag);
    say("MPI_Improbe", -1, &statuses[0]);
    MPI_Imrecv(&room, 1, MPI_INT, &message, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    do MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &statuses[0]);
    while (!flag);
    say("MPI_Iprobe", -1, &statuses[0]);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * MESSAGES - 17; ++i)
        MPI_Recv(&room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 lets one rank after another send, so that the outcome is known. */
static void ignore_each_status(void) {
    if (rank != 0) {
        int token;
        for (int i = 0; i < 4; ++i) {
            MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Ssend(&token, 1, MPI_INT, 0, 10 * rank + i, MPI_COMM_WORLD);
        }
        return;
    }
    int room, token = 0, index, flag = 0;
    MPI_Request requests[2];
    for (int i = 0; i < 4; ++i) {
        for (int source = 1; source < ranks; ++source) {
            if (i != 1) requests[0] = i == 0 || i == 2 ? receive(MPI_ANY_SOURCE, MPI_ANY_TAG) : MPI_REQUEST_NULL;
            MPI_Send(&token, 1, MPI_INT, source, 7, MPI_COMM_WORLD);
            if (i == 0) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            if (i == 1) MPI_Recv(&room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (i == 2) MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
            if (i == 3) {
                do MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                while (!flag);
                requests[0] = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
                requests[1] = MPI_REQUEST_NULL;
                MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
            }
        }
    }
}

static void loop(int n) {
    int in, out = 0, left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int i = 0; i < n; ++i) {
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void many(int n) {
    enum { AT_ONCE = 100 };
    MPI_Request requests[AT_ONCE];
    int room[AT_ONCE];
    for (int i = 0; i < n / AT_ONCE; ++i) {
        for (int k = 0; k < AT_ONCE; k += 2) {
            MPI_Irecv(&room[k], 1, MPI_INT, rank, k, MPI_COMM_WORLD, &requests[k]);
            MPI_Isend(&room[k + 1], 1, MPI_INT, rank, k, MPI_COMM_WORLD, &requests[k + 1]);
        }
        MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE);
    }
}

static void say_memory(void) {
    char line[256];
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) printf("%ld\n", atol(line + 6));
    }
    fclose(status);
}

static void say_error(const char* call, int error, const MPI_Status* status) {
    int class = -1;
    MPI_Error_class(error, &class);
    printf("%s %d", call,
           class == MPI_SUCCESS         ? 0
           : class == MPI_ERR_TRUNCATE  ? 1
           : class == MPI_ERR_IN_STATUS ? 2
                                        : 3);
    for (int i = 0; status != NULL && i < 2; ++i) printf(" %d %d", status[i].MPI_SOURCE, status[i].MPI_TAG);
    printf("\n");
}

/* Messages of two ints to itself; the first receive of each call has room for one. */
static void errors(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int call = 0; call < 8; ++call) {
        int room[4], out[2] = {0, 0}, index, count, indices[2];
        MPI_Request requests[2], sends[2];
        MPI_Status statuses[2];
        memset(statuses, 0, sizeof statuses);
        for (int i = 0; i < 2 && call != 5; ++i)
            MPI_Irecv(room + 2 * i, i + 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF, &requests[i]);
        for (int i = 0; i < (call == 5 ? 1 : 2); ++i) MPI_Isend(out, 2, MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]);
        if (call == 0) say_error("MPI_Waitall", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), NULL);
        if (call == 1) say_error("MPI_Waitall", MPI_Waitall(2, requests, statuses), statuses);
        if (call == 2) {
            say_error("MPI_Wait", MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL);
            say_error("MPI_Wait", MPI_Wait(&requests[1], MPI_STATUS_IGNORE), NULL);
        }
        if (call == 3) {
            say_error("MPI_Waitany", MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE), NULL);
            say_error("MPI_Wait", MPI_Wait(&requests[1], &statuses[0]), statuses);
        }
        if (call == 4) {
            say_error("MPI_Waitsome", MPI_Waitsome(1, requests, &count, indices, MPI_STATUSES_IGNORE), NULL);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
        int flag = 0, error = MPI_SUCCESS;
        while (call == 6 && !flag && error == MPI_SUCCESS) error = MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        while (call == 7 && error == MPI_SUCCESS &&
               (requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL))
            error = MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
        if (call > 5) say_error("polls", error, NULL);
        if (call == 5)
            say_error("MPI_Recv", MPI_Recv(room, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE),
                      NULL);
        MPI_Waitall(call == 5 ? 1 : 2, sends, MPI_STATUSES_IGNORE);
        printf("%d\n", call != 5 && (requests[0] != MPI_REQUEST_NULL || requests[1] != MPI_REQUEST_NULL));
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(argv[1], "complete") == 0) complete_by_each_call();
    if (strcmp(argv[1], "ignored") == 0) ignore_each_status();
    if (strcmp(argv[1], "loop") == 0) loop(atoi(argv[2]));
    if (strcmp(argv[1], "many") == 0) many(atoi(argv[2]));
    if (strcmp(argv[1], "many") == 0) say_memory();
    if (strcmp(argv[1], "errors") == 0) errors();
    MPI_Finalize();
    return 0;
}
