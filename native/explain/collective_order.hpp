/// Collectives over one communicator or window: the n-th calls of all members belong together.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "explain/critical_path.hpp"
#include "mpi/roles.hpp"

namespace waywiser::explain {

using mpi::Role;

/// The arrival of a member's call.
struct Arrival {
    static constexpr std::uint32_t kNoStream = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t stream = kNoStream;
    std::uint64_t begin_ns = 0;
    std::uint64_t call = 0;  ///< number in the stream's history
    PathPoint point = {};
};

/// A member's part in a collective.
struct Part {
    Role role = Role::none;
    bool root = false;
    bool bystander = false;    ///< a rank of the root's group in an intercommunicator: it neither sends nor receives
    std::uint32_t member = 0;  ///< the member's own number, if the role depends on it
};

/// One collective, from its first arrival until all its members are done.
struct Meeting {
    Role role = Role::none;
    std::uint32_t arrivals = 0;
    std::uint32_t done = 0;
    std::uint32_t before = 0;      ///< scan: number of leading members that have all arrived
    bool broken = false;           ///< some members will never arrive
    Arrival awaited;               ///< the last arrival; the root's arrival; if all send to a root, the first sender's
    Arrival last;                  ///< the last arrival among ranks that send to a root
    std::vector<Arrival> members;  ///< arrivals of the members of a scan
    std::vector<std::uint32_t> parked;

    /// Resets this object for the next collective.
    void renew() {
        role = Role::none;
        arrivals = done = before = 0;
        broken = false;
        awaited = last = {};
        members.clear();
        parked.clear();
    }
};

class Group {
public:
    explicit Group(std::uint64_t size) : size_(size) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// The meeting with a number; null if it is over or cannot take place.
    [[nodiscard]] Meeting* meeting(std::uint64_t number) { return number - first_ < open_ ? &at(number) : nullptr; }

    /// Registers a member's arrival. \return streams that can continue because of it; valid until the next call
    std::span<const std::uint32_t> arrive(std::uint64_t number, const Part& part, std::uint32_t stream,
                                          std::uint64_t begin_ns, std::uint64_t call, CriticalPaths& paths);

    /// True if the member has to wait for others to arrive.
    [[nodiscard]] bool lacks(std::uint64_t number, const Part& part);

    /// The arrival for which the member has waited; null if there is none.
    [[nodiscard]] const Arrival* awaited(std::uint64_t number, const Part& part);

    /// The arrival for which the root of an n-to-1 collective waited at the end; null for other members.
    [[nodiscard]] const Arrival* last_awaited(std::uint64_t number, const Part& part);

    void leave(std::uint64_t number, CriticalPaths& paths);

    /// Sets the number of meetings in which a member takes part. \return streams whose wait can never end
    std::vector<std::uint32_t> ends_after(std::uint64_t meetings);

private:
    void admit(Meeting& meeting, const Part& part, const Arrival& arrival, CriticalPaths& paths);
    [[nodiscard]] bool lacks(const Meeting& meeting, const Part& part) const;
    [[nodiscard]] Meeting& at(std::uint64_t number) { return meetings_[number & (meetings_.size() - 1)]; }
    void open_up_to(std::uint64_t number);

    std::uint64_t size_;
    std::uint64_t first_ = 0;
    std::uint64_t open_ = 0;  ///< number of leading meetings that are over
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
    std::vector<Meeting> meetings_;  ///< ring buffer whose size is a power of two
    std::vector<std::uint32_t> released_;
};

}  // namespace waywiser::explain
