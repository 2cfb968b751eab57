/// What cells publish, on its way to the ranks that hold their neighbours.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/rupture/mesh_file.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

/// Persistent requests, one message a neighbouring rank and step. Received values go right to where cells read them.
template <class Real>
class Exchange {
public:
    /// \param published  holds what is sent; what is received follows at `received`, in the order of the ghosts
    /// \param slots      index into `published` of what each ghost face sends
    /// \param values     of a face
    Exchange(const MeshPart& mesh, Real* published, std::int64_t received, std::vector<std::int64_t> slots, int values,
             MPI_Comm communicator);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    void start();
    void finish();
    [[nodiscard]] std::int64_t sent_bytes() const { return static_cast<std::int64_t>(sent_.size() * sizeof(Real)); }

private:
    const Real* published_;
    std::vector<std::int64_t> slots_;
    int values_;
    Array<Real> sent_;
    std::vector<MPI_Request> requests_;
};

}  // namespace waywiser::rupture
