#include "workloads/mpibench/call.hpp"

#include "workloads/common/named.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace waywiser::mpibench {
namespace {

std::byte* alloc_mem(std::size_t bytes) {
    std::byte* memory = nullptr;
    MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, static_cast<void*>(&memory));
    return memory;
}

void free_mem(void* memory) { MPI_Free_mem(memory); }

}  // namespace

Datatype find_datatype(std::string_view name) {
    // MPI_CHAR is a character, for which MPI_SUM is not defined.
    const std::array table{Datatype{"char", MPI_SIGNED_CHAR, 1}, Datatype{"int", MPI_INT, 4},
                           Datatype{"float", MPI_FLOAT, 4, false}, Datatype{"double", MPI_DOUBLE, 8, false}};
    return find_named<Datatype>(table, "datatype", name);
}

Operation find_operation(std::string_view name) {
    const std::array table{Operation{"sum", MPI_SUM}, Operation{"max", MPI_MAX}, Operation{"min", MPI_MIN}};
    return find_named<Operation>(table, "operation", name);
}

Buffer::Buffer(std::size_t bytes, MemoryOf origin) : data_(nullptr, origin == MemoryOf::system ? std::free : free_mem) {
    constexpr std::size_t page_bytes = 4096;
    const std::size_t whole_pages = (bytes / page_bytes + 1) * page_bytes;
    const std::size_t reserved = origin == MemoryOf::system ? whole_pages : std::max<std::size_t>(bytes, 8);
    data_.reset(origin == MemoryOf::system ? static_cast<std::byte*>(std::aligned_alloc(page_bytes, reserved))
                                           : alloc_mem(reserved));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, reserved);  // All pages are touched before the measurement.
}

}  // namespace waywiser::mpibench
