/// Records and enumerations as Python classes, generated from the lists of their members and values.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "base/enumerators.hpp"
#include "base/members.hpp"

namespace waywiser::bind {

/// Adds read-only properties.
template <class Class, class Members>
Class with_members(Class bound_class, const Members& members) {
    for_each_member(members, [&](const auto& member) { bound_class.def_ro(member.name, member.value); });
    return bound_class;
}

/// Adds read-write properties.
template <class Class, class Members>
Class with_open_members(Class bound_class, const Members& members) {
    for_each_member(members, [&](const auto& member) { bound_class.def_rw(member.name, member.value); });
    return bound_class;
}

/// A class whose members are read-only in Python.
template <class Record, class Members = decltype(kMembers<Record>)>
nanobind::class_<Record> bind_record(nanobind::module_& module, const char* name, const char* about,
                                     const Members& members = kMembers<Record>) {
    return with_members(nanobind::class_<Record>(module, name, about), members);
}

/// A class that Python constructs, with read-write members.
template <class Record, class Members = decltype(kMembers<Record>)>
nanobind::class_<Record> bind_open_record(nanobind::module_& module, const char* name, const char* about,
                                          const Members& members = kMembers<Record>) {
    return with_open_members(nanobind::class_<Record>(module, name, about).def(nanobind::init<>()), members);
}

template <class Enumeration>
void bind_enumeration(nanobind::module_& module, const char* name, const char* about) {
    nanobind::enum_<Enumeration> bound_class(module, name, about);
    for (std::size_t i = 0; i < kEnumerators<Enumeration>.size(); ++i) {
        bound_class.value(std::string(kEnumerators<Enumeration>[i]).c_str(), static_cast<Enumeration>(i));
    }
}

}  // namespace waywiser::bind
