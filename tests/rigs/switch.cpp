/// An Ethernet switch between the hosts of a rig: frames take a time to cross it, and each port sends at a rate.
///
///     switch DELAY_US RATE_BIT_PER_S UPLINK_BIT_PER_S PID...
///
/// An uplink rate above 0 makes two switches that a cable of that rate joins, with the hosts on them in turn; 0 makes
/// one switch.
///
/// Makes a TAP device eth0 with the address 02:00:00:00:00:NN in the network namespace of each process, NN from 1, says
/// "ready", and forwards until it is killed. Rate 0 is no limit. A frame leaves its port when those before it have
/// left, and arrives that delay later, so that senders to one host share its rate. Frames of up to 64 kB come from the
/// kernel in one piece (segmentation offload) and are charged as the segments that they stand for.
///
/// Ports do not wait for each other, nor for programs that compute, as in hardware: each has a thread, which comes
/// before all others (SCHED_FIFO) where the system lets it.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using Nanoseconds = long long;

/// The header of each frame (virtio 1.2, 5.1.6); the kernel's header file for it is not C++.
struct OffloadHeader {
    std::uint8_t flags;
    std::uint8_t gso_type;
    std::uint16_t hdr_len;
    std::uint16_t gso_size;
    std::uint16_t csum_start;
    std::uint16_t csum_offset;
};

constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
constexpr std::size_t kMostQueued = 4096;      // frames of a port; more are dropped, as a switch does
constexpr double kBetweenFrames = 8 + 4 + 12;  // bytes on the wire: preamble, checksum, gap (IEEE 802.3)
constexpr std::size_t kLongest = sizeof(OffloadHeader) + 65536 + 64;

using Bytes = std::array<unsigned char, kLongest>;  // of a frame, virtio header first

/// One direction of a cable, which the threads of several ports use.
class Cable {
public:
    /// \return when a frame has left that is here at this time
    Nanoseconds leave(Nanoseconds here, Nanoseconds length) {
        const std::lock_guard guard(lock_);
        free_at_ = std::max(free_at_, here) + length;
        return free_at_;
    }

private:
    std::mutex lock_;
    Nanoseconds free_at_ = 0;  // with the lock
};

struct Port {
    int device = -1;
    Cable cable;
    std::atomic<std::size_t> queued = 0;
};

/// The cable between two switches, on which hosts hang in turn.
struct Uplink {
    double ns_per_byte;
    std::array<Cable, 2> to;  // by the switch at the end
};

struct Frame {
    Port* to;
    double on_wire;  // bytes
    std::size_t length;
    std::unique_ptr<Bytes> bytes;
    bool at_port = false;  // not on the uplink
};

[[noreturn]] void fail(const std::string& name) { throw std::runtime_error(name + ": " + std::strerror(errno)); }

Nanoseconds now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

void enter(const std::string& process) {
    const std::string file = "/proc/" + process + "/ns/net";
    const int space = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail(file);
    close(space);
}

/// A TAP device in the namespace that the process is in.
int tap(unsigned char number) {
    const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) fail("/dev/net/tun");
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    std::strcpy(request.ifr_name, "eth0");
    if (ioctl(device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
    const int header = sizeof(OffloadHeader);
    if (ioctl(device, TUNSETVNETHDRSZ, &header) != 0) fail("TUNSETVNETHDRSZ");
    if (ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0) fail("TUNSETOFFLOAD");
    const std::array<unsigned char, 6> address = {2, 0, 0, 0, 0, number};
    request.ifr_hwaddr.sa_family = 1;  // ARPHRD_ETHER
    std::copy(address.begin(), address.end(), request.ifr_hwaddr.sa_data);
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0 || ioctl(socket, SIOCSIFHWADDR, &request) != 0) fail("SIOCSIFHWADDR");
    close(socket);
    return device;
}

/// Bytes that a frame takes on the wire, all its segments with their headers.
double wire_bytes(const unsigned char* bytes, std::size_t length) {
    OffloadHeader header{};
    std::memcpy(&header, bytes, sizeof header);
    const double frame = static_cast<double>(length - sizeof header);
    if (header.gso_size == 0) return frame + kBetweenFrames;
    const double payload = frame - header.hdr_len;
    const double segments =
        static_cast<double>((static_cast<std::size_t>(payload) + header.gso_size - 1) / header.gso_size);
    return payload + segments * (header.hdr_len + kBetweenFrames);
}

/// Forwards what comes in through one port.
class Line {
public:
    Line(Nanoseconds delay, double ns_per_byte, std::deque<Port>& ports, Uplink& uplink, std::size_t own)
        : delay_(delay), ns_per_byte_(ns_per_byte), ports_(ports), uplink_(uplink), own_(own) {}

