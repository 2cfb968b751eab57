/// Writes the calls of one thread as OTF2 events.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "exchange/otf2_fields.hpp"
#include "exchange/otf2_tables.hpp"

namespace waywiser::exchange::otf2 {

/// Strings of the definitions, each stored once.
class Strings {
public:
    /// \param reserved  number of strings before the first one
    explicit Strings(Ref reserved) : next_(reserved) {}

    Ref operator()(const std::string& text) {
        const auto [at, is_new] = refs_.try_emplace(text, next_);
        if (is_new) ++next_;
        return at->second;
    }

    [[nodiscard]] const std::unordered_map<std::string, Ref>& all() const { return refs_; }

private:
    std::unordered_map<std::string, Ref> refs_;
    Ref next_;
};

class StreamWriter {
public:
    /// \param rank     null: the rank is unknown
    /// \param objects  definitions of the job's objects; marks the objects that calls create
    StreamWriter(const Library& library, EvtWriter* writer, const trace::TraceJob& job, const trace::TraceRank* rank,
                 std::vector<Definition>& objects, Strings& strings);
    ~StreamWriter();
    StreamWriter(const StreamWriter&) = delete;
    StreamWriter& operator=(const StreamWriter&) = delete;

    void write(const trace::TracedCall& call, const trace::Parameters& parameters);

    /// \return false if the library rejected an event
    [[nodiscard]] bool good() const { return failures_ == 0; }

private:
    /// Writes an event without attributes.
    template <class Event, class... Fields>
    void put(Event event, Time time, Fields... fields) {
        failures_ += event(writer_, nullptr, time, fields...);
    }

    /// The operation that a request represents.
    struct Pending {
        enum class Kind : std::uint8_t { other, send, receive, collective };

        Kind kind = Kind::other;
        bool persistent = false;
        std::uint64_t id = 0;  ///< number in OTF2; 0: not active
        trace::Parameters call = {};
    };

    void write_begin(const trace::Parameters& call, Time time);
    void write_end(const trace::Parameters& call, Time time);
    void start(Pending& request, Time time);
    void complete(const trace::Parameters& call, Time time);
    void rma(const trace::Parameters& call, Ref window, Time time);
    void free_object(const trace::Parameters& call, Time time);
    void make_object(const trace::Parameters& call, Time time);
    void write_collective_end(const trace::Parameters& call, Time time);
    void add_attributes(const trace::TracedCall& call, const trace::Parameters& parameters);
    void add(Attribute attribute, std::uint64_t value);
    void add_text(Attribute attribute, const std::string& text);

    /// \return null if the rank's object has another kind or no definition
    [[nodiscard]] Definition* definition(std::int32_t object, trace::TraceObject::Kind kind) const;
    [[nodiscard]] Ref communicator(std::int32_t object) const;
    /// The rank's first number of the same object, which a reader assigns to it.
    [[nodiscard]] std::int32_t first_number(std::int32_t object) const;
    [[nodiscard]] bool is_message(const trace::Parameters& call, std::int32_t partner, std::int32_t tag) const;

    const Library& otf2_;
    EvtWriter* writer_;
    const trace::TraceJob& job_;
    const trace::TraceRank* rank_;
    std::vector<Definition>& objects_;
    Strings& strings_;
    AttributeList* attributes_;
    std::vector<std::int32_t> first_numbers_;  ///< indexed by the rank's numbers
    std::unordered_map<std::int32_t, Pending> requests_;
    std::uint64_t last_id_ = 0;
    int failures_ = 0;
    trace::Parameters noted_;  ///< parameters that the records inside the current call contain
};

}  // namespace waywiser::exchange::otf2
