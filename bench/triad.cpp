// STREAM's triad on one core: the memory bandwidth that benchmarks are held against, one JSON line a sweep.
//
// Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
// Newsletter, December 1995, pp. 19-25. Unlike STREAM, the write-allocate of a counts: 32 B an element go over the
// memory bus, and a kernel held against this must count in the same way.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

int main(int argc, char** argv) {
    const long megabytes = argc > 1 ? std::atol(argv[1]) : 0;
    const int sweeps = argc > 2 ? std::atoi(argv[2]) : 0;
    if (argc != 3 || megabytes < 1 || sweeps < 1) {
        std::fputs("usage: triad MEGABYTES SWEEPS   (each at least 1; of all three arrays)\n", stderr);
        return 2;
    }
    const std::size_t n = static_cast<std::size_t>(megabytes) * 1000000 / (3 * sizeof(double));
    // Uninitialised, so that the first sweep below times the first touch.
    const std::unique_ptr<double[]> a(new double[n]), b(new double[n]), c(new double[n]);

    auto start = Clock::now();
    for (std::size_t i = 0; i < n; ++i) {
        a[i] = 0.0;
        b[i] = 1.0;
        c[i] = 2.0;
    }
    std::printf("{\"loop\":\"first-touch\",\"bytes\":%zu,\"seconds\":%.9g}\n", 24 * n, seconds_since(start));
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const double scalar = 3.0 + sweep;
        start = Clock::now();
        for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
        std::printf("{\"loop\":\"triad\",\"bytes\":%zu,\"seconds\":%.9g}\n", 32 * n, seconds_since(start));
    }
    return a[n / 2] == 1.0 + (3.0 + sweeps - 1) * 2.0 ? 0 : 1;
}
