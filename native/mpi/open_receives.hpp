/// Selects the receive that takes the next message if some receives have wildcards (MPI 4.1, section 3.5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/calls.hpp"

namespace waywiser::mpi {

/// The receives of a rank whose message is not known yet, in posting order. Each has a wildcard, or follows a receive
/// that may take its message.
///
/// \tparam Id  identifies a receive
template <class Id>
class OpenReceives {
public:
    struct Open {
        Id id;
        std::uint64_t context = 0;  ///< context of its communicator
        Selector from;
    };

    [[nodiscard]] bool empty() const { return open_.empty(); }

    /// Null if that receive is not open.
    [[nodiscard]] Open* find(const Id& id) {
        const auto receive = std::ranges::find(open_, id, &Open::id);
        return receive == open_.end() ? nullptr : &*receive;
    }

    /// \return true if the receive is open now; else its message is the next one of its source and tag
    [[nodiscard]] bool post(const Open& receive) {
        const bool open = receive.from.has_wildcard() || is_contested(receive, open_);
        if (open) open_.push_back(receive);
        return open;
    }

    /// \return true if the receive was open
    bool erase(const Id& id) {
        return std::erase_if(open_, [&](const Open& receive) { return receive.id == id; }) > 0;
    }

    /// True if an earlier receive may take this receive's message.
    /// \param receive  result of find()
    [[nodiscard]] bool is_contested(const Open& receive) const {
        return is_contested(receive, std::span(open_.data(), &receive));
    }

    /// Calls `close(receive)` for each receive whose message is the next one of its source and tag now.
    template <class Close>
    void close_known(Close close) {
        for (std::size_t i = 0; i < open_.size();) {
            if (open_[i].from.has_wildcard() || is_contested(open_[i])) {
                ++i;
                continue;
            }
            close(open_[i]);
            open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

private:
    [[nodiscard]] static bool is_contested(const Open& receive, std::span<const Open> earlier) {
        return std::ranges::any_of(earlier, [&](const Open& previous) {
            return previous.context == receive.context && previous.from.may_match(receive.from);
        });
    }

    std::vector<Open> open_;
};

}  // namespace waywiser::mpi
