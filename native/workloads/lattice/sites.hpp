/// The sites of a rank's box. In memory, the sites of one parity precede those of the other parity. In each parity,
/// corresponding sites of several sub-lattices are adjacent, so that a register has one site of each sub-lattice. The
/// neighbours of such a block of sites are also a block. Only across the border of a sub-lattice are lanes exchanged.
/// Source: P. Boyle, A. Yamaguchi, G. Cossu, A. Portelli, "Grid: a next generation data parallel C++ QCD library", PoS
/// LATTICE2015 (2016) 023.
#pragma once

#include "workloads/lattice/layout.hpp"

#include <vector>

namespace waywiser::lattice {

/// A block of sites of a parity, and a lane in the block.
struct Place {
    int parity;
    Index block;
    int lane;
};

class Sites {
public:
    /// \param lanes  power of 2; the number of lanes is 1 if too few axes have extents that are multiples of 4
    Sites(const Torus& torus, int lanes);

    [[nodiscard]] const Torus& torus() const { return torus_; }
    [[nodiscard]] int lanes() const { return lanes_; }
    [[nodiscard]] Index blocks() const { return blocks_; }  ///< number of blocks of each parity

    /// Coordinates in the rank's box.
    [[nodiscard]] Index4 coordinates(const Place& place) const;
    [[nodiscard]] Place place(const Index4& site) const;

    /// The lane's bit that distinguishes the sub-lattices along an axis, or 0 if the axis is not split.
    [[nodiscard]] int lane_bit(std::size_t axis) const { return lane_bits_[axis]; }

    /// By block and direction: twice the neighbouring block, plus 1 if lanes are exchanged. The neighbour at a face to
    /// another rank is the block at the opposite face.
    [[nodiscard]] const std::int32_t* neighbours(int parity) const { return at(neighbours_, parity).data(); }
    /// By block and direction: the block's number on the face to another rank, or -1.
    [[nodiscard]] const std::int32_t* halos(int parity) const { return at(halos_, parity).data(); }
    /// Blocks without a site at a face to another rank, and blocks with such a site.
    [[nodiscard]] const std::vector<std::int32_t>& interior(int parity) const { return at(interior_, parity); }
    [[nodiscard]] const std::vector<std::int32_t>& border(int parity) const { return at(border_, parity); }
    /// Blocks with sites at the box's face in a direction, in the order of their numbers.
    [[nodiscard]] const std::vector<std::int32_t>& face(int parity, int direction) const {
        return faces_[static_cast<std::size_t>(parity)][static_cast<std::size_t>(direction)];
    }
    /// Lanes of these blocks that are at the face, as one bit each.
    [[nodiscard]] unsigned face_lanes(int direction) const;

private:
    using OfParities = std::array<std::vector<std::int32_t>, 2>;
    [[nodiscard]] static const std::vector<std::int32_t>& at(const OfParities& of, int parity) {
        return of[static_cast<std::size_t>(parity)];
    }
    void split(int lanes);
    void connect(int parity, Index block);
    void find_halos(int parity);
    [[nodiscard]] Index block_at(const Index4& inner) const;

    Torus torus_;
    Index4 inner_;  ///< extents of a sub-lattice
    std::array<int, axes> lane_bits_{};
    int lanes_ = 1;
    Index blocks_ = 0;
    OfParities neighbours_, halos_, interior_, border_;
    std::array<std::array<std::vector<std::int32_t>, directions>, 2> faces_;
};

}  // namespace waywiser::lattice
