/// A made-up trace of a halo exchange on a ring with a reduction in each iteration: times as they follow
/// from each other, with jitter and one slow rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "trace/writing/trace_writer.hpp"

namespace waywiser::synthetic {

using namespace waywiser::trace;

struct Iteration {
    std::uint64_t posts_ns, waits_ns, received_ns, reduced_ns;
};

/// By iteration and rank, when the rank has computed, has sent, has received, and has the sum.
inline std::vector<std::vector<Iteration>> simulated(std::int64_t ranks, std::int64_t iterations) {
    std::mt19937_64 random(42);
    std::uniform_int_distribution<std::uint64_t> jitter(0, 60'000);
    std::vector<std::vector<Iteration>> all;
    std::vector<std::uint64_t> now(static_cast<std::size_t>(ranks), 30'000'000);
    for (std::int64_t i = 0; i < iterations; ++i) {
        std::vector<Iteration> step(now.size());
        for (std::size_t r = 0; r < now.size(); ++r) {
            const std::uint64_t slow = r == now.size() / 3 ? 90'000 : 0;
            step[r].posts_ns = now[r] + 400'000 + jitter(random) + slow + (i % 50 == 0 ? 500'000 : 0);
            step[r].waits_ns = step[r].posts_ns + 8'000;
        }
        std::uint64_t last = 0;
        for (std::size_t r = 0; r < now.size(); ++r) {
            const auto& left = step[(r + now.size() - 1) % now.size()];
            const auto& right = step[(r + 1) % now.size()];
            step[r].received_ns =
                std::max({step[r].waits_ns, left.waits_ns, right.waits_ns}) + 5'000 + jitter(random) / 10;
            last = std::max(last, step[r].received_ns + 20'000);
        }
        for (std::size_t r = 0; r < now.size(); ++r) now[r] = step[r].reduced_ns = last + 12'000 + jitter(random) / 10;
        all.push_back(std::move(step));
    }
    return all;
}

/// Writes it; six calls an iteration and two more. Ends within MPI_Init and MPI_Finalize.
inline void write_trace(const std::string& path, std::int64_t ranks, std::int64_t iterations) {
    TraceWriter writer(path);
    writer.job().world_size = ranks;
    writer.job().library = "made";
    writer.job().hosts = {{.host = "made"}};
    const auto function = [&](const char* name) { return writer.function(name); };
    const std::uint32_t init = function("MPI_Init"), receive = function("MPI_Irecv"), send = function("MPI_Isend"),
                        wait = function("MPI_Waitall"), reduce = function("MPI_Allreduce"),
                        finalise = function("MPI_Finalize");
    const auto site = [&](std::uint64_t address, const char* place) {
        return writer.call_site({.module = "/opt/made", .address = address, .place = place}) + 1;
    };
    const std::uint32_t halo = site(16, "exchange at halo.cpp:42"), sum = site(32, "solve at cg.cpp:108");
    TraceObject world{.context = 1, .size = ranks, .name = "MPI_COMM_WORLD"};
    world.members = {{.first = 0, .stride = 1, .count = ranks}};
    const std::uint32_t object = writer.object(world);
    const auto all = simulated(ranks, iterations);
    for (std::int64_t r = 0; r < ranks; ++r) {
        const auto rank = static_cast<std::size_t>(r);
        writer.job().ranks.push_back({.rank = r, .objects = {object}, .ending = Ending::finalised});
        writer.begin_stream(r, 0);
        const auto call = [&](const Parameters& parameters, std::uint64_t begin, std::uint64_t end) {
            writer.append(writer.signature(parameters),
                          {.begin_ns = begin, .end_ns = end, .times = 1, .polling_ns = end - begin});
        };
        call({.function = init, .action = Action::initialise}, 1000 * rank, 30'000'000);
        const auto n = static_cast<std::int32_t>(ranks);
        const std::array neighbours{static_cast<std::int32_t>((r + n - 1) % n), static_cast<std::int32_t>((r + 1) % n)};
        const std::array<std::int32_t, 4> requests{0, 1, 2, 3};
        const std::array<Completion, 4> done{
            {{0, kNone, kNone}, {1, kNone, kNone}, {2, kNone, kNone}, {3, kNone, kNone}}};
        for (const auto& step : all) {
            const Iteration& at = step[rank];
            for (std::size_t k = 0; k < 2; ++k) {
                const std::uint64_t begin = at.posts_ns + 2000 * k;
                const Parameters posted{.function = receive,
                                        .site = halo,
                                        .action = Action::receive,
                                        .object = 0,
                                        .source = neighbours[k],
                                        .source_tag = static_cast<std::int32_t>(k),
                                        .request = static_cast<std::int32_t>(k),
                                        .posted = 8192};
                call(posted, begin, begin + 1500);
            }
            for (std::size_t k = 0; k < 2; ++k) {
                const std::uint64_t begin = at.posts_ns + 4000 + 2000 * k;
                const Parameters sent{.function = send,
                                      .site = halo,
                                      .action = Action::send,
                                      .object = 0,
                                      .peer = neighbours[k],
                                      .tag = static_cast<std::int32_t>(1 - k),
                                      .request = static_cast<std::int32_t>(2 + k),
                                      .bytes = 8192};
                call(sent, begin, begin + 1500);
            }
            call({.function = wait, .site = halo, .action = Action::complete, .requests = requests, .completed = done},
                 at.waits_ns, at.received_ns);
            call({.function = reduce, .site = sum, .action = Action::collective, .object = 0, .bytes = 8, .posted = 8},
                 at.received_ns + 20'000, at.reduced_ns);
        }
        const std::uint64_t end = all.back()[rank].reduced_ns + 10'000;
        call({.function = finalise, .action = Action::finalise}, end, end + 2'000'000);
    }
    writer.finish();
}

}  // namespace waywiser::synthetic
