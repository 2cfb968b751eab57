/// Reads damaged profiles and states, every one that a single flipped byte or a cut can make.
///
/// Built with the address and undefined-behaviour sanitizers: whatever the bytes
/// are, the readers yield what is whole and say what is lost; they neither crash nor read outside.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "tests/native/trace_samples.hpp"
#include "trace/encoding/profile_file.hpp"
#include "trace/merging/state_merge.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::tests;

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
        std::fputs("usage: trace_mutations DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    const std::string profile_path = directory + "/profile.ww";
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

    const std::string state_path = directory + "/1.state";
    const StateBytes sample = sample_state();
    const int refused_states = read_mutations(state_path, sample.bytes(), sample.used(), 11,
                                              [](const std::string& path) { (void)trace::merge_states({path}, true); });
    std::printf("%zu bytes of profile: %d refused, %d silent; states: %d refused\n", profile_bytes.size(), refused,
                silent, refused_states);
    return silent == 0 && refused_states == 0 ? 0 : 1;
}
