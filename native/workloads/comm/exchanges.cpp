#include "workloads/comm/exchanges.hpp"

#include "workloads/common/faces.hpp"

#include <array>
#include <vector>

namespace waywiser::comm {
namespace {

constexpr int tag = 11;

constexpr std::array all_variants{
    Variant{"sendrecv", "MPI_Sendrecv, one axis and direction after the other", Method::sendrecv},
    Variant{"nonblocking", "MPI_Irecv and MPI_Isend to all neighbours, MPI_Waitall", Method::nonblocking},
    Variant{"persistent", "MPI_Startall of requests made once, MPI_Waitall: what the kernels use", Method::persistent},
    Variant{"neighbourhood", "MPI_Neighbor_alltoallv on a distributed graph", Method::neighbourhood},
};

/// Exchange of one packed message per face. All messages lie in one array, in the order of the faces.
template <class Real>
class Packed : public Exchange<Real> {
public:
    Packed(const Cartesian& cartesian, const Grid<Real>& shape, MPI_Comm communicator)
        : faces_(find_faces(cartesian, shape.inner(), shape.halo())), communicator_(communicator) {
        for (const Face& face : faces_) {
            displacements_.push_back(counts_.empty() ? 0 : displacements_.back() + counts_.back());
            counts_.push_back(static_cast<int>(face.send.points()));
        }
        const int all = counts_.empty() ? 0 : displacements_.back() + counts_.back();
        sent_ = Array<Real>(static_cast<std::size_t>(all));
        received_ = Array<Real>(static_cast<std::size_t>(all));
    }

    void run(Grid<Real>& grid) final {
        for (std::size_t i = 0; i < faces_.size(); ++i) pack(grid, faces_[i].send, sent(i));
        transfer();
        for (std::size_t i = 0; i < faces_.size(); ++i) unpack(received(i), faces_[i].receive, grid);
    }

protected:
    virtual void transfer() = 0;

    Real* all_sent() { return sent_.data(); }
    Real* all_received() { return received_.data(); }
    Real* sent(std::size_t face) { return sent_.data() + displacements_[face]; }
    Real* received(std::size_t face) { return received_.data() + displacements_[face]; }

    std::vector<Face> faces_;
    MPI_Comm communicator_;
    std::vector<int> counts_;
    std::vector<int> displacements_;

private:
    Array<Real> sent_;
    Array<Real> received_;
};

template <class Real>
class Sendrecv final : public Packed<Real> {
public:
    using Packed<Real>::Packed;

private:
    void transfer() override {
        for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
            for (const Side to : {Side::low, Side::high}) shift(axis, to);
        }
    }

    /// Every rank sends to one side and receives from the other; at an end of the grid there is no neighbour.
    void shift(std::size_t axis, Side to) {
        const int out = find(axis, to);
        const int in = find(axis, to == Side::low ? Side::high : Side::low);
        const auto at = [](int face) { return static_cast<std::size_t>(face); };
        MPI_Sendrecv(out < 0 ? nullptr : this->sent(at(out)), out < 0 ? 0 : this->counts_[at(out)], mpi_type<Real>(),
                     out < 0 ? MPI_PROC_NULL : this->faces_[at(out)].neighbour, tag,
                     in < 0 ? nullptr : this->received(at(in)), in < 0 ? 0 : this->counts_[at(in)], mpi_type<Real>(),
                     in < 0 ? MPI_PROC_NULL : this->faces_[at(in)].neighbour, tag, this->communicator_,
                     MPI_STATUS_IGNORE);
    }

    /// Returns the index of a face, or -1 at an end of the grid.
    [[nodiscard]] int find(std::size_t axis, Side side) const {
        for (std::size_t i = 0; i < this->faces_.size(); ++i) {
            if (this->faces_[i].axis == axis && this->faces_[i].side == side) return static_cast<int>(i);
        }
        return -1;
    }
};

template <class Real>
class Nonblocking final : public Packed<Real> {
public:
    using Packed<Real>::Packed;

private:
    void transfer() override {
        const std::size_t faces = this->faces_.size();
        std::array<MPI_Request, 12> requests;
        for (std::size_t i = 0; i < faces; ++i) {
            MPI_Irecv(this->received(i), this->counts_[i], mpi_type<Real>(), this->faces_[i].neighbour, tag,
                      this->communicator_, &requests[i]);
        }
        for (std::size_t i = 0; i < faces; ++i) {
            MPI_Isend(this->sent(i), this->counts_[i], mpi_type<Real>(), this->faces_[i].neighbour, tag,
                      this->communicator_, &requests[faces + i]);
        }
        MPI_Waitall(static_cast<int>(2 * faces), requests.data(), MPI_STATUSES_IGNORE);
    }
};

template <class Real>
class Neighbourhood final : public Packed<Real> {
public:
    Neighbourhood(const Cartesian& cartesian, const Grid<Real>& shape, MPI_Comm communicator)
        : Packed<Real>(cartesian, shape, communicator) {
        std::vector<int> neighbours;
        neighbours.reserve(this->faces_.size());
        for (const Face& face : this->faces_) neighbours.push_back(face.neighbour);
        const int count = static_cast<int>(neighbours.size());
        MPI_Dist_graph_create_adjacent(communicator, count, neighbours.data(), MPI_UNWEIGHTED, count, neighbours.data(),
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    }
    Neighbourhood(const Neighbourhood&) = delete;
    Neighbourhood& operator=(const Neighbourhood&) = delete;
    ~Neighbourhood() override { MPI_Comm_free(&graph_); }

private:
    void transfer() override {
        MPI_Neighbor_alltoallv(this->all_sent(), this->counts_.data(), this->displacements_.data(), mpi_type<Real>(),
                               this->all_received(), this->counts_.data(), this->displacements_.data(),
                               mpi_type<Real>(), graph_);
    }

    MPI_Comm graph_ = MPI_COMM_NULL;
};

template <class Real>
class Persistent final : public Exchange<Real> {
public:
    Persistent(const Cartesian& cartesian, const Grid<Real>& shape, MPI_Comm communicator)
        : exchange_(cartesian, shape, shape.halo(), communicator) {}

    void run(Grid<Real>& grid) override {
        exchange_.start(grid);
        exchange_.finish(grid);
    }

private:
    HaloExchange<Real> exchange_;
};

}  // namespace

std::span<const Variant> variants() { return all_variants; }

template <class Real>
std::unique_ptr<Exchange<Real>> make_exchange(Method method, const Cartesian& cartesian, const Grid<Real>& shape,
                                              MPI_Comm communicator) {
    switch (method) {
        case Method::sendrecv: return std::make_unique<Sendrecv<Real>>(cartesian, shape, communicator);
        case Method::nonblocking: return std::make_unique<Nonblocking<Real>>(cartesian, shape, communicator);
        case Method::persistent: return std::make_unique<Persistent<Real>>(cartesian, shape, communicator);
        case Method::neighbourhood: break;
    }
    return std::make_unique<Neighbourhood<Real>>(cartesian, shape, communicator);
}

template std::unique_ptr<Exchange<float>> make_exchange(Method, const Cartesian&, const Grid<float>&, MPI_Comm);
template std::unique_ptr<Exchange<double>> make_exchange(Method, const Cartesian&, const Grid<double>&, MPI_Comm);

}  // namespace waywiser::comm
