/// The job tables of a trace as texts, one a row: properties of OTF2's definitions hold what the
/// definitions themselves have no place for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/otf2_library.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::exchange::otf2 {

/// Names of properties; names of tables' properties end in the row's number.
inline constexpr std::string_view kJobProperty = "waywiser.job";
inline constexpr std::string_view kSiteProperty = "waywiser.site.";
inline constexpr std::string_view kObjectProperty = "waywiser.object.";
inline constexpr std::string_view kHostProperty = "waywiser.host.";
inline constexpr std::string_view kLostProperty = "waywiser.lost.";
inline constexpr std::string_view kRankProperty = "waywiser.rank";
inline constexpr std::string_view kStreamProperty = "waywiser.stream";

/// Fields between tabs; a tab, a line break and a backslash within one are written \t, \n and \\.
template <class Record>
[[nodiscard]] std::string row(const Record& record);
[[nodiscard]] std::string row(const trace::TraceStream& stream);
[[nodiscard]] std::string job_row(const trace::TraceJob& job);

/// Parses such a row.
/// \throws InvalidInput  if it is damaged
template <class Record>
void read(std::string_view text, Record& record);
void read(std::string_view text, trace::TraceStream& stream);
void read_job(std::string_view text, trace::TraceJob& job);

/// An object of the job as OTF2 defines it; files, and objects with unknown members, have no definition.
struct Definition {
    std::uint64_t processes = 0;  ///< that peers are ranks of
    Ref comm = kUndefined;        ///< of a window: the communicator of its processes
    Ref window = kUndefined;
    bool created = false;  ///< or freed, by an event
};

/// The definitions of all objects, numbered alike for writers and readers.
[[nodiscard]] std::vector<Definition> definitions_of(const std::vector<trace::TraceObject>& objects);

}  // namespace waywiser::exchange::otf2
