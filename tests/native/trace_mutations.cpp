/// Reads damaged profiles and states, every one that a single flipped byte or a cut can make.
///
/// Built with the address and undefined-behaviour sanitizers (preset `asan`): whatever the bytes
/// are, the readers yield what is whole and say what is lost; they neither crash nor read outside.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "trace/profile_file.hpp"
#include "trace/state.hpp"
#include "trace/state_reader.hpp"

namespace {

using namespace waywiser;

trace::Profile sample_profile() {
    trace::Profile profile{
        .world_size = 3, .abi = "mpich", .library = "MPICH", .transport = "ofi", .ranks = {}, .lost = {}};
    for (int number = 0; number < 3; ++number) {
        trace::RankProfile rank;
        rank.rank = number;
        rank.host = "node";
        rank.cpus = "0-3";
        rank.wall_ns = 1'000'000'007;
        rank.threads.push_back(
            {.functions = {{.name = "MPI_Send", .bytes = 800, .posted_bytes = 0, .sizes = {{8, 100, 12345}}}}});
        rank.messages.push_back({.destination = (number + 1) % 3, .bytes = 800, .messages = 100});
        profile.ranks.push_back(rank);
    }
    return profile;
}

std::string sample_state() {
    std::string bytes(state::kHeaderBytes + state::kChunkBytes, '\0');
    state::Header header{};
    std::memcpy(header.magic, state::kMagic, sizeof header.magic);
    header.chunks = 1;
    header.world_size = 1;
    std::memcpy(bytes.data(), &header, sizeof header);
    state::FunctionRecord function{};
    function.header = {.kind = state::Kind::function, .bytes = sizeof function, .thread = 0, .reserved = 0};
    std::memcpy(function.name, "MPI_Send", 9);
    function.bins[4] = {.calls = 5, .ticks = 50};
    std::memcpy(bytes.data() + state::kHeaderBytes, &function, sizeof function);
    state::PartnersRecord partners{};
    partners.header = {.kind = state::Kind::partners, .bytes = sizeof partners, .thread = 0, .reserved = 0};
    partners.used = 1;
    partners.partners[0] = {.world_rank = 0, .bytes = 40, .messages = 5};
    std::memcpy(bytes.data() + state::kHeaderBytes + sizeof function, &partners, sizeof partners);
    return bytes;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Damages each `stride`-th of the first bytes.
/// \return number of readings that refused the file as a whole
template <class Read>
int read_mutations(const std::string& path, const std::string& bytes, std::size_t first_bytes, std::size_t stride,
                   Read read) {
    int refused = 0;
    const auto attempt = [&](const std::string& mutated) {
        write_file(path, mutated);
        try {
            read(path);
        } catch (const Error&) {
            ++refused;
        }
    };
    const std::size_t n = std::min(first_bytes, bytes.size());
    for (std::size_t i = 0; i < n; i += stride) {
        attempt(bytes.substr(0, i));
        for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
            std::string mutated = bytes;
            mutated[i] = static_cast<char>(static_cast<unsigned char>(mutated[i]) ^ flip);
            attempt(mutated);
        }
    }
    return refused;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trace_mutations FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    const std::string profile_path = folder + "/profile.ww";
    trace::write_profile(sample_profile(), profile_path);
    const std::string profile_bytes = read_file(profile_path);
    const trace::Profile whole = trace::read_profile(profile_path);
    if (whole.ranks.size() != 3 || !whole.lost.empty() || whole.ranks[1].messages[0].bytes != 800) {
        std::fputs("trace_mutations: a whole profile was not read back\n", stderr);
        return 1;
    }
    int silent = 0;  // a damage that nobody is told of
    const int refused =
        read_mutations(profile_path, profile_bytes, profile_bytes.size(), 1,
                       [&](const std::string& path) { silent += trace::read_profile(path).lost.empty(); });

    const std::string state_path = folder + "/1.state";
    const std::size_t interesting = state::kHeaderBytes + sizeof(state::FunctionRecord) + sizeof(state::PartnersRecord);
    const int refused_states = read_mutations(state_path, sample_state(), interesting, 11,
                                              [](const std::string& path) { (void)trace::merge_states({path}, true); });
    std::printf("%zu bytes of profile: %d refused, %d silent; states: %d refused\n", profile_bytes.size(), refused,
                silent, refused_states);
    return silent == 0 && refused_states == 0 ? 0 : 1;
}
