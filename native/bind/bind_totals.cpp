/// Sums of a profile as plain Python values: the content of `waywiser show --json`, with times in s.
#include <nanobind/stl/string.h>

#include "bind/record_fields.hpp"
#include "bind/rooms.hpp"
#include "bind/traffic.hpp"
#include "trace/reading/totals.hpp"
#include "trace/records/load_fields.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::trace;

namespace waywiser::bind {
namespace {

using Document = nb::typed<nb::dict, nb::str, nb::any>;
using Documents = nb::typed<nb::list, Document>;

/// Seconds from nanoseconds. A division rounds only once: 43445950 ns become 0.04344595 s.
double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

nb::dict document(const Load& load) {
    nb::dict out;
    for (const LoadField& part : kLoadFields) add_field(part, load.*part.value, out);
    return out;
}

nb::dict document(const FunctionTotal& function) {
    nb::dict out = document(function.load);
    out["pending_calls"] = function.pending_calls;
    out["pending_seconds"] = seconds(function.pending_ns);
    nb::list sizes;
    for (const auto& [bound, calls, ns] : function.sizes) sizes.append(nb::make_tuple(bound, calls, seconds(ns)));
    out["sizes"] = nb::tuple(sizes);
    return out;
}

nb::dict document(const RankTime& time) {
    nb::dict out;
    out["rank"] = time.rank;
    out["seconds"] = seconds(time.ns);
    return out;
}

nb::dict document(const FunctionTotals& functions) {
    nb::dict out;
    for (const auto& [name, function] : functions) out[name.c_str()] = document(function);
    return out;
}

nb::dict function_documents(const JobTotals& totals) {
    nb::dict out;
    for (const auto& [name, function] : totals.functions) {
        nb::dict entry = document(function.total);
        entry["most"] = document(function.spread.most);
        entry["least"] = document(function.spread.least);
        out[name.c_str()] = entry;
    }
    return out;
}

nb::list phase_documents(const JobTotals& totals, std::size_t ranks) {
    nb::list out;
    for (const auto& [number, phase] : totals.phases) {
        nb::dict entry;
        entry["phase"] = number;
        entry["entries"] = phase.entries;
        entry["seconds"] = seconds(phase.ns) / static_cast<double>(ranks);
        entry["max_seconds"] = seconds(phase.spread.most.ns);
        entry["max_rank"] = phase.spread.ranks == 0 ? nb::none() : nb::object(nb::int_(phase.spread.most.rank));
        entry["functions"] = document(phase.functions);
        out.append(entry);
    }
    return out;
}

/// Text such as "0-3,8": world ranks in the order of the communicator; "0-14:2" is every second.
nb::object ranks_text(const Communicator& communicator) {
    if (communicator.members.empty()) return nb::none();
    std::string text;
    for (const auto& [first, stride, count] : communicator.members) {
        if (!text.empty()) text += ',';
        text += std::to_string(first);
        if (count > 1) text += '-' + std::to_string(first + (count - 1) * stride);
        if (count > 1 && stride != 1) text += ':' + std::to_string(stride);
    }
    return nb::str(text.c_str());
}

nb::object roots(const CollectiveTotal& total) {
    if (total.other_roots) return nb::str("several");
    nb::list out;
    for (const std::int64_t root : total.roots) out.append(root);
    return nb::tuple(out);
}

nb::list communicator_documents(const Profile& profile, const JobTotals& totals) {
    std::vector<nb::dict> functions(profile.communicators.size());
    for (const auto& [place, total] : totals.collectives) {
        nb::dict entry = document(total.load);
        entry["roots"] = roots(total);
        functions.at(place.first)[place.second.c_str()] = entry;
    }
    nb::list out;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const Communicator& communicator = profile.communicators[i];
        nb::dict entry;
        entry["size"] = communicator.size < 0 ? nb::none() : nb::object(nb::int_(communicator.size));
        entry["name"] = communicator.name;
        entry["ranks"] = ranks_text(communicator);
        entry["intercommunicator"] = communicator.intercommunicator;
        entry["functions"] = functions[i];
        out.append(entry);
    }
    return out;
}

nb::list call_site_documents(const Profile& profile, const JobTotals& totals) {
    nb::list out;
    for (const auto& [place, total] : totals.call_sites) {
        const CallSite& site = profile.call_sites.at(place.first);
        nb::dict entry = document(total.load);
        entry["place"] = site.place.empty() ? nb::none() : nb::object(nb::str(site.place.c_str()));
        entry["module"] = site.module;
        entry["address"] = nb::str("{:#x}").attr("format")(site.address);
        entry["function"] = place.second;
        entry["ranks"] = total.spread.ranks;
        entry["most"] = document(total.spread.most);
        out.append(entry);
    }
    return out;
}

Document job_document(const Profile& profile) {
    const JobTotals totals = job_totals(profile);
    nb::dict progress;
    progress["progress_ranks"] = totals.progress.ranks;
    progress["progress_threads"] = totals.progress.threads;
    progress["progress_mpi_seconds"] = seconds(totals.progress.ns);
    nb::dict out;
    out["functions"] = function_documents(totals);
    out["phases"] = phase_documents(totals, profile.ranks.size());
    out["communicators"] = communicator_documents(profile, totals);
    out["call_sites"] = call_site_documents(profile, totals);
    out["threads"] = progress;
    return Document(out);
}

nb::dict rank_document(const RankProfile& rank) {
    const MpiTime time = mpi_time(rank);
    nb::list phases;
    for (const auto& [phase, entries, ns] : rank.phases) phases.append(nb::make_tuple(phase, entries, seconds(ns)));
    nb::dict out;
    out["rank"] = rank.rank;
    out["host"] = rank.host;
    out["cpus"] = rank.cpus;
    if (rank.sharing != 0) out["sharing_leader"] = rank.sharing - 1;
    add_fields(rank, out);
    out["not_counted"] = rank.not_counted;
    out["mpi_seconds"] = seconds(time.ns);
    out["sync_seconds"] = seconds(time.sync_ns);
    out["mpi_threads"] = time.threads;
    out["progress_threads"] = time.progress.threads;
    out["progress_mpi_seconds"] = seconds(time.progress.ns);
    out["phases"] = nb::tuple(phases);
    return out;
}

Documents rank_documents(const Profile& profile) {
    nb::list out;
    for (const RankProfile& rank : profile.ranks) out.append(rank_document(rank));
    return Documents(out);
}

Documents node_documents(const Profile& profile) {
    nb::list out;
    for (const NodeProfile& node : profile.nodes) {
        nb::dict unknown;
        for (std::size_t i = 0; i < kNodeFields.size(); ++i) {
            if (!node.unknown[i].empty()) unknown[document_name(kNodeFields[i]).c_str()] = node.unknown[i];
        }
        nb::dict entry;
        entry["host"] = node.host;
        add_fields(node, entry);
        entry["unknown"] = unknown;
        out.append(entry);
    }
    return Documents(out);
}

Document rank_functions(const Profile& profile, std::size_t index) {
    return Document(document(function_totals(profile.ranks.at(index))));
}

Documents rank_threads(const Profile& profile, std::size_t index) {
    nb::list out;
    for (const ThreadProfile& thread : profile.ranks.at(index).threads) {
        if (thread.functions.empty()) continue;
        nb::dict entry;
        entry["thread"] = nb::len(out);
        entry["role"] = makes_progress(thread) ? "progress" : "compute";
        entry["seconds"] = seconds(thread.ns);
        entry["mpi_seconds"] = seconds(mpi_time(thread).ns);
        entry["functions"] = document(function_totals(thread));
        out.append(entry);
    }
    return Documents(out);
}

Document losses(const Profile& profile) {
    std::uint64_t outside_messages = 0;
    std::uint64_t outside_bytes = 0;
    std::uint64_t unrecorded = 0;
    bool finalised = true;
    for (const RankProfile& rank : profile.ranks) {
        outside_messages += rank.at<"outside_world_messages">();
        outside_bytes += rank.at<"outside_world_bytes">();
        unrecorded += rank.at<"unrecorded_calls">();
        finalised = finalised && rank.ending == Ending::finalised;
    }
    nb::dict out;
    out["outside_world_messages"] = outside_messages;
    out["outside_world_bytes"] = outside_bytes;
    out["unrecorded_calls"] = unrecorded;
    out["finalised"] = finalised;
    return Document(out);
}

}  // namespace

void bind_totals(nb::module_& module) {
    module.def("job_document", &job_document, "profile"_a,
               "Sums over ranks: functions, phases, communicators, call sites, threads.");
    module.def("rank_documents", &rank_documents, "profile"_a,
               "What is known of each rank but its functions and threads.");
    module.def("node_documents", &node_documents, "profile"_a, "What is known of each node.");
    module.def(
        "rank_profile",
        [](const Profile& profile, std::size_t index) -> const RankProfile& { return profile.ranks.at(index); },
        "profile"_a, "index"_a, nb::rv_policy::reference, nb::keep_alive<0, 1>(),
        "The profile's rank at an index, not copied.");
    module.def("rank_functions", &rank_functions, "profile"_a, "index"_a,
               "The functions of the profile's rank at an index.");
    module.def("rank_threads", &rank_threads, "profile"_a, "index"_a,
               "The threads that called MPI of the profile's rank at an index.");
    module.def(
        "point_to_point", [](const Profile& profile) { return arrays(point_to_point(profile)); }, "profile"_a,
        "Bytes and messages: source, destination, amount.");
    module.def("losses", &losses, "profile"_a, "What ranks could not record, and whether all finalised.");
}

}  // namespace waywiser::bind
