/// JSON objects, one per line: the format of samples and records that native programs write.
#pragma once

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace waywiser {

/// One object, built key by key in the order of its text. The caller keeps keys unique.
///
/// Integers are exact. Doubles have 17 significant digits, so that they read back as the same double. A double that is
/// not finite becomes null, because JSON has no literal for it.
class JsonObject {
public:
    struct Member;

    JsonObject() = default;
    /// Example: JsonObject{{"key", value}, {"another", value}}
    JsonObject(std::initializer_list<Member> members);

    JsonObject& add(const Member& member);
    JsonObject& add(std::string_view key, std::string_view value);
    // Without this overload, the pointer would be converted to bool.
    JsonObject& add(std::string_view key, const char* value);
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

    /// Adds null if there is no value.
    template <typename Value>
    JsonObject& add(std::string_view key, const std::optional<Value>& value) {
        return value ? add(key, *value) : add_raw(key, "null");
    }

    [[nodiscard]] std::string text() const;  ///< the object's text without a line break

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

    /// Writes and flushes a line, so that a killed run leaves complete lines.
    /// \throws Error  if writing fails
    void write(const JsonObject& object);

private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace waywiser
