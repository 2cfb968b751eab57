/// The version of a program, for --version and for its output.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace waywiser {

/// True if a command line has --version.
[[nodiscard]] bool asks_version(std::span<const char* const> arguments);

/// Text for --version, such as "ww-minife 0.1.0 of Waywiser, compiled by GCC 12.2.0".
[[nodiscard]] std::string version_text(std::string_view program);

/// Start of a program's report, such as "ww-minife 0.1.0: ".
[[nodiscard]] std::string report_title(std::string_view program);

}  // namespace waywiser
