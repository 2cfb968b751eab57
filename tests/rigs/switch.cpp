/// An Ethernet switch between the hosts of a rig: frames take a time to cross it, and each port sends at a rate.
///
///     switch DELAY_US RATE_BIT_PER_S PID...
///
/// Makes a TAP device eth0 with the address 02:00:00:00:00:NN in the network namespace of each process, NN from 1, says
/// "ready", and forwards until it is killed. Rate 0 is no limit. A frame leaves its port when those before it have
/// left, and arrives that delay later, so that senders to one host share its rate. Frames of up to 64 kB come from the
/// kernel in one piece (segmentation offload) and are charged as the segments that they stand for.
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
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Nanoseconds = long long;

/// What stands before each frame (virtio 1.2, 5.1.6); the kernel's header of it is not C++.
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

struct Frame {
    Nanoseconds due;
    std::vector<unsigned char> bytes;  // virtio header first
};

struct Port {
    int device = -1;
    Nanoseconds free_at = 0;
    std::deque<Frame> queue;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

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

class Switch {
public:
    Switch(Nanoseconds delay, double rate_bit_per_s, std::vector<Port> ports)
        : delay_(delay), ns_per_byte_(rate_bit_per_s > 0 ? 8e9 / rate_bit_per_s : 0), ports_(std::move(ports)) {}

    [[noreturn]] void run() {
        std::vector<pollfd> files;
        for (const Port& port : ports_) files.push_back({port.device, POLLIN, 0});
        for (;;) {
            const bool took = take();
            const Nanoseconds next = deliver();
            if (took) continue;
            const Nanoseconds left = next == kNever ? 0 : std::max<Nanoseconds>(next - now(), 0);
            const timespec until = {left / 1'000'000'000, left % 1'000'000'000};
            ppoll(files.data(), files.size(), next == kNever ? nullptr : &until, nullptr);
        }
    }

private:
    bool take() {
        bool took = false;
        for (std::size_t from = 0; from < ports_.size(); ++from) {
            const ssize_t length = read(ports_[from].device, buffer_.data(), buffer_.size());
            if (length <= static_cast<ssize_t>(sizeof(OffloadHeader) + 14)) continue;
            took = true;
            forward(from, static_cast<std::size_t>(length));
        }
        return took;
    }

    void forward(std::size_t from, std::size_t length) {
        const unsigned char* address = buffer_.data() + sizeof(OffloadHeader);
        const bool all = (address[0] & 1U) != 0;
        const Nanoseconds here = now();
        for (std::size_t to = 0; to < ports_.size(); ++to) {
            Port& port = ports_[to];
            if (to == from || (!all && address[5] != to + 1) || port.queue.size() >= kMostQueued) continue;
            const double ns = wire_bytes(buffer_.data(), length) * ns_per_byte_;
            port.free_at = std::max(port.free_at, here) + static_cast<Nanoseconds>(ns);
            port.queue.push_back(
                {port.free_at + delay_, {buffer_.begin(), buffer_.begin() + static_cast<long>(length)}});
        }
    }

    /// \return when the next frame is due
    Nanoseconds deliver() {
        Nanoseconds next = kNever;
        const Nanoseconds here = now();
        for (Port& port : ports_) {
            while (!port.queue.empty() && port.queue.front().due <= here) {
                const Frame& frame = port.queue.front();
                if (write(port.device, frame.bytes.data(), frame.bytes.size()) < 0 && errno == EAGAIN) break;
                port.queue.pop_front();
            }
            if (!port.queue.empty()) next = std::min(next, port.queue.front().due);
        }
        return next;
    }

    Nanoseconds delay_;
    double ns_per_byte_;
    std::vector<Port> ports_;
    std::vector<unsigned char> buffer_ = std::vector<unsigned char>(kLongest);
};

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        std::fputs("usage: switch DELAY_US RATE_BIT_PER_S PID...\n", stderr);
        return 2;
    }
    try {
        prctl(PR_SET_TIMERSLACK, 1);
        prctl(PR_SET_PDEATHSIG, 9);
        std::vector<Port> ports;
        for (int i = 3; i < count; ++i) {
            enter(words[i]);
            ports.push_back({tap(static_cast<unsigned char>(i - 2)), 0, {}});
        }
        std::puts("ready");
        std::fflush(stdout);
        Switch(static_cast<Nanoseconds>(std::atof(words[1]) * 1e3), std::atof(words[2]), std::move(ports)).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "switch: %s\n", error.what());
        return 1;
    }
}