    [[noreturn]] void run() {
        pollfd file{ports_[own_].device, POLLIN, 0};
        for (;;) {
            const bool took = take();
            const Nanoseconds next = deliver();
            if (took) continue;
            const Nanoseconds left = next == kNever ? 0 : std::max<Nanoseconds>(next - now(), 0);
            const timespec until = {left / 1'000'000'000, left % 1'000'000'000};
            ppoll(&file, 1, next == kNever ? nullptr : &until, nullptr);
        }
    }

private:
    bool take() {
        const ssize_t length = read(ports_[own_].device, came_->data(), came_->size());
        if (length <= static_cast<ssize_t>(sizeof(OffloadHeader) + 14)) return false;
        forward(static_cast<std::size_t>(length));
        return true;
    }

    void forward(std::size_t length) {
        const unsigned char* address = came_->data() + sizeof(OffloadHeader);
        const bool to_all = (address[0] & 1U) != 0;
        const std::size_t named = address[5] - std::size_t{1};
        if (!to_all) return queue(named, length, came_);
        for (std::size_t to = 0; to < ports_.size(); ++to) {
            auto copy = std::make_unique<Bytes>(*came_);
            queue(to, length, copy);
        }
    }

    /// \param bytes  are others afterwards, if the port takes these
    void queue(std::size_t number, std::size_t length, std::unique_ptr<Bytes>& bytes) {
        if (number == own_ || number >= ports_.size() || ports_[number].queued >= kMostQueued) return;
        Port& to = ports_[number];
        ++to.queued;
        const double on_wire = wire_bytes(bytes->data(), length);
        Frame frame{.to = &to, .on_wire = on_wire, .length = length, .bytes = std::exchange(bytes, spare())};
        if (uplink_.ns_per_byte == 0 || number % 2 == own_ % 2) return leave(now(), std::move(frame));
        const auto crossing = static_cast<Nanoseconds>(on_wire * uplink_.ns_per_byte);
        const Nanoseconds crossed = uplink_.to[number % 2].leave(now(), crossing);
        queue_.emplace(crossed, std::move(frame));
    }

    /// By its port, once it is at the port's switch.
    void leave(Nanoseconds here, Frame frame) {
        const auto length = static_cast<Nanoseconds>(frame.on_wire * ns_per_byte_);
        const Nanoseconds due = frame.to->cable.leave(here, length) + delay_;
        frame.at_port = true;
        queue_.emplace(due, std::move(frame));
    }

    std::unique_ptr<Bytes> spare() {
        if (spare_.empty()) return std::make_unique<Bytes>();
        auto taken = std::move(spare_.back());
        spare_.pop_back();
        return taken;
    }

    /// \return when the next frame is due
    Nanoseconds deliver() {
        while (!queue_.empty() && queue_.begin()->first <= now()) {
            Frame& frame = queue_.begin()->second;
            if (!frame.at_port) {
                auto crossed = queue_.extract(queue_.begin());
                leave(crossed.key(), std::move(crossed.mapped()));
                continue;
            }
            if (write(frame.to->device, frame.bytes->data(), frame.length) < 0 && errno == EAGAIN) break;
            --frame.to->queued;
            spare_.push_back(std::move(frame.bytes));
            queue_.erase(queue_.begin());
        }
        return queue_.empty() ? kNever : queue_.begin()->first;
    }

    Nanoseconds delay_;
    double ns_per_byte_;
    std::deque<Port>& ports_;
    Uplink& uplink_;
    std::size_t own_;
    std::unique_ptr<Bytes> came_ = std::make_unique<Bytes>();
    std::vector<std::unique_ptr<Bytes>> spare_;
    std::multimap<Nanoseconds, Frame> queue_;  // by when they are due, or have crossed the uplink
};

/// \param rate_bit_per_s  of which 0 is no limit
double ns_per_byte(const char* rate_bit_per_s) {
    const double rate = std::atof(rate_bit_per_s);
    return rate > 0 ? 8e9 / rate : 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        std::fputs("usage: switch DELAY_US RATE_BIT_PER_S UPLINK_BIT_PER_S PID...\n", stderr);
        return 2;
    }
    try {
        prctl(PR_SET_TIMERSLACK, 1);
        prctl(PR_SET_PDEATHSIG, 9);
        const sched_param first{1};
        if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
            std::fprintf(stderr, "switch: waits for its turn among other programs: %s\n", std::strerror(errno));
        std::deque<Port> ports;
        for (int i = 4; i < count; ++i) {
            enter(words[i]);
            ports.emplace_back().device = tap(static_cast<unsigned char>(i - 3));
        }
        std::puts("ready");
        std::fflush(stdout);
        const auto delay = static_cast<Nanoseconds>(std::atof(words[1]) * 1e3);
        Uplink uplink{.ns_per_byte = ns_per_byte(words[3]), .to = {}};
        std::deque<Line> lines;
        std::vector<std::jthread> threads;
        for (std::size_t own = 0; own < ports.size(); ++own) {
            Line& line = lines.emplace_back(delay, ns_per_byte(words[2]), ports, uplink, own);
            threads.emplace_back([&line] { line.run(); });
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "switch: %s\n", error.what());
        return 1;
    }
}
