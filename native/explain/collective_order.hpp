/// Collectives over one communicator or window: the n-th call of each member is part of the same one.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "explain/critical_path.hpp"
#include "mpi/roles.hpp"

namespace waywiser::explain {

using mpi::Role;

/// A member's call that takes part.
struct Arrival {
    static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t stream = kNobody;
    std::uint64_t begin_ns = 0;
    std::uint64_t call = 0;  ///< in the stream's history
    PathPoint point = {};
};

/// A member's part in a collective.
struct Part {
    Role role = Role::none;
    bool root = false;
    bool bystander = false;    ///< of the root's group in a collective between groups: neither gives nor takes
    std::uint32_t member = 0;  ///< own number, where the role depends on it
};

/// One collective, from its first arrival until all its members are done.
struct Meeting {
    Role role = Role::none;
    std::uint32_t arrivals = 0;
    std::uint32_t done = 0;
    std::uint32_t before = 0;      ///< scan: so many members, from the first on, have arrived
    bool broken = false;           ///< not all members will come
    Arrival awaited;               ///< the last arrival; the root; if all send to a root, the first sender
    Arrival last;                  ///< of ranks that send to a root
    std::vector<Arrival> members;  ///< scan
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

    /// The meeting with that number; null if it is over or cannot take place.
    [[nodiscard]] Meeting* meeting(std::uint64_t number) { return number - first_ < open_ ? &at(number) : nullptr; }

    /// A member arrives. \return streams that can go on because of it; valid until the next call
    std::span<const std::uint32_t> arrive(std::uint64_t number, const Part& part, std::uint32_t stream,
                                          std::uint64_t begin_ns, std::uint64_t call, CriticalPaths& paths);

    /// True if the member has to wait for others to arrive.
    [[nodiscard]] bool lacks(std::uint64_t number, const Part& part);

    /// Whom the member has waited for, if anybody.
    [[nodiscard]] const Arrival* awaited(std::uint64_t number, const Part& part);

    /// Whom the root of an n-to-1 collective has waited for in the end; null for other members.
    [[nodiscard]] const Arrival* last_awaited(std::uint64_t number, const Part& part);

    void leave(std::uint64_t number, CriticalPaths& paths);

    /// A member takes part in no more than that many. \return streams that wait in vain
    std::vector<std::uint32_t> ends_after(std::uint64_t meetings);

private:
    void admit(Meeting& meeting, const Part& part, const Arrival& arrival, CriticalPaths& paths);
    [[nodiscard]] bool lacks(const Meeting& meeting, const Part& part) const;
    [[nodiscard]] Meeting& at(std::uint64_t number) { return meetings_[number & (meetings_.size() - 1)]; }
    void open_up_to(std::uint64_t number);

    std::uint64_t size_;
    std::uint64_t first_ = 0;
    std::uint64_t open_ = 0;  ///< so many from the first on
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
    std::vector<Meeting> meetings_;  ///< a ring of a power of two
    std::vector<std::uint32_t> released_;
};

}  // namespace waywiser::explain
