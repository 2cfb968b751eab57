#include "workloads/common/variants.hpp"

#include "workloads/common/cache.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace waywiser {
namespace {

std::string cache_file() {
    const std::string directory = cache_directory();
    return directory.empty() ? "" : directory + "/kernels.txt";
}

}  // namespace

TuningCache::TuningCache() : file_(cache_file()) {}

std::string TuningCache::find(const std::string& key) const {
    std::ifstream file(file_);
    std::string fastest;
    std::string word;
    for (std::string name; file >> word >> name;) {
        if (word == key) fastest = name;
    }
    return fastest;
}

void TuningCache::keep(const std::string& key, std::string_view name) const {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
    std::ofstream(file_, std::ios::app) << key + ' ' + std::string(name) + '\n';
}

std::string tuning_key(std::string_view kernel, std::string_view case_) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return std::string(host.data()) + ':' + std::string(kernel) + ':' + std::string(case_);
}

std::string from_rank_0(std::string text, MPI_Comm communicator) {
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, communicator);
    if (length == 0) return "";
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, communicator);
    return text;
}

}  // namespace waywiser
