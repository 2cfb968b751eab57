#include "workloads/mpibench/call.hpp"

#include "base/error.hpp"

#include <array>
#include <cstring>
#include <new>
#include <string>

namespace waywiser::mpibench {
namespace {

template <typename Entry>
const Entry& find(std::span<const Entry> table, std::string_view option, std::string_view name) {
    std::string known;
    for (const Entry& entry : table) {
        if (entry.name == name) return entry;
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InvalidInput("--" + std::string(option) + " does not take '" + std::string(name) + "' but one of: " + known);
}

}  // namespace

Datatype find_datatype(std::string_view name) {
    // MPI_CHAR is a letter, which MPI_SUM is not defined for.
    const std::array table{Datatype{"char", MPI_SIGNED_CHAR, 1}, Datatype{"int", MPI_INT, 4},
                           Datatype{"float", MPI_FLOAT, 4}, Datatype{"double", MPI_DOUBLE, 8}};
    return find<Datatype>(table, "datatype", name);
}

Operation find_operation(std::string_view name) {
    const std::array table{Operation{"sum", MPI_SUM}, Operation{"max", MPI_MAX}, Operation{"min", MPI_MIN}};
    return find<Operation>(table, "operation", name);
}

Buffer::Buffer(std::size_t bytes) {
    constexpr std::size_t page_bytes = 4096;
    const std::size_t whole_pages = (bytes / page_bytes + 1) * page_bytes;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole_pages)));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, whole_pages);  // so that no page is first touched within a measurement
}

}  // namespace waywiser::mpibench
