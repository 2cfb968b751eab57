// Measurements to which LogGP's parameters are fitted: the busy times of a sender's and a receiver's processor, and the
// interval between messages.
//
// Intervals are the additional time of a long burst of messages with an answer to the last message, compared with a
// short burst. Overheads are the time in the calls of a sender or a receiver that computes and tests while the message
// is in flight; the median over messages counts.
//
// Both follow T. Hoefler, A. Lichei and W. Rehm, "Low-Overhead LogGP Parameter Assessment for Modern Interconnection
// Networks", IPDPS 2007. There, the short burst is a single message, and overheads are a sum with one wait at the end.
// But the first message of a burst overlaps with the following messages, a sum includes all disturbances, and a wait
// includes the transfer.
//
// Measurements with late receivers show whether a sender waits for its receiver: T. Kielmann, H. E. Bal and K.
// Verstoep, "Fast Measurement of LogP Parameters for Message Passing Platforms", IPDPS workshops 2000.
#include "workloads/mpibench/loggp.hpp"

#include "workloads/mpibench/distribution.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <thread>

namespace waywiser::mpibench {
namespace {

constexpr int repeats_of_setting = 9;

/// Time of a thread, by two clocks: time stamps, and its processor's time, which excludes other threads on its core but
/// takes longer to read.
struct Time {
    std::int64_t ticks = 0, cpu_ns = 0;

    Time& operator+=(const Time& other) {
        ticks += other.ticks;
        cpu_ns += other.cpu_ns;
        return *this;
    }
    Time operator-(const Time& other) const { return {ticks - other.ticks, cpu_ns - other.cpu_ns}; }
};

/// One pair's exchanges; both ranks call each function, which returns ticks on the rank that measures and 0 on the
/// other.
class Exchanges {
public:
    Exchanges(Call& call, const TickClock& clock) : call_(call), clock_(clock), type_(call.datatype.type) {}

    /// Time of a number of messages and one answer.
    std::int64_t burst(int messages) {
        call_.requests.resize(static_cast<std::size_t>(messages));
        if (!call_.first) {
            answer_to(messages);
            return 0;
        }
        receive_token();
        const std::int64_t start = clock_.now();
        for (MPI_Request& request : call_.requests) isend(request);
        MPI_Waitall(messages, call_.requests.data(), MPI_STATUSES_IGNORE);
        receive();
        return clock_.now() - start;
    }

    /// The mean time of an unsuccessful test.
    Time idle_test() {
        constexpr int tests = 16;
        call_.requests.resize(1);
        if (!call_.first) {
            receive_token();
            send();
            return {};
        }
        irecv(call_.requests[0]);
        Time all;
        for (int i = 0; i < tests; ++i) all += timed([&] { test(); });
        send_token();
        MPI_Wait(call_.requests.data(), MPI_STATUS_IGNORE);
        return {all.ticks / tests, all.cpu_ns / tests};
    }

    /// The sender's time in calls for a message while the sender computes.
    Time sent_beside(std::int64_t slice, const Time& idle) {
        call_.requests.resize(1);
        if (!call_.first) {
            answer_to(1);
            return {};
        }
        receive_token();
        Time busy = timed([&] { isend(call_.requests[0]); });
        busy += tested_beside(slice, idle);
        receive();
        return busy;
    }

    /// The receiver's time in calls for a message while the receiver computes.
    Time received_beside(std::int64_t slice, const Time& idle) {
        call_.requests.resize(1);
        if (!call_.first) {
            receive_token();
            send();
            return {};
        }
        Time busy = timed([&] { irecv(call_.requests[0]); });
        send_token();
        busy += tested_beside(slice, idle);
        return busy;
    }

    /// The time of a blocking send whose receiver is late by `delay`.
    std::int64_t send_to_late(std::int64_t delay) {
        if (!call_.first) {
            send_token();
            // The receiver sleeps, so that the sender can start even if both ranks share a core.
            std::this_thread::sleep_for(
                std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(delay) * clock_.ns_per_tick())));
            receive();
            return 0;
        }
        receive_token();
        const std::int64_t start = clock_.now();
        send();
        return clock_.now() - start;
    }

private:
    void answer_to(int messages) {
        for (MPI_Request& request : call_.requests) irecv(request);
        send_token();
        MPI_Waitall(messages, call_.requests.data(), MPI_STATUSES_IGNORE);
        send();
    }

    /// Computes in slices with a test after each, until the request is done. In a library that progresses messages only
    /// inside its calls, one wait would include the whole transfer. Returns the time in the tests beyond the time of
    /// idle tests.
    Time tested_beside(std::int64_t slice, const Time& idle) {
        Time busy;
        for (bool done = false; !done;) {
            compute(slice);
            const Time taken = timed([&] { done = test(); });
            busy += done ? taken : taken - idle;
        }
        return busy;
    }

    template <typename Calls>
    Time timed(Calls calls) const {
        const std::int64_t cpu_ns = thread_cpu_ns(), start = clock_.now();
        calls();
        const std::int64_t end = clock_.now();
        return {end - start, thread_cpu_ns() - cpu_ns};
    }

