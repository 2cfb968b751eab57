/// `ww-exec --run RUN -- PROGRAM [ARGUMENT…]`: for job scripts on nodes without `waywiser`.
#pragma once

namespace waywiser::profile {

inline constexpr char kCopyEvery[] = "--copy-every=";

/// True if the arguments have that form.
[[nodiscard]] bool is_by_hand(int argc, char** argv);

/// Finds one of Waywiser's libraries, beside this executable or in ../lib.
/// \return its path, valid for as long as this process lives; null after a message on stderr if it is not found
[[nodiscard]] char* find_library(const char* name);

/// Creates RUN, unless another rank has done so, and replaces `--run RUN --` by the LIBRARY RUN STATE OPTIONS that
/// `waywiser profile` would have given, after `--copy-every=` if present. The library is the one beside this executable
/// or in ../lib.
/// \return the new arguments, of which `argc` is the number; null after a message on stderr if the run cannot be
///         created
[[nodiscard]] char** complete_by_hand(int* argc, char** argv);

}  // namespace waywiser::profile
