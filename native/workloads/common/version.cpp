#include "workloads/common/version.hpp"

#include <algorithm>

namespace waywiser {
namespace {

#if defined(__INTEL_LLVM_COMPILER)
constexpr const char* compiler = __VERSION__;
#elif defined(__clang__)
constexpr const char* compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* compiler = "GCC " __VERSION__;
#else
constexpr const char* compiler = "an unknown compiler";
#endif

std::string named(std::string_view program) { return std::string(program) + " " + WAYWISER_VERSION; }

}  // namespace

bool asks_version(std::span<const char* const> arguments) {
    return std::ranges::any_of(
        arguments, [](std::string_view argument) { return argument == "--version" || argument == "-version"; });
}

std::string version_text(std::string_view program) {
    return named(program) + " of Waywiser, compiled by " + compiler + "\n";
}

std::string report_title(std::string_view program) { return named(program) + ": "; }

}  // namespace waywiser
