#include "workloads/lattice/dirac.hpp"

#include "workloads/common/threads.hpp"

#include <bit>

namespace waywiser::lattice {
namespace {

/// The blocks that the calling thread processes.
std::span<const std::int32_t> own_part(const std::vector<std::int32_t>& blocks) {
    const auto part = static_cast<std::size_t>(thread_number());
    const auto parts = static_cast<std::size_t>(team_size());
    const std::size_t begin = blocks.size() * part / parts;
    return std::span(blocks).subspan(begin, blocks.size() * (part + 1) / parts - begin);
}

}  // namespace

Dirac::Dirac(const Sites& sites, const Links& links, Halo& halo, const HopKernels& kernels, double kappa)
    : sites_(sites), links_(links), halo_(halo), kernels_(kernels), kappa_(kappa), between_(sites) {}

void Dirac::hop(int parity, bool dagger, const Half& in, double factor, const Half* add, Half& out) {
    watch_.lap_s();
    if (!halo_.faces().empty()) halo_.receive();
    for (const int direction : halo_.faces()) {
        const std::vector<std::int32_t>& face = sites_.face(1 - parity, direction);
        const auto values = static_cast<Index>(std::popcount(sites_.face_lanes(direction))) * half_spinor_values;
#pragma omp parallel
        {
            PackWork work{&sites_,       &links_, 1 - parity, direction, dagger, in.data(), halo_.message(direction),
                          own_part(face)};
            work.message += (work.blocks.data() - face.data()) * values;
            kernels_.pack(work);
        }
        halo_.send(direction);
    }
    sections_.packing += watch_.lap_s();
    HopWork work{&sites_, &links_,    parity, dagger, in.data(), add == nullptr ? nullptr : add->data(),
                 factor,  out.data(), {},     {}};
    run(work, sites_.interior(parity));
    sections_.hops += watch_.lap_s();
    if (halo_.faces().empty()) return;
    halo_.finish();
    work.received = halo_.received();
    sections_.waiting += watch_.lap_s();
    run(work, sites_.border(parity));
    sections_.hops += watch_.lap_s();
}

void Dirac::run(HopWork work, const std::vector<std::int32_t>& blocks) {
#pragma omp parallel firstprivate(work)
    {
        work.blocks = own_part(blocks);
        kernels_.hop(work);
    }
}

void Dirac::apply(bool dagger, const Full& in, Full& out) {
    for (const int parity : {even, odd}) {
        const auto to = static_cast<std::size_t>(parity);
        hop(parity, dagger, in[1 - to], -kappa_, &in[to], out[to]);
    }
}

void Dirac::apply_even(bool dagger, const Half& in, Half& out) {
    hop(odd, dagger, in, 1, nullptr, between_);
    hop(even, dagger, between_, -kappa_ * kappa_, &in, out);
}

}  // namespace waywiser::lattice
