#include "trace/merging/recorded_objects.hpp"

#include <algorithm>
#include <limits>

#include "trace/merging/state_records.hpp"

namespace waywiser::trace {
namespace {

TraceObject::Kind kind_of(std::uint64_t kind) {
    return kind > static_cast<std::uint64_t>(TraceObject::Kind::file) ? TraceObject::Kind::communicator
                                                                      : static_cast<TraceObject::Kind>(kind);
}

}  // namespace

std::vector<std::uint32_t> RecordedObjects::adopt(const RecordedProcess& process) {
    for (const auto& [id, members] : process.members) {
        const auto at = process.communicators.find(id);
        if (at == process.communicators.end()) continue;
        const state::CommunicatorRecord& communicator = at->second;
        members_.try_emplace({communicator.size, communicator.fingerprint, communicator.intercommunicator != 0},
                             members);
    }
    std::vector<std::uint32_t> numbers;
    for (const auto& [id, record] : process.objects) {
        while (numbers.size() < id) numbers.push_back(unknown());  // A truncated state lacks these objects.
        numbers.push_back(number_of(record, process));
    }
    return numbers;
}

std::uint32_t RecordedObjects::number_of(const state::TraceObjectRecord& record, const RecordedProcess& process) {
    const auto at = process.communicators.find(record.communicator);
    const state::CommunicatorRecord communicator =
        at == process.communicators.end() ? state::CommunicatorRecord{} : at->second;
    const Group group(communicator.size, communicator.fingerprint, communicator.intercommunicator != 0);
    const auto [place, is_new] = numbers_.try_emplace({record.kind, record.context, group}, objects_.size());
    if (is_new) {
        objects_.push_back({.kind = kind_of(record.kind),
                            .context = record.context,
                            .intercommunicator = communicator.intercommunicator != 0,
                            .size = std::max<std::int64_t>(communicator.size, 0),
                            .name = {},
                            .members = {},
                            .own_group = {}});
    }
    TraceObject& object = objects_[place->second];
    if (object.name.empty()) object.name = text_of(record.name);
    return place->second;
}

std::uint32_t RecordedObjects::unknown() {
    const auto [place, is_new] = numbers_.try_emplace({~std::uint64_t{0}, 0, Group{}}, objects_.size());
    if (is_new) objects_.emplace_back();
    return place->second;
}

std::vector<TraceObject> RecordedObjects::finish() {
    for (const auto& [key, number] : numbers_) {
        const auto members = members_.find(std::get<Group>(key));
        if (members != members_.end()) objects_[number].members = members->second;
    }
    for (const auto& [key, number] : numbers_) {
        if (objects_[number].intercommunicator) find_own_group(number, key);
    }
    return std::move(objects_);
}

/// The own group consists of the members of the other side's remote group.
void RecordedObjects::find_own_group(std::size_t object, const Key& key) {
    const auto& [kind, context, group] = key;
    for (auto candidate =
             numbers_.lower_bound({kind, context, Group{std::numeric_limits<std::int64_t>::min(), 0, false}});
         candidate != numbers_.end(); ++candidate) {
        const auto& [its_kind, its_context, its_group] = candidate->first;
        if (its_kind != kind || its_context != context) return;
        if (its_group != group) objects_[object].own_group = objects_[candidate->second].members;
    }
}

}  // namespace waywiser::trace
