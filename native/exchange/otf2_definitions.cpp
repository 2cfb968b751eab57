#include "exchange/otf2_definitions.hpp"

#include <memory>

#include "base/error.hpp"

namespace waywiser::exchange::otf2 {
namespace {

Definitions& of(void* definitions) { return *static_cast<Definitions*>(definitions); }

void set_tables(const Library& otf2, GlobalDefCallbacks* on) {
    otf2.GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        on,
        [](void* all, std::uint64_t resolution, std::uint64_t offset, std::uint64_t, std::uint64_t realtime) -> Code {
            if (resolution > 0) of(all).ticks_per_s = resolution;
            of(all).begin_ticks = offset;
            of(all).begin_unix_ns = realtime == kUndefinedTime ? 0 : realtime;
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetStringCallback(on, [](void* all, Ref self, const char* text) -> Code {
        of(all).strings[self] = text;
        return 0;
    });
    otf2.GlobalDefReaderCallbacks_SetAttributeCallback(on,
                                                       [](void* all, Ref self, Ref name, Ref, std::uint8_t) -> Code {
                                                           of(all).attributes[self] = of(all).text(name);
                                                           return 0;
                                                       });
    otf2.GlobalDefReaderCallbacks_SetRegionCallback(
        on,
        [](void* all, Ref self, Ref name, Ref canonical, Ref, std::uint8_t, std::uint8_t paradigm, std::uint32_t, Ref,
           std::uint32_t, std::uint32_t) -> Code {
            std::string text = of(all).text(name);
            of(all).regions[self] = {text.empty() ? of(all).text(canonical) : text, paradigm};
            return 0;
        });
}

void set_system(const Library& otf2, GlobalDefCallbacks* on) {
    otf2.GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
        on, [](void* all, Ref self, Ref name, Ref class_name, Ref parent) -> Code {
            of(all).nodes[self] = {of(all).text(name), of(all).text(class_name), parent};
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(
        on, [](void* all, Ref, Ref name, std::uint8_t type, Value value) -> Code {
            if (type == kString) of(all).properties[of(all).text(name)] = of(all).text(value.string);
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetLocationGroupCallback(
        on, [](void* all, Ref self, Ref name, std::uint8_t, Ref node, Ref) -> Code {
            of(all).location_groups[self] = {of(all).text(name), node};
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(
        on, [](void* all, Ref group, Ref name, std::uint8_t type, Value value) -> Code {
            if (type == kString) of(all).group_properties[group][of(all).text(name)] = of(all).text(value.string);
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetLocationCallback(
        on, [](void* all, Location self, Ref, std::uint8_t type, std::uint64_t events, Ref group) -> Code {
            of(all).locations.push_back({self, type, events, group});
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetLocationPropertyCallback(
        on, [](void* all, Location self, Ref name, std::uint8_t type, Value value) -> Code {
            if (type == kString) of(all).location_properties[self][of(all).text(name)] = of(all).text(value.string);
            return 0;
        });
}

void set_communicators(const Library& otf2, GlobalDefCallbacks* on) {
    otf2.GlobalDefReaderCallbacks_SetGroupCallback(
        on,
        [](void* all, Ref self, Ref, std::uint8_t type, std::uint8_t paradigm, std::uint32_t, std::uint32_t number,
           const std::uint64_t* members) -> Code {
            of(all).groups[self] = {type, {members, members + number}};
            if (type == kCommLocations && paradigm == kMpi) of(all).mpi_locations.assign(members, members + number);
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetCommCallback(
        on, [](void* all, Ref self, Ref name, Ref group, Ref, std::uint32_t) -> Code {
            of(all).comms[self] = {of(all).text(name), group, kUndefined};
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetInterCommCallback(
        on, [](void* all, Ref self, Ref name, Ref group, Ref remote_group, Ref, std::uint32_t) -> Code {
            of(all).comms[self] = {of(all).text(name), group, remote_group};
            return 0;
        });
    otf2.GlobalDefReaderCallbacks_SetRmaWinCallback(on,
                                                    [](void* all, Ref self, Ref name, Ref comm, std::uint32_t) -> Code {
                                                        of(all).windows[self] = {of(all).text(name), comm};
                                                        return 0;
                                                    });
}

}  // namespace

Definitions read_definitions(const Library& otf2, Reader* reader, const std::string& anchor) {
    Definitions definitions;
    GlobalDefReader* const global = otf2.Reader_GetGlobalDefReader(reader);
    require(global != nullptr, anchor + ": its definitions cannot be read (the .def file beside it)");
    const std::unique_ptr<GlobalDefCallbacks, void (*)(GlobalDefCallbacks*)> on(otf2.GlobalDefReaderCallbacks_New(),
                                                                                otf2.GlobalDefReaderCallbacks_Delete);
    set_tables(otf2, on.get());
    set_system(otf2, on.get());
    set_communicators(otf2, on.get());
    std::uint64_t read = 0;
    const bool good = otf2.Reader_RegisterGlobalDefCallbacks(reader, global, on.get(), &definitions) == 0 &&
                      otf2.Reader_ReadAllGlobalDefinitions(reader, global, &read) == 0;
    require(good, anchor + ": its definitions are damaged after " + std::to_string(read) + " records");
    return definitions;
}

}  // namespace waywiser::exchange::otf2
