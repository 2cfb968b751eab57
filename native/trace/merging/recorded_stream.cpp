#include "trace/merging/recorded_stream.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "trace/encoding/codec.hpp"
#include "trace/merging/state_records.hpp"

namespace waywiser::trace {
namespace {

using state::kTraceFields;
using state::TraceKey;

/// Upper bound of ticks, beyond any run: a larger number is damage.
constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 62U;

template <class Number>
void add(Number& field, std::int64_t difference) {
    field = static_cast<Number>(static_cast<std::uint64_t>(field) + static_cast<std::uint64_t>(difference));
}

template <class Number>
std::vector<Number> numbers_in(const std::vector<std::int64_t>& list) {
    std::vector<Number> numbers(list.size());
    std::ranges::transform(list, numbers.begin(), [](std::int64_t value) { return static_cast<Number>(value); });
    return numbers;
}

std::vector<Completion> completions_in(const std::vector<std::int64_t>& list) {
    const auto numbers = numbers_in<std::int32_t>(list);
    std::vector<Completion> completed;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
        completed.push_back({.index = numbers[i], .source = numbers[i + 1], .tag = numbers[i + 2]});
    }
    return completed;
}

}  // namespace

TraceClock::TraceClock(const state::Header& header, std::uint64_t shift_ns)
    : begin_ticks_(header.begin.ticks),
      begin_ns_(header.begin.monotonic_ns + shift_ns),
      ns_per_tick_(ns_per_tick(header)) {}

std::uint64_t TraceClock::ns(std::uint64_t ticks) const {
    constexpr long double kMostNs = 9e18L;
    const long double since = static_cast<long double>(difference(ticks, begin_ticks_)) * ns_per_tick_;
    return begin_ns_ + static_cast<std::uint64_t>(std::min(since + 0.5L, kMostNs));
}

RecordedSignatures::RecordedSignatures(const RecordedProcess& process, TraceWriter& writer)
    : process_(process), writer_(writer) {
    std::uint64_t ids = 0;
    for (const auto& [id, record] : process.signatures) ids = std::max(ids, id + 1);
    numbers_.resize(ids, kNotSigned);
}

const state::TraceSignatureRecord& RecordedSignatures::record(std::uint64_t id) const {
    const auto at = process_.signatures.find(id);
    if (at == process_.signatures.end()) throw Error("refers to a call that is not described");
    return at->second;
}

std::uint32_t RecordedSignatures::ask(std::uint64_t id) {
    const state::TraceSignatureRecord& signature_record = record(id);
    return numbers_[id] = sign(signature_record, signature_record.key);
}

std::uint32_t RecordedSignatures::varied(std::uint64_t id, std::uint64_t mask, const std::int64_t* differences) {
    const state::TraceSignatureRecord& base = record(id);
    TraceKey key = base.key;
    state::each_trace_field([&](unsigned field, auto member) {
        if ((mask >> field & 1U) != 0) add(key.*member, *differences++);
    });
    return sign(base, key);
}

std::uint32_t RecordedSignatures::unfinished(std::uint64_t id) {
    Parameters parameters;
    parameters.function = function(id);
    return writer_.signature(parameters);
}

std::uint32_t RecordedSignatures::sign(const state::TraceSignatureRecord& record, const TraceKey& key) {
    const auto requests = numbers_in<std::int32_t>(list(key.requests));
    const auto completed = completions_in(list(key.completed));
    const auto counts = numbers_in<std::uint64_t>(list(key.counts));
    const bool known = key.action <= static_cast<std::uint8_t>(last_of(Action::none));
    Parameters parameters;
    copy_members(key, parameters);
    parameters.function = function(key.function);
    parameters.site = site(record);
    parameters.action = known ? static_cast<Action>(key.action) : Action::none;
    parameters.found = key.found != 0;
    parameters.object = object(key.object);
    parameters.created = object(key.created);
    parameters.requests = requests;
    parameters.completed = completed;
    parameters.counts = counts;
    return writer_.signature(parameters);
}

