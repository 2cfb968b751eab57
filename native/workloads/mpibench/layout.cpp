#include "workloads/mpibench/layout.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace waywiser::mpibench {
namespace {

/// Reads two whole numbers with a separator between them. Returns false if the text has another form.
bool read_two(const std::string& text, char separator, int& first, int& second) {
    const char* end = text.data() + text.size();
    const auto [middle, error] = std::from_chars(text.data(), end, first);
    if (error != std::errc{} || middle == end || *middle != separator) return false;
    const auto [last, second_error] = std::from_chars(middle + 1, end, second);
    return second_error == std::errc{} && last == end;
}

MPI_Datatype indexed_type(const std::vector<Run>& runs, MPI_Datatype element) {
    std::vector<int> starts;
    std::vector<int> counts;
    for (const Run& run : runs) {
        starts.push_back(run.start);
        counts.push_back(run.count);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed(static_cast<int>(runs.size()), counts.data(), starts.data(), element, &type);
    return type;
}

/// Commits the datatype with the block's extent, even if the end of the block is not sent.
MPI_Datatype of_extent(MPI_Datatype type, std::int64_t bytes) {
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(type, 0, static_cast<MPI_Aint>(bytes), &block);
    MPI_Type_free(&type);
    MPI_Type_commit(&block);
    return block;
}

}  // namespace

Layout::Layout(const std::string& text) {
    if (text.empty()) return;
    if (text == "contiguous") {
        kind_ = Kind::contiguous;
    } else if (text.starts_with("vector:")) {
        read_vector(text);
    } else {
        require(text.starts_with("indexed:"),
                "--layout '" + text + "': expected contiguous, vector:STRIDE:BLOCK or indexed:FILE");
        read_indexed(text.substr(8));
    }
}

void Layout::read_vector(const std::string& text) {
    kind_ = Kind::vector;
    require(
        read_two(text.substr(7), ':', stride_, block_) && block_ >= 1 && stride_ >= block_,
        "--layout '" + text + "': expected vector:STRIDE:BLOCK, whole numbers of elements with BLOCK from 1 to STRIDE");
}

void Layout::read_indexed(const std::string& file) {
    kind_ = Kind::indexed;
    std::ifstream lines(file);
    require(lines.is_open(), "--layout indexed: cannot read '" + file + "': give a file with lines START,COUNT");
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.empty() || line.starts_with('#')) continue;
        Run run{};
        const int last = indexed_.empty() ? 0 : indexed_.back().start + indexed_.back().count;
        require(read_two(line, ',', run.start, run.count) && run.count >= 1 && run.start >= last,
                "--layout: line " + std::to_string(number) + " of '" + file +
                    "' is not START,COUNT in elements, behind those of the lines before");
        indexed_.push_back(run);
    }
    require(!indexed_.empty(), "--layout: '" + file + "' has no line START,COUNT");
}

std::vector<Run> Layout::runs(int elements) const {
    std::vector<Run> runs;
    if (kind_ == Kind::vector) {
        for (int i = 0; i < elements / stride_; ++i) runs.push_back({i * stride_, block_});
    } else if (kind_ == Kind::indexed) {
        const auto inside = [elements](const Run& run) { return run.count <= elements - run.start; };
        std::ranges::copy_if(indexed_, std::back_inserter(runs), inside);
    } else {
        runs.push_back({0, elements});
    }
    return runs;
}

MPI_Datatype Layout::datatype(MPI_Datatype element, int elements) const {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (kind_ == Kind::indexed) return indexed_type(runs(elements), element);
    if (kind_ == Kind::vector) {
        MPI_Type_vector(elements / stride_, block_, stride_, element, &type);
    } else {
        MPI_Type_contiguous(elements, element, &type);
    }
    return type;
}

std::int64_t payload_bytes(const Call& call) {
    std::int64_t elements = 0;
    for (const Run& run : call.runs) elements += run.count;
    return elements * call.element.bytes;
}

BlockType::BlockType(const Layout& layout, Call& call) {
    call.runs = layout.runs(call.elements);
    call.datatype = call.element;
    call.count = call.elements;
    if (!layout.derived()) return;
    derived_ = of_extent(layout.datatype(call.element.type, call.elements), call.bytes);
    call.datatype = {call.element.name, derived_, static_cast<int>(call.bytes)};
    call.count = 1;
}

BlockType::~BlockType() {
    if (derived_ != MPI_DATATYPE_NULL) MPI_Type_free(&derived_);
}

}  // namespace waywiser::mpibench
