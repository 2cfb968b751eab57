/// JSON objects written one a line: the form in which samples and records leave native programs.
#pragma once

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace waywiser {

/// One object, built key by key in the order in which it is to appear. The caller keeps keys unique.
///
/// Integers are exact. Doubles have 17 significant digits, so that they read back as the same double. A double that is
/// not finite becomes null, because JSON has no literal for it.
class JsonObject {
public:
    struct Member;

    JsonObject() = default;
    /// JsonObject{{"key", value}, {"another", value}}
    JsonObject(std::initializer_list<Member> members);

    JsonObject& add(const Member& member);
    JsonObject& add(std::string_view key, std::string_view value);
    JsonObject& add(std::string_view key, const char* value);  // else it would become a bool
    JsonObject& add(std::string_view key, bool value);
    JsonObject& add(std::string_view key, double value);
    JsonObject& add(std::string_view key, int value);
    JsonObject& add(std::string_view key, std::int64_t value);
    JsonObject& add(std::string_view key, std::uint64_t value);
    JsonObject& add(std::string_view key, const JsonObject& value);
    JsonObject& add(std::string_view key, std::span<const double> values);
    JsonObject& add(std::string_view key, std::span<const std::int64_t> values);
    JsonObject& add(std::string_view key, std::span<const std::string> values);
    JsonObject& add(std::string_view key, std::span<const JsonObject> values);

    /// null where there is no value.
    template <typename Value>
    JsonObject& add(std::string_view key, const std::optional<Value>& value) {
        return value ? add(key, *value) : add_raw(key, "null");
    }

    [[nodiscard]] std::string text() const;  ///< without a line break

private:
    JsonObject& add_raw(std::string_view key, std::string_view value);

    std::string members_;
};

/// A key with a value of any kind that `add` takes.
struct JsonObject::Member {
    template <typename Value>
    Member(std::string_view key, const Value& value) : text(JsonObject().add(key, value).members_) {}

    std::string text;
};

/// A file of objects, replaced if it exists.
class JsonLines {
public:
    /// \throws InvalidInput  if the file cannot be opened for writing
    explicit JsonLines(const std::string& path);

    /// Writes the line through to the file, so that a run that is killed leaves whole lines.
    /// \throws Error  if the file did not take it
    void write(const JsonObject& object);

private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace waywiser