std::uint32_t RecordedSignatures::function(std::uint64_t id) {
    const auto [at, is_new] = functions_.try_emplace(id, 0);
    if (is_new) {
        const auto name = process_.functions.find(id);
        at->second = writer_.function(name == process_.functions.end() ? "unknown" : name->second);
    }
    return at->second;
}

std::uint32_t RecordedSignatures::site(const state::TraceSignatureRecord& record) {
    const auto [at, is_new] = sites_.try_emplace(record.id, 0);
    if (is_new) {
        const auto module = process_.modules.find(record.module);
        if (module != process_.modules.end()) {
            at->second = 1 + writer_.call_site(call_site(module->second, record.address));
        }
    }
    return at->second;
}

std::int32_t RecordedSignatures::object(std::int32_t id) const {
    return id < 0 || process_.objects.contains(static_cast<std::uint64_t>(id)) ? id : kUnknown;
}

const std::vector<std::int64_t>& RecordedSignatures::list(std::uint32_t id) const {
    static const std::vector<std::int64_t> kEmpty;
    if (id == 0) return kEmpty;
    const auto at = process_.lists.find(id);
    if (at == process_.lists.end()) throw Error("refers to a list that is not there");
    return at->second;
}

void RecordedCalls::read(std::string_view bytes, std::uint64_t begin_ticks) {
    std::uint64_t ticks = begin_ticks;
    const auto pass = [&ticks](std::uint64_t span) {
        if (ticks > kMostTicks || span > kMostTicks) throw Error("has a time that cannot be");
        return std::exchange(ticks, ticks + span);
    };
    for (Decoder in(bytes); !in.rest().empty();) {
        const std::uint64_t code = in.integer();
        if (code >= state::kFirstId) {
            const std::uint32_t signature = signatures_.number(code - state::kFirstId);
            pass(in.integer());
            const std::uint64_t begin = pass(in.integer());
            append(signature, begin, ticks, 1, 0);
        } else if (code == state::kVaried) {
            const std::uint64_t id = in.integer();
            const std::uint64_t mask = in.integer();
            std::array<std::int64_t, kTraceFields> differences{};
            std::size_t n = 0;
            for (std::size_t field = 0; field < kTraceFields; ++field) {
                if ((mask >> field & 1U) != 0) differences[n++] = in.signed_integer();
            }
            if (mask >> kTraceFields != 0) throw Error("has a field that is not known");
            const std::uint32_t signature = signatures_.varied(id, mask, differences.data());
            pass(in.integer());
            const std::uint64_t begin = pass(in.integer());
            append(signature, begin, ticks, 1, 0);
        } else if (code == state::kPolls) {
            const std::uint64_t id = in.integer();
            const std::uint64_t number = in.integer();
            pass(in.integer());
            const std::uint64_t begin = pass(in.integer());
            add_polls(id, number, begin, ticks, in.integer());
        } else {
            throw Error("has an entry of no known kind");
        }
    }
}

void RecordedCalls::add_polls(std::uint64_t signature, std::uint64_t number, std::uint64_t begin, std::uint64_t end,
                              std::uint64_t within) {
    append(signatures_.number(signature), begin, end, number, within);
}

void RecordedCalls::add_unfinished(std::uint64_t function, std::uint64_t begin, std::uint64_t end) {
    append(signatures_.unfinished(function), begin, end, 1, 0);
}

/// A call begins after the preceding call has ended; clocks may deviate slightly when threads move between CPUs.
void RecordedCalls::append(std::uint32_t signature, std::uint64_t begin, std::uint64_t end, std::uint64_t number,
                           std::uint64_t within) {
    if (number == 0) throw Error("has polls that were never made");
    TracedCall call{.begin_ns = std::max(clock_.ns(begin), last_ns_), .end_ns = 0, .times = number, .polling_ns = 0};
    call.end_ns = std::max(clock_.ns(end), call.begin_ns);
    const std::uint64_t span = call.end_ns - call.begin_ns;
    const std::uint64_t polling = clock_.ns(begin + std::min(within, end - begin)) - clock_.ns(begin);
    call.polling_ns = number == 1 ? span : std::min(polling, span);
    last_ns_ = call.end_ns;
    calls_ += number;
    writer_.append(signature, call);
}

}  // namespace waywiser::trace
