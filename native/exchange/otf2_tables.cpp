#include "exchange/otf2_tables.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace waywiser::exchange::otf2 {
namespace {

using trace::Stride;

constexpr const char* kDamaged = "a property of Waywiser's in the OTF2 trace is damaged";

class Row {
public:
    Row& add(std::string_view text) {
        if (!std::exchange(first_, false)) text_ += '\t';
        for (const char c : text) {
            if (c == '\t')
                text_ += "\\t";
            else if (c == '\n')
                text_ += "\\n";
            else if (c == '\\')
                text_ += "\\\\";
            else
                text_ += c;
        }
        return *this;
    }

    /// Shortest digits that read back as the same number.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    Row& add(Number number) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        return add(std::string_view(digits.data(), end));
    }

    Row& add(bool truth) { return add(std::uint32_t{truth}); }

    template <class Enumeration>
        requires std::is_enum_v<Enumeration>
    Row& add(Enumeration value) {
        return add(static_cast<std::uint32_t>(value));
    }

    Row& add(const std::vector<std::uint32_t>& numbers) {
        std::string text;
        for (const std::uint32_t number : numbers) text += std::to_string(number) + ' ';
        return add(text);
    }

    Row& add(const std::vector<Stride>& strides) {
        std::string text;
        for (const auto& [first, stride, count] : strides) {
            text += std::to_string(first) + ' ' + std::to_string(stride) + ' ' + std::to_string(count) + ' ';
        }
        return add(text);
    }

    [[nodiscard]] std::string text() const { return text_; }

private:
    std::string text_;
    bool first_ = true;
};

class Fields {
public:
    explicit Fields(std::string_view text) : rest_(text) {}

    Fields& get(std::string& field) {
        require(!ended_, kDamaged);
        const std::size_t end = rest_.find('\t');
        field.clear();
        for (std::size_t i = 0; i < rest_.size() && i != end; ++i) {
            const bool escaped = rest_[i] == '\\' && i + 1 < rest_.size();
            if (escaped) ++i;
            const char c = rest_[i];
            field += escaped && c == 't' ? '\t' : escaped && c == 'n' ? '\n' : c;
        }
        ended_ = end == rest_.npos;
        rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
        return *this;
    }

    template <class Number>
        requires std::is_arithmetic_v<Number>
    Fields& get(Number& number) {
        std::string text;
        get(text);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        require(error == std::errc() && end == text.data() + text.size(),
                std::string(kDamaged) + ": '" + text + "' is not a number");
        return *this;
    }

    Fields& get(bool& truth) {
        std::uint32_t number = 0;
        get(number);
        truth = number != 0;
        return *this;
    }

    template <class Enumeration>
        requires std::is_enum_v<Enumeration>
    Fields& get(Enumeration& value) {
        std::uint32_t number = 0;
        get(number);
        require(number <= static_cast<std::uint32_t>(last_of(value)), kDamaged);
        value = static_cast<Enumeration>(number);
        return *this;
    }

    Fields& get(std::vector<std::uint32_t>& numbers) {
        for (const std::int64_t number : list()) numbers.push_back(static_cast<std::uint32_t>(number));
        return *this;
    }

    Fields& get(std::vector<Stride>& strides) {
        const std::vector<std::int64_t> numbers = list();
        require(numbers.size() % 3 == 0, kDamaged);
        for (std::size_t i = 0; i < numbers.size(); i += 3) {
            strides.push_back({static_cast<std::int32_t>(numbers[i]), static_cast<std::int32_t>(numbers[i + 1]),
                               static_cast<std::int32_t>(numbers[i + 2])});
        }
        return *this;
    }

private:
    /// Reads numbers that are each followed by a blank.
    std::vector<std::int64_t> list() {
        std::string text;
        get(text);
        std::vector<std::int64_t> numbers;
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at != end) {
            const auto [next, error] = std::from_chars(at, end, numbers.emplace_back());
            require(error == std::errc() && next != end && *next == ' ', kDamaged);
            at = next + 1;
        }
        return numbers;
    }

    std::string_view rest_;
    bool ended_ = false;
};

}  // namespace

template <class Record>
std::string row(const Record& record) {
    Row row;
    for_each_member(kMembers<Record>, [&](const auto& member) { row.add(record.*member.value); });
    return row.text();
}

template <class Record>
void read(std::string_view text, Record& record) {
    Fields fields(text);
    for_each_member(kMembers<Record>, [&](const auto& member) { fields.get(record.*member.value); });
}

template std::string row(const trace::CallSite& record);
template void read(std::string_view text, trace::CallSite& record);
template std::string row(const trace::TraceObject& record);
template void read(std::string_view text, trace::TraceObject& record);
template std::string row(const trace::HostClock& record);
template void read(std::string_view text, trace::HostClock& record);
template std::string row(const trace::TraceRank& record);
template void read(std::string_view text, trace::TraceRank& record);

std::string job_row(const trace::TraceJob& job) {
    return Row().add(job.world_size).add(job.library).add(job.begin_unix_ns).text();
}

std::string row(const trace::TraceStream& stream) { return Row().add(stream.rank).add(stream.thread).text(); }

void read_job(std::string_view text, trace::TraceJob& job) {
    Fields(text).get(job.world_size).get(job.library).get(job.begin_unix_ns);
}

void read(std::string_view text, trace::TraceStream& stream) { Fields(text).get(stream.rank).get(stream.thread); }

std::vector<Definition> definitions_of(const std::vector<trace::TraceObject>& objects) {
    using Kind = trace::TraceObject::Kind;
    std::vector<Definition> all;
    Ref comms = 0;
    Ref windows = 0;
    for (const trace::TraceObject& object : objects) {
        Definition& definition = all.emplace_back();
        if (object.kind == Kind::file || object.members.empty()) continue;
        definition.processes = static_cast<std::uint64_t>(object.size);
        definition.comm = comms++;
        if (object.kind == Kind::window) definition.window = windows++;
    }
    return all;
}

}  // namespace waywiser::exchange::otf2
