#include "workloads/rupture/checkpoint.hpp"

#include "base/hash.hpp"
#include "workloads/common/text.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

namespace waywiser::rupture {
namespace {

/// Magic bytes of the file. They are followed by the size of the identity (int64), the identity, the size of each
/// rank's block (int64), and the blocks.
constexpr std::array<char, 8> magic{'W', 'W', 'R', 'U', 'P', 'T', '0', '1'};

std::string lines(const Identity& identity) {
    std::string all;
    for (const auto& [name, value] : identity) all.append(name).append("=").append(value).append("\n");
    return all;
}

std::int64_t blocks_begin(std::size_t identity_bytes, int ranks) {
    return static_cast<std::int64_t>(magic.size() + identity_bytes) + 8 * (1 + static_cast<std::int64_t>(ranks));
}

std::string header(const Identity& identity, const std::vector<std::int64_t>& sizes) {
    const std::string text = lines(identity);
    const auto length = static_cast<std::int64_t>(text.size());
    std::string all(magic.begin(), magic.end());
    all.append(reinterpret_cast<const char*>(&length), sizeof length);
    all.append(text);
    all.append(reinterpret_cast<const char*>(sizes.data()), 8 * sizes.size());
    return all;
}

void write_bytes(MPI_File file, std::int64_t at, std::span<const char> bytes, const std::string& path) {
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), most);
        const int written =
            MPI_File_write_at(file, at, bytes.data(), static_cast<int>(count), MPI_BYTE, MPI_STATUS_IGNORE);
        if (written != MPI_SUCCESS) throw Error("cannot write to '" + path + "'");
        bytes = bytes.subspan(count);
        at += static_cast<std::int64_t>(count);
    }
}

std::string is_of_another_run(const std::string& path, const std::string& property, const std::string& there,
                              const std::string& here) {
    return "'" + path + "' is of a run with " + property + " " + there + ", and this one has " + here;
}

/// Reads the header. \throws InvalidInput  if the file belongs to another run
/// \return bytes of each rank's block
std::vector<std::int64_t> read_header(const std::string& path, const Identity& identity, int ranks) {
    std::ifstream file(path, std::ios::binary);
    require(file.is_open(), "cannot read '" + path + "': give a file that --checkpoint wrote");
    std::array<char, 8> first{};
    std::int64_t length = 0;
    file.read(first.data(), 8);
    file.read(reinterpret_cast<char*>(&length), 8);
    require(bool(file) && first == magic && length > 0 && length < 1'000'000,
            "'" + path + "' is not a checkpoint: give a file that --checkpoint wrote");
    std::string text(static_cast<std::size_t>(length), ' ');
    file.read(text.data(), length);
    std::istringstream words(text);
    for (const auto& [name, value] : identity) {
        std::string line;
        std::getline(words, line);
        const std::string there = line.substr(std::min(line.size(), name.size() + 1));
        require(there == value, is_of_another_run(path, name, there, value));
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks));
    file.read(reinterpret_cast<char*>(sizes.data()), std::streamsize{8} * ranks);
    const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), blocks_begin(text.size(), ranks));
    require(bool(file) && file.seekg(0, std::ios::end).tellg() == all,
            "'" + path + "' is not as long as it says: give another checkpoint");
    return sizes;
}

void add_to(std::uint64_t& hash, const void* data, std::size_t bytes) {
    const auto* octets = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash = fnv1a(hash, octets[i]);
}

}  // namespace

std::string fingerprint(const MeshPart& mesh, const Ranks& ranks) {
    std::uint64_t hash = kFnvStart;
    add_to(hash, &ranks.rank, sizeof ranks.rank);
    add_to(hash, mesh.vertices.data(), mesh.vertices.size() * sizeof mesh.vertices[0]);
    add_to(hash, mesh.ids.data(), mesh.ids.size() * sizeof mesh.ids[0]);
    add_to(hash, mesh.groups.data(), mesh.groups.size() * sizeof mesh.groups[0]);
    add_to(hash, mesh.faces.data(), mesh.faces.size() * sizeof mesh.faces[0]);
    MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, ranks.communicator);
    return text("%016llx", static_cast<unsigned long long>(hash));
}

void write_checkpoint(const std::string& path, const Identity& identity, const Saved& own, const Ranks& ranks) {
    const auto size = static_cast<std::int64_t>(own.bytes().size());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks.count));
    MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, ranks.communicator);
    const std::string head = header(identity, sizes);
    const std::string fresh = path + ".new";
    MPI_File file = MPI_FILE_NULL;
    const int opened =
        MPI_File_open(ranks.communicator, fresh.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (opened != MPI_SUCCESS) throw Error("cannot write '" + fresh + "'");
    MPI_File_set_size(file, 0);
    if (ranks.rank == 0) write_bytes(file, 0, head, fresh);
    const auto begin =
        std::accumulate(sizes.begin(), sizes.begin() + ranks.rank, static_cast<std::int64_t>(head.size()));
    write_bytes(file, begin, own.bytes(), fresh);
    MPI_File_sync(file);
    MPI_File_close(&file);
    if (ranks.rank == 0 && std::rename(fresh.c_str(), path.c_str()) != 0) throw Error("cannot write '" + path + "'");
}

std::vector<char> read_checkpoint(const std::string& path, const Identity& identity, const Ranks& ranks) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks.count));
    on_rank_0(ranks, [&] { sizes = read_header(path, identity, ranks.count); });
    MPI_Bcast(sizes.data(), ranks.count, MPI_INT64_T, 0, ranks.communicator);
    std::ifstream file(path, std::ios::binary);
    file.seekg(
        std::accumulate(sizes.begin(), sizes.begin() + ranks.rank, blocks_begin(lines(identity).size(), ranks.count)));
    std::vector<char> bytes(static_cast<std::size_t>(sizes[static_cast<std::size_t>(ranks.rank)]));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw Error("cannot read '" + path + "'");
    return bytes;
}

}  // namespace waywiser::rupture
