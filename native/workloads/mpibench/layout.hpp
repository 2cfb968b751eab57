/// Derived datatypes: the elements of a block that are sent, as in OSU's programs with --ddt.
#pragma once

#include "workloads/mpibench/call.hpp"

#include <string>
#include <vector>

namespace waywiser::mpibench {

/// The parts of a block that are sent. A block is one element of a derived datatype whose extent is the block's, so
/// that blocks are adjacent as without a layout.
class Layout {
public:
    /// \param text  "", contiguous, vector:STRIDE:BLOCK, or indexed:FILE with a line "start,count" for each run
    /// \throws InvalidInput  with the option, or the file and its line
    explicit Layout(const std::string& text);

    [[nodiscard]] bool derived() const { return kind_ != Kind::none; }

    /// The runs within a block of this number of elements, in ascending order. Runs of an indexed layout outside the
    /// block are omitted.
    [[nodiscard]] std::vector<Run> runs(int elements) const;

    /// The layout as a datatype, not committed: made by MPI_Type_contiguous, MPI_Type_vector or MPI_Type_indexed.
    [[nodiscard]] MPI_Datatype datatype(MPI_Datatype element, int elements) const;

private:
    enum class Kind { none, contiguous, vector, indexed };

    void read_vector(const std::string& text);
    void read_indexed(const std::string& file);

    Kind kind_ = Kind::none;
    int stride_ = 0;  ///< number of elements from the start of one run to the start of the next
    int block_ = 0;   ///< number of elements of a run
    std::vector<Run> indexed_;
};

/// Bytes of a block that are sent.
[[nodiscard]] std::int64_t payload_bytes(const Call& call);

/// Creates the datatype of `call` for its blocks, and frees it at the end.
class BlockType {
public:
    BlockType(const Layout& layout, Call& call);
    BlockType(const BlockType&) = delete;
    BlockType& operator=(const BlockType&) = delete;
    ~BlockType();

private:
    MPI_Datatype derived_ = MPI_DATATYPE_NULL;
};

}  // namespace waywiser::mpibench
