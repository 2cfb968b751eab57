/// The job tables of a trace as texts, one per row. They are stored in properties of OTF2's definitions, because the
/// definitions have no fields for these data.
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

/// Joins fields by tabs; a tab, a line break and a backslash within a field are written as \t, \n and \\.
template <class Record>
[[nodiscard]] std::string row(const Record& record);
[[nodiscard]] std::string row(const trace::TraceStream& stream);
[[nodiscard]] std::string job_row(const trace::TraceJob& job);

/// Parses a row.
/// \throws InvalidInput  if it is damaged
template <class Record>
void read(std::string_view text, Record& record);
void read(std::string_view text, trace::TraceStream& stream);
void read_job(std::string_view text, trace::TraceJob& job);

/// An object of the job as OTF2 defines it; files, and objects with unknown members, have no definition.
struct Definition {
    std::uint64_t processes = 0;  ///< number of the group to which peers belong
    Ref comm = kUndefined;        ///< communicator of a window's processes
    Ref window = kUndefined;
    bool created = false;  ///< an event creates or frees it
};

/// The definitions of all objects, with the same numbers for writers and readers.
[[nodiscard]] std::vector<Definition> definitions_of(const std::vector<trace::TraceObject>& objects);

}  // namespace waywiser::exchange::otf2
