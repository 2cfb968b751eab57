#include "workloads/mpibench/library.hpp"

#include <mpi.h>

#include <array>
#include <string_view>

namespace waywiser::mpibench {
namespace {

std::string whole_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.data();
}

}  // namespace

std::string library_version() {
    const std::string text = whole_version();
    return text.substr(0, text.find('\n'));
}

std::string transport() {
    constexpr std::string_view mark = "MPICH Device:";
    const std::string text = whole_version();
    const std::size_t found = text.find(mark);
    if (found == std::string::npos) return "";
    const std::size_t first = text.find_first_not_of(" \t", found + mark.size());
    return text.substr(first, text.find('\n', first) - first);
}

}  // namespace waywiser::mpibench
