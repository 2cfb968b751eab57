/// What one iteration of a benchmark hands to MPI.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace waywiser::mpibench {

struct Datatype {
    std::string_view name;  ///< as on the command line
    MPI_Datatype type;
    int bytes;
};

/// \throws InvalidInput  naming those there are
[[nodiscard]] Datatype find_datatype(std::string_view name);

struct Operation {
    std::string_view name;  ///< as on the command line
    MPI_Op op;
};

/// \throws InvalidInput  naming those there are
[[nodiscard]] Operation find_operation(std::string_view name);

/// Memory that starts on a page, as the peers' buffers do.
class Buffer {
public:
    explicit Buffer(std::size_t bytes);
    [[nodiscard]] std::byte* data() { return data_.get(); }
    [[nodiscard]] const std::byte* data() const { return data_.get(); }

private:
    struct Free {
        void operator()(void* data) const { std::free(data); }
    };
    std::unique_ptr<std::byte, Free> data_;
};

/// Arguments of the calls, the same for every iteration of one size.
struct Call {
    MPI_Comm ranks = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    int root = 0;
    int partner = MPI_PROC_NULL;  ///< of a pair; none for a rank that waits beside the pairs
    bool first = false;           ///< of a pair: the one that starts and holds the watch
    int pairs = 0;                ///< of the benchmark
    int window = 1;               ///< messages under way at once
    std::int64_t bytes = 0;       ///< of one block
    int count = 0;                ///< elements of one block
    Datatype datatype{};
    Operation operation{};
    std::byte* send = nullptr;
    std::byte* receive = nullptr;

    // Made by those benchmarks that need them.
    std::vector<MPI_Request> requests;
    std::vector<int> counts;         ///< of elements, by rank
    std::vector<int> displacements;  ///< in elements
    std::vector<int> byte_displacements;
    std::vector<MPI_Datatype> types;
    MPI_Request request = MPI_REQUEST_NULL;  ///< of the one nonblocking or persistent operation
    std::int64_t compute_rounds = 0;         ///< of work between its start and its completion
    MPI_Comm grid = MPI_COMM_NULL;           ///< of neighbourhood collectives
    std::array<int, 4> neighbours{};         ///< below and above in each dimension; none: MPI_PROC_NULL
    MPI_Win memory = MPI_WIN_NULL;           ///< of one-sided communication
    double init_ns = 0;                      ///< that MPI_Init took
};

}  // namespace waywiser::mpibench