    static std::int64_t thread_cpu_ns() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return now.tv_sec * 1'000'000'000 + now.tv_nsec;
    }

    bool test() {
        int done = 0;
        MPI_Test(call_.requests.data(), &done, MPI_STATUS_IGNORE);
        return done != 0;
    }

    void compute(std::int64_t ticks) const {
        const std::int64_t start = clock_.now();
        while (clock_.now() - start < ticks) continue;
    }

    void isend(MPI_Request& request) {
        MPI_Isend(call_.send, call_.count, type_, call_.partner, 0, call_.ranks, &request);
    }
    void irecv(MPI_Request& request) {
        MPI_Irecv(call_.receive, call_.count, type_, call_.partner, 0, call_.ranks, &request);
    }
    void send() { MPI_Send(call_.send, call_.count, type_, call_.partner, 0, call_.ranks); }
    void receive() { MPI_Recv(call_.receive, call_.count, type_, call_.partner, 0, call_.ranks, MPI_STATUS_IGNORE); }
    // The sender of the token must be ready before the receiver begins.
    void send_token() { MPI_Send(nullptr, 0, MPI_BYTE, call_.partner, token, call_.ranks); }
    void receive_token() { MPI_Recv(nullptr, 0, MPI_BYTE, call_.partner, token, call_.ranks, MPI_STATUS_IGNORE); }

    static constexpr int token = 1;
    Call& call_;
    const TickClock& clock_;
    MPI_Datatype type_;
};

/// The round trip, of which delays are multiples; equal on both ranks of the pair.
std::int64_t round_trip(Exchanges& exchanges, const Call& call) {
    std::array<std::int64_t, repeats_of_setting> trips{};
    for (std::int64_t& trip : trips) trip = exchanges.burst(1);
    std::ranges::nth_element(trips, trips.begin() + repeats_of_setting / 2);
    std::int64_t median = trips[repeats_of_setting / 2];
    std::int64_t partner_median = 0;
    MPI_Sendrecv(&median, 1, MPI_INT64_T, call.partner, 0, &partner_median, 1, MPI_INT64_T, call.partner, 0, call.ranks,
                 MPI_STATUS_IGNORE);
    return std::max(median, partner_median);
}

/// The median time by both clocks.
class MedianTime {
public:
    void push_back(const Time& time) {
        ticks_.push_back(static_cast<double>(time.ticks));
        cpu_ns_.push_back(static_cast<double>(time.cpu_ns));
    }

    [[nodiscard]] Time median() {
        return {static_cast<std::int64_t>(describe(ticks_).median),
                static_cast<std::int64_t>(describe(cpu_ns_).median)};
    }

    /// Busy time by the clock with the smaller value [ns]. Other threads increase the first clock's value, and the cost
    /// of reading increases the second clock's value.
    [[nodiscard]] double busy_ns(const TickClock& clock) {
        return std::min(describe(ticks_).median * clock.ns_per_tick() - 2 * clock.cost_ns(), describe(cpu_ns_).median);
    }

private:
    std::vector<double> ticks_, cpu_ns_;
};

/// Costs of one size in ns; costs that this rank does not measure are 0.
struct Costs {
    double sender_busy = 0, receiver_busy = 0, interval = 0, late_send = 0, late_by = 0;
};

double median_ns(std::vector<double>& ticks, const TickClock& clock) {
    return describe(ticks).median * clock.ns_per_tick();
}

Costs measure_costs(Call& call, std::int64_t iterations, const TickClock& clock) {
    constexpr double least_late_ns = 200'000;
    constexpr std::size_t late_sends = 11;
    Exchanges exchanges(call, clock);
    const std::int64_t trip = round_trip(exchanges, call);
    MedianTime idle_tests;
    for (int i = 0; i < repeats_of_setting; ++i) idle_tests.push_back(exchanges.idle_test());
    const Time idle = idle_tests.median();
    const std::int64_t slice = trip / 16;
    const std::int64_t late = 4 * trip + static_cast<std::int64_t>(least_late_ns / clock.ns_per_tick());
    // A burst consists of the messages of many iterations.
    const auto repeats = std::max(late_sends, static_cast<std::size_t>(iterations) / 20);
    const int many = call.bytes > 65536 ? 8 : 64;
    const int few = many / 4;
    std::vector<double> long_burst, short_burst, late_send;
    MedianTime sent, received;
    // Measurements alternate, so that a slow period affects all of them alike.
    for (std::size_t i = 0; i < repeats; ++i) {
        long_burst.push_back(static_cast<double>(exchanges.burst(many)));
        short_burst.push_back(static_cast<double>(exchanges.burst(few)));
        sent.push_back(exchanges.sent_beside(slice, idle));
        received.push_back(exchanges.received_beside(slice, idle));
        if (i < late_sends) late_send.push_back(static_cast<double>(exchanges.send_to_late(late)));
    }
    if (!call.first) return {};
    return {.sender_busy = sent.busy_ns(clock),
            .receiver_busy = received.busy_ns(clock),
            .interval = (median_ns(long_burst, clock) - median_ns(short_burst, clock)) / (many - few),
            .late_send = median_ns(late_send, clock) - clock.cost_ns(),
            .late_by = static_cast<double>(late) * clock.ns_per_tick()};
}

}  // namespace

std::vector<Metric> loggp_costs(Call& call, std::int64_t iterations, const TickClock& clock) {
    const Costs own = call.partner == MPI_PROC_NULL ? Costs{} : measure_costs(call, iterations, clock);
    std::vector<Metric> metrics{{"sender_busy_ns", own.sender_busy},
                                {"receiver_busy_ns", own.receiver_busy},
                                {"interval_ns", own.interval},
                                {"late_send_ns", own.late_send},
                                {"late_by_ns", own.late_by}};
    for (Metric& metric : metrics) MPI_Allreduce(MPI_IN_PLACE, &metric.value, 1, MPI_DOUBLE, MPI_MAX, call.ranks);
    return metrics;
}

}  // namespace waywiser::mpibench
