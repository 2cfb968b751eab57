/// Lists of numbers in a trace; equal lists are stored once.
#include <algorithm>
#include <cstring>

#include "base/hash.hpp"
#include "profile/calls/recorder.hpp"
#include "profile/messages/messages.hpp"
#include "profile/process/number_table.hpp"
#include "profile/tracing/signatures.hpp"

namespace waywiser::profile {
namespace {

constexpr std::uint32_t kMostLists = 65536;
constexpr std::uint64_t kMostValues = std::uint64_t{4} << 20U;  // The limit for all lists together is 32 MB.
constexpr std::uint64_t kValuesOfRecord = 4096;

constinit NumberTable list_numbers;
constinit state::TraceListRecord** pieces = nullptr;  ///< pieces of all lists, one after another
constinit std::uint32_t piece_count = 0;
constinit std::uint64_t value_count = 0;

std::uint64_t hash_of_list(const std::int64_t* values, std::uint64_t n) {
    std::uint64_t sum = n;
    for (std::uint64_t i = 0; i < n; ++i) {
        sum = (sum ^ static_cast<std::uint64_t>(values[i])) * kGolden;
        sum ^= sum >> 32U;
    }
    return sum * kGolden;
}

/// \param piece  first piece of a list
bool is_list(std::uint32_t piece, const std::int64_t* values, std::uint64_t n) {
    const std::uint64_t id = pieces[piece]->id;
    for (; n > 0 && pieces[piece] != nullptr && pieces[piece]->id == id; ++piece) {
        const std::uint64_t used = pieces[piece]->used;
        if (used > n || std::memcmp(pieces[piece]->values, values, used * sizeof *values) != 0) return false;
        values += used;
        n -= used;
    }
    return n == 0 && (pieces[piece] == nullptr || pieces[piece]->id != id);
}

/// Callers hold the recorder's lock. A list with a missing piece is never referred to.
std::uint32_t add_list(std::uint64_t hash, const std::int64_t* values, std::uint64_t n) {
    const std::uint32_t first = piece_count;
    if (value_count + n > kMostValues || first + n / kValuesOfRecord + 1 > kMostLists) return 0;
    while (n > 0) {
        const std::uint64_t used = std::min(n, kValuesOfRecord);
        auto* record = static_cast<state::TraceListRecord*>(
            process_state()->allocate(sizeof(state::TraceListRecord) + (used - 1) * sizeof *values));
        if (record == nullptr) return 0;
        record->id = first + 1;
        record->used = used;
        std::memcpy(record->values, values, used * sizeof *values);
        StateFile::publish(record->header, state::Kind::trace_list);
        pieces[piece_count++] = record;
        value_count += used;
        values += used;
        n -= used;
    }
    list_numbers.add(hash, first);
    return first + 1;
}

}  // namespace

bool open_lists() {
    pieces = static_cast<state::TraceListRecord**>(zeroed_pages((kMostLists + 1) * sizeof(state::TraceListRecord*)));
    return pieces != nullptr && list_numbers.open(2 * kMostLists);
}

std::uint32_t list_of(const std::int64_t* values, std::uint64_t n) {
    if (n == 0) return 0;
    const std::uint64_t hash = hash_of_list(values, n);
    const auto find = [&] { return list_numbers.find(hash, [&](std::uint32_t i) { return is_list(i, values, n); }); };
    std::uint32_t number = find();
    if (number != NumberTable::kNoNumber) return number + 1;
    const Locked lock(slow_path);
    number = find();  // Another thread may have added it in the meantime.
    const std::uint32_t list = number != NumberTable::kNoNumber ? number + 1 : add_list(hash, values, n);
    if (list == 0) count_lost_list();
    return list;
}

std::uint64_t read_list(std::uint32_t list, std::int64_t* values, std::uint64_t room) {
    std::uint64_t count = 0;
    if (list == 0) return count;
    for (std::uint32_t i = list - 1; pieces[i] != nullptr && pieces[i]->id == list; ++i) {
        for (std::uint64_t k = 0; k < pieces[i]->used; ++k, ++count) {
            if (count < room) values[count] = pieces[i]->values[k];
        }
    }
    return count;
}

std::uint32_t list_of_shares(const CollectivePayload& payload) {
    const int n = destinations_of(payload.comm, payload.shares.to);
    if (n <= 0) return 0;
    auto* values = reinterpret_cast<std::int64_t*>(scratch(0, 2 * static_cast<std::size_t>(n)));
    if (values == nullptr) return 0;
    for (int i = 0; i < n; ++i) values[i] = static_cast<std::int64_t>(payload::share(payload.shares, i));
    return list_of(values, static_cast<std::uint64_t>(n));
}

}  // namespace waywiser::profile
