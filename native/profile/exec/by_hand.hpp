/// `ww-exec --run RUN -- PROGRAM [ARGUMENT…]`: for job scripts on nodes where `waywiser` is not.
#pragma once

namespace waywiser::profile {

inline constexpr char kCopyEvery[] = "--copy-every=";

/// True if the arguments are those of a start by hand.
[[nodiscard]] bool is_by_hand(int argc, char** argv);

/// The file of one of Waywiser's libraries, beside this executable or in ../lib.
/// \return its path, for as long as this process lives; null if it is not there, and a sentence on
/// stderr has said so
[[nodiscard]] char* find_library(const char* name);

/// Creates RUN, unless another rank has, and replaces `--run RUN --` by the LIBRARY RUN STATE OPTIONS that `waywiser
/// profile` would have given, after `--copy-every=` if present. The library is the one beside this executable or in
/// ../lib.
/// \return the new arguments, of which `argc` is the number; null if it cannot, and a sentence on
/// stderr has said why
[[nodiscard]] char** complete_by_hand(int* argc, char** argv);

}  // namespace waywiser::profile
