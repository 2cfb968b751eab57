/// Calls of a trace file, block by block, for readers of many streams at once that need only few of the times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trace/reading/call_source.hpp"

namespace waywiser::trace {

class StoredTrace;

class CallBlocks final : public CallSource {
public:
    /// \param keeps_length  returns true if calls with these parameters keep their length; otherwise only the gap is
    ///     kept
    CallBlocks(const StoredTrace& trace, const std::function<bool(const Parameters&)>& keeps_length);
    CallBlocks(CallBlocks&&) noexcept;
    ~CallBlocks() override;

    [[nodiscard]] const std::vector<List>& lists() const override;
    [[nodiscard]] std::uint32_t list_of(std::size_t stream) const override;

    /// A reader that also stops at damage, which TraceJob::lost then reports. The trace must outlive the reader.
    [[nodiscard]] std::unique_ptr<CallReader> reader() const override;

private:
    class Reader;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace waywiser::trace
