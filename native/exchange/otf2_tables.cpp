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
        require(!ended_, "a property of Waywiser's in the OTF2 trace is damaged");
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
                "a property of Waywiser's in the OTF2 trace is damaged: '" + text + "' is not a number");
        return *this;
    }

    template <class Enum>
        requires std::is_enum_v<Enum>
    Fields& get(Enum& value, Enum last) {
        std::uint32_t number = 0;
        get(number);
        require(number <= static_cast<std::uint32_t>(last), "a property of Waywiser's in the OTF2 trace is damaged");
        value = static_cast<Enum>(number);
        return *this;
    }

    Fields& get(std::vector<std::uint32_t>& numbers) {
        for (const std::int64_t number : list()) numbers.push_back(static_cast<std::uint32_t>(number));
        return *this;
    }

    Fields& get(std::vector<Stride>& strides) {
        const std::vector<std::int64_t> numbers = list();
        require(numbers.size() % 3 == 0, "a property of Waywiser's in the OTF2 trace is damaged");
        for (std::size_t i = 0; i < numbers.size(); i += 3) {
            strides.push_back({static_cast<std::int32_t>(numbers[i]), static_cast<std::int32_t>(numbers[i + 1]),
                               static_cast<std::int32_t>(numbers[i + 2])});
        }
        return *this;
    }

private:
    /// Numbers with a blank behind each.
    std::vector<std::int64_t> list() {
        std::string text;
        get(text);
        std::vector<std::int64_t> numbers;
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at != end) {
            const auto [next, error] = std::from_chars(at, end, numbers.emplace_back());
            require(error == std::errc() && next != end && *next == ' ',
                    "a property of Waywiser's in the OTF2 trace is damaged");
            at = next + 1;
        }
        return numbers;
    }

    std::string_view rest_;
    bool ended_ = false;
};

}  // namespace

std::string job_row(const trace::TraceJob& job) {
    return Row().add(job.world_size).add(job.library).add(job.begin_unix_ns).text();
}

std::string row(const trace::CallSite& site) { return Row().add(site.module).add(site.address).add(site.place).text(); }

std::string row(const trace::TraceObject& object) {
    return Row()
        .add(static_cast<std::uint32_t>(object.kind))
        .add(object.context)
        .add(std::uint32_t{object.intercommunicator})
        .add(object.size)
        .add(object.name)
        .add(object.members)
        .add(object.own_group)
        .text();
}

std::string row(const trace::HostClock& host) {
    return Row()
        .add(host.host)
        .add(host.offset_ns)
        .add(host.drift)
        .add(host.reference_ns)
        .add(host.uncertainty_ns)
        .add(host.method)
        .text();
}

std::string row(const trace::TraceRank& rank) {
    return Row()
        .add(rank.rank)
        .add(rank.host)
        .add(rank.objects)
        .add(rank.begin_ns)
        .add(rank.end_ns)
        .add(static_cast<std::uint32_t>(rank.ending))
        .add(rank.dropped_calls)
        .text();
}

std::string row(const trace::TraceStream& stream) { return Row().add(stream.rank).add(stream.thread).text(); }

void read_job(std::string_view text, trace::TraceJob& job) {
    Fields(text).get(job.world_size).get(job.library).get(job.begin_unix_ns);
}

void read(std::string_view text, trace::CallSite& site) {
    Fields(text).get(site.module).get(site.address).get(site.place);
}

void read(std::string_view text, trace::TraceObject& object) {
    std::uint32_t intercommunicator = 0;
    Fields(text)
        .get(object.kind, trace::TraceObject::Kind::file)
        .get(object.context)
        .get(intercommunicator)
        .get(object.size)
        .get(object.name)
        .get(object.members)
        .get(object.own_group);
    object.intercommunicator = intercommunicator != 0;
}

void read(std::string_view text, trace::HostClock& host) {
    Fields(text)
        .get(host.host)
        .get(host.offset_ns)
        .get(host.drift)
        .get(host.reference_ns)
        .get(host.uncertainty_ns)
        .get(host.method);
}

void read(std::string_view text, trace::TraceRank& rank) {
    Fields(text)
        .get(rank.rank)
        .get(rank.host)
        .get(rank.objects)
        .get(rank.begin_ns)
        .get(rank.end_ns)
        .get(rank.ending, trace::Ending::exited)
        .get(rank.dropped_calls);
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
