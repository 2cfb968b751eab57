/// A stream that `export_otf2` wrote: attributes contain the data that its records lack.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "exchange/otf2_events.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::exchange::otf2 {

/// Passes calls to a writer, in whose current stream they belong.
class OwnStream : public EventHandler {
public:
    /// \param strings  strings of the definitions
    /// \param rank     null: the rank is unknown
    OwnStream(trace::TraceWriter& writer, const std::unordered_map<Ref, std::string>& strings,
              const trace::TraceRank* rank);

    void enter(std::uint64_t ns, Ref region) override;
    void leave(std::uint64_t ns, Ref region, const std::vector<AttributeValue>& attributes) override;
    void record(const Record& record) override;

    [[nodiscard]] std::uint64_t calls() const { return calls_; }

private:
    void apply(const AttributeValue& attribute);
    [[nodiscard]] std::int32_t communicator(Ref ref) const { return local(ref, communicators_); }
    [[nodiscard]] std::int32_t window(Ref ref) const { return local(ref, windows_); }
    [[nodiscard]] static std::int32_t local(Ref ref, const std::unordered_map<Ref, std::int32_t>& numbers);
    [[nodiscard]] const std::string& text(const Value& value) const;

    trace::TraceWriter& writer_;
    const std::unordered_map<Ref, std::string>& strings_;
    std::unordered_map<Ref, std::int32_t> communicators_;  ///< the rank's numbers, by OTF2's numbers
    std::unordered_map<Ref, std::int32_t> windows_;        ///< the rank's numbers, by OTF2's numbers
    std::unordered_map<Ref, std::uint64_t> processes_;     ///< sets of processes of communicators
    std::vector<trace::Action> actions_;                   ///< actions according to the functions' names
    trace::Parameters call_;
    trace::TracedCall times_;
    std::vector<std::int32_t> requests_;
    std::vector<std::int32_t> triples_;
    std::vector<trace::Completion> completed_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t calls_ = 0;
};

}  // namespace waywiser::exchange::otf2
