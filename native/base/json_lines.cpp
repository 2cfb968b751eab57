#include "base/json_lines.hpp"

#include "base/error.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace waywiser {
namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (code < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
            result += escape.data();
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string literal(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.17g", value);
    return digits.data();
}

std::string literal(std::int64_t value) { return std::to_string(value); }

std::string literal(const std::string& value) { return quoted(value); }

std::string literal(const JsonObject& value) { return value.text(); }

template <typename Value>
std::string array_of(std::span<const Value> values) {
    std::string result = "[";
    for (const Value& value : values) {
        if (result.size() > 1) result += ',';
        result += literal(value);
    }
    return result + ']';
}

}  // namespace

JsonObject::JsonObject(std::initializer_list<Member> members) {
    for (const Member& member : members) add(member);
}

JsonObject& JsonObject::add(const Member& member) {
    if (!members_.empty()) members_ += ',';
    members_ += member.text;
    return *this;
}

JsonObject& JsonObject::add_raw(std::string_view key, std::string_view value) {
    if (!members_.empty()) members_ += ',';
    members_ += quoted(key);
    members_ += ':';
    members_ += value;
    return *this;
}

JsonObject& JsonObject::add(std::string_view key, std::string_view value) { return add_raw(key, quoted(value)); }
JsonObject& JsonObject::add(std::string_view key, const char* value) { return add_raw(key, quoted(value)); }
JsonObject& JsonObject::add(std::string_view key, bool value) { return add_raw(key, value ? "true" : "false"); }
JsonObject& JsonObject::add(std::string_view key, double value) { return add_raw(key, literal(value)); }
JsonObject& JsonObject::add(std::string_view key, int value) { return add_raw(key, std::to_string(value)); }
JsonObject& JsonObject::add(std::string_view key, std::int64_t value) { return add_raw(key, literal(value)); }
JsonObject& JsonObject::add(std::string_view key, std::uint64_t value) { return add_raw(key, std::to_string(value)); }
JsonObject& JsonObject::add(std::string_view key, const JsonObject& value) { return add_raw(key, value.text()); }
JsonObject& JsonObject::add(std::string_view key, std::span<const double> values) {
    return add_raw(key, array_of(values));
}
JsonObject& JsonObject::add(std::string_view key, std::span<const std::int64_t> values) {
    return add_raw(key, array_of(values));
}
JsonObject& JsonObject::add(std::string_view key, std::span<const std::string> values) {
    return add_raw(key, array_of(values));
}
JsonObject& JsonObject::add(std::string_view key, std::span<const JsonObject> values) {
    return add_raw(key, array_of(values));
}

std::string JsonObject::text() const { return '{' + members_ + '}'; }

JsonLines::JsonLines(const std::string& path) : path_(path), file_(path, std::ios::trunc) {
    require(file_.is_open(), "cannot write '" + path + "': give a file in a directory that exists and is writable");
}

void JsonLines::write(const JsonObject& object) {
    file_ << object.text() << '\n' << std::flush;
    if (!file_) throw Error("'" + path_ + "' did not take a line: is the file system full?");
}

}  // namespace waywiser
