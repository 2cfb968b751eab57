/// Which send and which receive are one message: both are the k-th on their channel, since messages of
/// the same communicator, sender, receiver and tag do not overtake each other (MPI 4.1, section 3.5).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/trace.hpp"

namespace waywiser::explain {

/// The sender's or the receiver's end of a message.
struct MessageEnd {
    std::uint64_t message;  ///< the same at both ends, and different for different messages
    bool sent;
    std::uint64_t bytes;  ///< as the sender has them, or the room that the receiver had
};

/// Numbers the messages of a job, rank after rank. Memory is bounded by the channels of the program
/// and the requests of one rank.
///
/// A receive is numbered where it is posted; where it leaves source or tag open, when it completes.
class MessageNumbers {
public:
    explicit MessageNumbers(const trace::TraceJob& job) : job_(job) {}

    /// Calls that follow are of this rank, of all its threads in the order of their begins.
    void begin_rank(const trace::TraceRank& rank);

    /// \return the ends of messages that the call sends, or whose receive it completes; valid until the next call
    const std::vector<MessageEnd>& ends_of(const trace::Parameters& call);

private:
    struct Channel {
        std::uint64_t context;
        std::int64_t source, destination;
        std::int32_t tag;
        bool operator==(const Channel&) const = default;
    };
    struct ChannelHash {
        std::size_t operator()(const Channel& channel) const;
    };
    struct Numbers {
        std::uint64_t channel;
        std::uint64_t sent = 0, received = 0;
    };
    /// A request, or a message that a probe took.
    struct Request {
        enum class Is : std::uint8_t { nothing, send, receive, numbered } is = Is::nothing;
        bool persistent = false;
        std::int32_t object = trace::kNone;
        std::int32_t peer = trace::kNone;
        std::int32_t tag = trace::kNone;
        std::uint64_t bytes = 0;
        std::uint64_t message = kNobodys;
    };
    static constexpr std::uint64_t kNobodys = ~std::uint64_t{0};

    [[nodiscard]] std::uint64_t number(std::int32_t object, std::int32_t peer, std::int32_t tag, bool sent);
    Request& at(std::int32_t request);
    void send(std::int32_t object, std::int32_t peer, std::int32_t tag, std::uint64_t bytes);
    void post(Request& request);
    void receive(const trace::Parameters& call);
    void start(const trace::Parameters& call);
    void complete(const trace::Parameters& call);
    void probe(const trace::Parameters& call);
    void end(std::uint64_t message, bool sent, std::uint64_t bytes);

    const trace::TraceJob& job_;
    const trace::TraceRank* rank_ = nullptr;
    std::unordered_map<Channel, Numbers, ChannelHash> channels_;
    std::vector<Request> requests_;
    std::vector<MessageEnd> ends_;
};

/// World rank of a peer of an object; a negative one as it is, kUnknown where the members are not known.
[[nodiscard]] std::int64_t world_rank(const trace::TraceObject& object, std::int32_t peer);

/// The object by a rank's own number; nullptr where there is none.
[[nodiscard]] const trace::TraceObject* object_of(const trace::TraceJob& job, const trace::TraceRank& rank,
                                                  std::int32_t number);

}  // namespace waywiser::explain
