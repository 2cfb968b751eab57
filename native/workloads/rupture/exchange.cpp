#include "workloads/rupture/exchange.hpp"

#include "workloads/common/faces.hpp"

#include <algorithm>

namespace waywiser::rupture {

template <class Real>
Exchange<Real>::Exchange(const MeshPart& mesh, Cells<Real>& cells, MPI_Comm communicator, Messenger& messenger)
    : published_(cells.published.data()),
      values_(cells.face_values()),
      messenger_(messenger),
      links_(static_cast<std::size_t>(cells.clusters.count())) {
    const std::vector<Parcel> all = make_parcels(mesh, cells.clusters);
    for (int cluster = 0; cluster < cells.clusters.count(); ++cluster) {
        for (std::size_t i = 0; i < 3; ++i) {
            const int more = static_cast<int>(i) - 1;
            std::vector<Parcel> parcels;
            std::ranges::copy_if(all, std::back_inserter(parcels),
                                 [&](const Parcel& p) { return p.here == cluster && p.there == cluster + more; });
            Link& link = links_[static_cast<std::size_t>(cluster)][i];
            link.period = std::int64_t{1} << std::max(cluster, cluster + more);
            fill(link, parcels, cells, communicator);
        }
    }
}

template <class Real>
void Exchange<Real>::fill(Link& link, const std::vector<Parcel>& parcels, Cells<Real>& cells, MPI_Comm communicator) {
    std::vector<std::size_t> begins;
    for (const Parcel& parcel : parcels) {
        begins.push_back(link.slots.size());
        for (const GhostFace& face : parcel.faces) {
            link.slots.push_back(cells.slot(face));
            if (parcel.there < parcel.here) link.slots.push_back(cells.second_slot(face));
        }
    }
    begins.push_back(link.slots.size());
    const auto values = static_cast<std::size_t>(values_);
    link.sent = Array<Real>(link.slots.size() * values);
    std::vector<MPI_Request> receives(parcels.size());
    std::vector<MPI_Request> sends(parcels.size());
    for (std::size_t i = 0; i < parcels.size(); ++i) {
        const Parcel& parcel = parcels[i];
        const auto tag = [](int from, int to) { return 3 * from + (to - from + 1); };
        const std::size_t received = parcel.faces.size() * (parcel.there > parcel.here ? 2 : 1);
        MPI_Recv_init(cells.published.data() + cells.ghost_slot(parcel.ghosts[0]), static_cast<int>(received * values),
                      mpi_type<Real>(), parcel.part, tag(parcel.there, parcel.here), communicator, &receives[i]);
        MPI_Send_init(link.sent.data() + begins[i] * values, static_cast<int>((begins[i + 1] - begins[i]) * values),
                      mpi_type<Real>(), parcel.part, tag(parcel.here, parcel.there), communicator, &sends[i]);
    }
    link.receives = messenger_.add(std::move(receives));
    link.sends = messenger_.add(std::move(sends));
}

template <class Real>
void Exchange<Real>::open(std::int64_t tick) {
    for (const auto& of_cluster : links_) {
        for (const Link& link : of_cluster) {
            if (tick % link.period == 0) messenger_.start(link.receives);
        }
    }
}

template <class Real>
void Exchange<Real>::send(int cluster, std::int64_t tick) {
    const std::int64_t step = std::int64_t{1} << cluster;
    for (Link& link : links_[static_cast<std::size_t>(cluster)]) {
        if ((tick + step) % link.period != 0 || link.slots.empty()) continue;
        messenger_.finish(link.sends);
        const auto count = static_cast<std::int64_t>(link.slots.size());
#pragma omp parallel for
        for (std::int64_t i = 0; i < count; ++i) {
            std::copy_n(published_ + link.slots[static_cast<std::size_t>(i)], values_, link.sent.data() + i * values_);
        }
        messenger_.start(link.sends);
        sent_bytes_ += count * values_ * static_cast<std::int64_t>(sizeof(Real));
    }
}

template <class Real>
void Exchange<Real>::receive(int cluster) {
    for (const Link& link : links_[static_cast<std::size_t>(cluster)]) messenger_.finish(link.receives);
}

template class Exchange<float>;
template class Exchange<double>;

}  // namespace waywiser::rupture
