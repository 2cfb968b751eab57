#include "trace/merging/job_tables.hpp"

namespace waywiser::trace {

void JobTables::adopt(ProcessState& process) {
    std::vector<std::uint64_t> communicators;
    communicators.reserve(process.communicators.size());
    for (const Communicator& communicator : process.communicators) communicators.push_back(index_of(communicator));
    for (CollectiveProfile& collective : process.profile.collectives) {
        collective.communicator = communicators.at(collective.communicator);
    }
    std::vector<std::uint64_t> sites;
    sites.reserve(process.call_sites.size());
    for (const CallSite& site : process.call_sites) sites.push_back(index_of(site));
    for (CallSiteProfile& site : process.profile.call_sites) site.site = sites.at(site.site);
    profile_.split_sync = profile_.split_sync || process.split_sync;
}

/// Only rank 0 of a communicator lists its members.
std::uint64_t JobTables::index_of(const Communicator& communicator) {
    const std::tuple key(communicator.size, communicator.fingerprint, communicator.intercommunicator);
    const auto [at, is_new] = communicators_.try_emplace(key, profile_.communicators.size());
    if (is_new) {
        profile_.communicators.push_back(communicator);
    } else if (Communicator& known = profile_.communicators[at->second]; known.members.empty()) {
        known.members = communicator.members;
    }
    return at->second;
}

std::uint64_t JobTables::index_of(const CallSite& site) {
    const auto [at, is_new] = call_sites_.try_emplace(site, profile_.call_sites.size());
    if (is_new) profile_.call_sites.push_back(site);
    return at->second;
}

}  // namespace waywiser::trace
