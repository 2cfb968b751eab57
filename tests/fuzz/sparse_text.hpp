/// Files as text, for the corpus: most of a state is zero.
#pragma once

#include <string>

namespace waywiser::fuzz {

/// The size on the first line, then lines "OFFSET HEX" for what is not zero.
[[nodiscard]] std::string to_text(const std::string& bytes);

/// \throws InvalidInput  if it is not of that form
[[nodiscard]] std::string from_text(const std::string& text);

}  // namespace waywiser::fuzz
