/// A small profile and a small state with every kind of record in them.
#pragma once

#include <cstring>
#include <string>

#include "trace/records/profile.hpp"
#include "trace/records/state.hpp"

namespace waywiser::tests {

inline trace::Profile sample_profile() {
    constexpr trace::Load kLoad{
        .calls = 100, .ns = 12345, .max_ns = 400, .sync_ns = 0, .bytes = 800, .receive_bytes = 0};
    trace::Profile profile;
    profile.world_size = 3;
    profile.abi = "mpich";
    profile.library = "MPICH";
    profile.transport = "ofi";
    profile.communicators.push_back(
        {.size = 3, .fingerprint = 77, .intercommunicator = false, .name = "world", .members = {{0, 1, 3}}});
    profile.call_sites.push_back({.module = "/bin/app", .address = 4711, .place = "solve at cg.c:12"});
    for (int number = 0; number < 3; ++number) {
        trace::RankProfile rank;
        rank.rank = number;
        rank.host = "node";
        rank.cpus = "0-3";
        rank.at<"wall_ns">() = 1'000'000'007;
        trace::FunctionProfile send;
        send.name = "MPI_Send";
        send.load = kLoad;
        send.sizes = {{8, 100, 12345}};
        rank.threads.push_back({.ns = 20'000, .functions = {send}});
        rank.messages.push_back({(number + 1) % 3, 800, 100, 40, 5});
        rank.phases.push_back({.phase = -1, .entries = 2, .ns = 900});
        rank.collectives.push_back({.communicator = 0, .function = "MPI_Bcast", .root = -2, .load = kLoad});
        rank.call_sites.push_back({.site = 0, .function = "MPI_Send", .load = kLoad});
        profile.ranks.push_back(rank);
    }
    trace::NodeProfile node;
    node.host = "node";
    node.at<"energy_uj">() = 875'000;
    profile.nodes.push_back(node);
    return profile;
}

/// Lays records out one behind the other, as the profiler does.
class StateBytes {
public:
    StateBytes() {
        state::Header header{};
        std::memcpy(header.magic, state::kMagic, sizeof header.magic);
        header.chunks = 1;
        header.world_size = 1;
        std::memcpy(bytes_.data(), &header, sizeof header);
    }

    template <class Record>
    void add(state::Kind kind, Record record) {
        record.header = {.kind = kind, .bytes = sizeof record, .thread = 0, .reserved = 0};
        std::memcpy(bytes_.data() + used_, &record, sizeof record);
        used_ += sizeof record;
    }

    [[nodiscard]] std::size_t used() const { return used_; }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_ = std::string(state::kHeaderBytes + state::kChunkBytes, '\0');
    std::size_t used_ = state::kHeaderBytes;
};

inline StateBytes sample_state() {
    StateBytes state;
    state::FunctionRecord function{};
    std::memcpy(function.name, "MPI_Send", 9);
    function.bins[4] = {.calls = 5, .ticks = 50};
    state.add(state::Kind::function, function);
    state::PartnersRecord partners{};
    partners.used = 1;
    partners.partners[0] = {
        .world_rank = 0, .bytes = 40, .messages = 5, .collective_bytes = 8, .collective_messages = 1};
    state.add(state::Kind::partners, partners);
    state.add(state::Kind::phase, state::PhaseRecord{.phase = 3, .entries = 1, .ticks = 9});
    state.add(state::Kind::communicator, state::CommunicatorRecord{.id = 1, .fingerprint = 7, .size = 4});
    state::MembersRecord members{};
    members.communicator = 1;
    members.used = 1;
    members.strides[0] = {.first = 0, .stride = 2, .count = 4};
    state.add(state::Kind::members, members);
    state.add(state::Kind::collective,
              state::CollectiveRecord{.communicator = 1, .function = 2, .name = "MPI_Bcast", .root = 1, .calls = 3});
    state.add(state::Kind::module, state::ModuleRecord{.id = 1, .base = 4096, .path = "/bin/app"});
    state.add(state::Kind::call_site,
              state::CallSiteRecord{.module = 1, .address = 17, .function = 2, .name = "MPI_Bcast", .calls = 3});
    return state;
}

}  // namespace waywiser::tests
