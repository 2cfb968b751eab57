#include "exchange/call_text.hpp"

#include "base/enumerators.hpp"
#include "exchange/text.hpp"

namespace waywiser::exchange {
namespace {

const std::string kNothing;

std::string text_of(const trace::TraceObject& object, std::size_t index) {
    if (!object.name.empty()) return object.name;
    return joined(name_of(object.kind), ' ', index);
}

}  // namespace

std::string site_text(const trace::CallSite& site) {
    if (!site.place.empty()) return site.place;
    std::string text = site.module + "+0x";
    append_part(text, site.address, 16);
    return text;
}

CallText::CallText(const trace::TraceJob& job) : job_(job), groups_(job) {
    for (const trace::CallSite& site : job.call_sites) sites_.push_back(site_text(site));
    for (std::size_t i = 0; i < job.objects.size(); ++i) objects_.push_back(text_of(job.objects[i], i));
}

const std::string& CallText::function(const trace::Parameters& parameters) const {
    static const std::string unknown = "unknown";
    return parameters.function < job_.functions.size() ? job_.functions[parameters.function] : unknown;
}

const std::string& CallText::site(const trace::Parameters& parameters) const {
    const bool known = parameters.site > 0 && parameters.site <= sites_.size();
    return known ? sites_[parameters.site - 1] : kNothing;
}

const std::string& CallText::object(std::size_t rank, const trace::Parameters& parameters) const {
    const std::uint32_t* const index = mpi::numbered(job_.ranks[rank].objects, parameters.object);
    return index == nullptr ? kNothing : objects_[*index];
}

std::int64_t CallText::world_rank(std::size_t rank, const trace::Parameters& parameters, std::int64_t peer) const {
    if (peer < 0) return peer;
    const std::uint32_t* const index = mpi::numbered(job_.ranks[rank].objects, parameters.object);
    return index == nullptr ? trace::kUnknown : groups_.world_rank(*index, peer);
}

}  // namespace waywiser::exchange
