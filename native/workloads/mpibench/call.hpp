/// Arguments of MPI calls in one iteration of a benchmark.
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
    std::string_view name;  ///< name on the command line
    MPI_Datatype type;
    int bytes;
    bool integer = true;
};

/// \throws InvalidInput  with the known datatypes
[[nodiscard]] Datatype find_datatype(std::string_view name);

struct Operation {
    std::string_view name;  ///< name on the command line
    MPI_Op op;
};

/// \throws InvalidInput  with the known operations
[[nodiscard]] Operation find_operation(std::string_view name);

/// Source of a buffer's memory: the system, aligned to a page, or MPI_Alloc_mem.
enum class MemoryOf { system, library };

class Buffer {
public:
    explicit Buffer(std::size_t bytes, MemoryOf origin = MemoryOf::system);
    [[nodiscard]] std::byte* data() { return data_.get(); }
    [[nodiscard]] const std::byte* data() const { return data_.get(); }

private:
    std::unique_ptr<std::byte, void (*)(void*)> data_;
};

/// Consecutive elements of a block.
struct Run {
    int start;
    int count;
};

/// Synchronisation of one-sided communication.
enum class Synchronisation { flush, flush_local, lock, lock_all, pscw, fence };

struct Draws;

/// Arguments of the calls, the same for every iteration of one size.
struct Call {
    MPI_Comm ranks = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    int root = 0;
    int partner = MPI_PROC_NULL;  ///< partner in a pair; none for a rank outside the pairs
    bool first = false;           ///< the rank of a pair that starts and measures time
    int pairs = 0;                ///< number of pairs in the benchmark
    bool inside = false;          ///< communicating ranks share a host
    bool between = false;         ///< communicating ranks are on different hosts
    int window = 1;               ///< number of messages in flight
    std::int64_t bytes = 0;       ///< size of one block
    Datatype element{};           ///< datatype of the elements of blocks
    int elements = 0;             ///< elements per block
    std::vector<Run> runs;        ///< elements of a block that are sent: all of them, except for derived datatypes
    Datatype datatype{};          ///< datatype for MPI: the element, or a derived datatype of a block's length
    int count = 0;                ///< number of these elements per block
    Operation operation{};
    std::byte* send = nullptr;
    std::byte* receive = nullptr;

    // Arguments of point-to-point calls in which the peers' programs differ.
    bool any_sender = false;                 ///< receives match messages of any rank and tag
    MPI_Status* status = MPI_STATUS_IGNORE;  ///< status argument of receives

    // The following are created by benchmarks that need them.
    std::vector<MPI_Request> requests;
    std::vector<int> counts;         ///< numbers of elements, by rank
    std::vector<int> displacements;  ///< offsets in elements
    std::vector<int> byte_displacements;
    std::vector<MPI_Datatype> types;
    MPI_Request request = MPI_REQUEST_NULL;   ///< the only nonblocking or persistent operation
    std::int64_t compute_rounds = 0;          ///< rounds of work between its start and its completion
    int tests = 0;                            ///< calls of MPI_Test within that work
    int partitions = 1;                       ///< partitions of a partitioned message
    MPI_Comm grid = MPI_COMM_NULL;            ///< communicator of neighbourhood collectives
    std::array<int, 4> neighbours{};          ///< below and above in each dimension; none: MPI_PROC_NULL
    std::vector<MPI_Aint> far_displacements;  ///< offsets in bytes, by neighbour
    MPI_Comm pair = MPI_COMM_NULL;            ///< one-sided communication: the two ranks, of which 0 is the first
    MPI_Win memory = MPI_WIN_NULL;            ///< one-sided communication: window of the two ranks of a pair
    Synchronisation synchronisation = Synchronisation::flush;
    MPI_Group partner_group = MPI_GROUP_NULL;  ///< the partner's group in a pair
    std::array<std::byte, 8> comparand{};      ///< comparand of MPI_Compare_and_swap
    bool counter_a_node = false;               ///< one counter of tasks per node; otherwise one for all ranks
    std::int64_t tasks = 0;                    ///< tasks per rank
    double task_ns = 0;                        ///< mean length of a task
    std::int64_t seed = 0;                     ///< seed of the order of tasks
    std::shared_ptr<Draws> draws;              ///< state of tasks from a counter
    double init_ns = 0;                        ///< duration of MPI_Init
};

}  // namespace waywiser::mpibench
