/// Writes the states of a job that never ran, as its nodes would have saved them.
///
///     synthetic_states DIRECTORY NODES RANKS_PER_NODE
///
/// Each rank called 40 functions with messages of 12 sizes, sent to 64 neighbours, and took part in
/// 16 collectives on 4 communicators. Made from the profiler's own structures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "trace/records/state.hpp"

namespace {

using namespace waywiser::state;

constexpr int kFunctions = 40;
constexpr int kSizes = 12;
constexpr int kNeighbours = 64;
constexpr int kCommunicators = 4;
constexpr int kCollectives = 16;

class State {
public:
    explicit State(const Header& header) : bytes_(kHeaderBytes, '\0'), header_(header) {}

    template <class Record>
    void add(Kind kind, Record record) {
        constexpr std::size_t kRoom = (sizeof(Record) + 63) / 64 * 64;
        if (used_ + kRoom > kChunkBytes) {
            ++header_.chunks;
            bytes_.resize(kHeaderBytes + header_.chunks * kChunkBytes);
            used_ = 0;
        }
        record.header = {.kind = kind, .bytes = kRoom, .thread = 0, .reserved = 0};
        std::memcpy(bytes_.data() + bytes_.size() - kChunkBytes + used_, &record, sizeof record);
        used_ += kRoom;
    }

    const std::string& finish() {
        std::memcpy(bytes_.data(), &header_, sizeof header_);
        return bytes_;
    }

private:
    std::string bytes_;
    Header header_;
    std::size_t used_ = kChunkBytes;
};

Header header_of(int node, int rank, int size) {
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.header_bytes = kHeaderBytes;
    header.chunk_bytes = kChunkBytes;
    header.pid = static_cast<std::uint32_t>(1000 + rank);
    header.phase = Phase::finalised;
    header.world_rank = rank;
    header.world_size = size;
    header.abi = Abi::openmpi;
    header.begin = {.ticks = 1'000, .monotonic_ns = 500};
    header.end = {.ticks = 3'000'001'000, .monotonic_ns = 1'000'000'500};
    header.init_begin_ticks = 2'000;
    header.finalize_end_ticks = 3'000'000'000;
    header.fields = waywiser::trace::kRankFields.size();
    header.metrics_end.at<"peak_memory_bytes">() = 100'000'000;
    std::snprintf(header.host, sizeof header.host, "n%04d", node);
    std::snprintf(header.cpus, sizeof header.cpus, "0-63");
    std::snprintf(header.library, sizeof header.library, "Open MPI v5.0.11, package: synthetic");
    return header;
}

void add_functions(State& state, int rank) {
    for (int i = 0; i < kFunctions; ++i) {
        FunctionRecord function{};
        function.id = static_cast<std::uint64_t>(i) + 1;
        std::snprintf(function.name, sizeof function.name, "MPI_Synthetic_function_%d", i);
        function.bytes = 1'000'000;
        for (int bin = 0; bin < kSizes; ++bin) {
            function.bins[2 * bin] = {.calls = 100, .ticks = static_cast<std::uint64_t>(20'000 + 17 * rank + i)};
        }
        state.add(Kind::function, function);
    }
}

void add_neighbours(State& state, int rank, int size) {
    PartnersRecord record{};
    for (int i = 1; i <= kNeighbours; ++i) {
        if (record.used == std::size(record.partners)) {
            state.add(Kind::partners, record);
            record = {};
        }
        Partner& partner = record.partners[record.used++];
        partner = {};
        partner.world_rank = (rank + i * i) % size;
        partner.bytes = 4096;
        partner.messages = 100;
    }
    state.add(Kind::partners, record);
}

void add_collectives(State& state, int size) {
    for (int i = 0; i < kCommunicators; ++i) {
        CommunicatorRecord communicator{};
        communicator.id = static_cast<std::uint64_t>(i) + 1;
        communicator.fingerprint = 7919U * communicator.id;
        communicator.size = size;
        state.add(Kind::communicator, communicator);
    }
    for (int i = 0; i < kCollectives; ++i) {
        CollectiveRecord collective{};
        collective.communicator = static_cast<std::uint64_t>(i % kCommunicators) + 1;
        collective.function = static_cast<std::uint64_t>(i) + 1;
        std::snprintf(collective.name, sizeof collective.name, "MPI_Synthetic_function_%d", i);
        collective.root = -1;
        collective.calls = 100;
        collective.ticks = 20'000;
        state.add(Kind::collective, collective);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int nodes = argc == 4 ? std::atoi(argv[2]) : 0;
    const int ranks = argc == 4 ? std::atoi(argv[3]) : 0;
    if (nodes < 1 || ranks < 1) {
        std::fputs("usage: synthetic_states DIRECTORY NODES RANKS_PER_NODE\n", stderr);
        return 2;
    }
    for (int node = 0; node < nodes; ++node) {
        char name[64];
        std::snprintf(name, sizeof name, "/n%04d-%08x.states", node, static_cast<unsigned>(node));
        std::ofstream file(argv[1] + std::string(name), std::ios::binary);
        for (int rank = node * ranks; rank < (node + 1) * ranks; ++rank) {
            State state(header_of(node, rank, nodes * ranks));
            ThreadRecord thread{};
            thread.last_ticks = 2'990'000'000;
            state.add(Kind::thread, thread);
            add_functions(state, rank);
            add_neighbours(state, rank, nodes * ranks);
            add_collectives(state, nodes * ranks);
            file << state.finish();
        }
        if (!file.flush()) {
            std::fprintf(stderr, "%s%s: could not be written\n", argv[1], name);
            return 1;
        }
    }
}
