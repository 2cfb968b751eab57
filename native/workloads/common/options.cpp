#include "workloads/common/options.hpp"

#include "base/error.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

namespace waywiser {
namespace {

template <typename Number>
bool read(std::string_view text, Number low, Number high, Number& target) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || !(value >= low && value <= high)) return false;
    target = value;
    return true;
}

std::string shortest(double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%g", value);
    return digits.data();
}

}  // namespace

Options::Options(std::string program, std::string purpose)
    : program_(std::move(program)), purpose_(std::move(purpose)) {}

void Options::add_count(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high, std::string help) {
    options_.push_back({std::move(name), "a whole number from " + std::to_string(low) + " to " + std::to_string(high),
                        std::move(help),
                        [&target, low, high](std::string_view t) { return read(t, low, high, target); }});
}

void Options::add_real(std::string name, double& target, double low, double high, std::string help) {
    options_.push_back({std::move(name), "a number from " + shortest(low) + " to " + shortest(high), std::move(help),
                        [&target, low, high](std::string_view t) { return read(t, low, high, target); }});
}

void Options::add_text(std::string name, std::string& target, std::string accepts, std::string help) {
    options_.push_back({std::move(name), std::move(accepts), std::move(help), [&target](std::string_view t) {
                            target = t;
                            return !t.empty();
                        }});
}

void Options::add_choice(std::string name, std::string& target, const std::vector<std::string>& names, std::string help,
                         std::string accepts) {
    std::string instead = accepts.empty() ? "" : "one of ";
    for (const std::string& choice : names) {
        const bool last = &choice == &names.back();
        instead += (&choice == &names.front() ? "" : last && accepts.empty() ? " or " : ", ") + choice;
    }
    if (accepts.empty()) accepts = instead;
    const auto set = [&target, name, names, instead](std::string_view t) {
        target = t;
        require(std::ranges::find(names, t) != names.end(),
                "--" + name + " '" + target + "': expected " + instead + suggestion(t, names));
        return true;
    };
    options_.push_back({std::move(name), std::move(accepts), std::move(help), set});
}

void Options::add_flag(std::string name, bool& target, std::string help) {
    options_.push_back({std::move(name), "", std::move(help), [&target](std::string_view t) {
                            target = t != "0";
                            return t.empty() || t == "0" || t == "1";
                        }});
}

const Options::Option& Options::find(std::string_view argument, std::string_view name) const {
    std::string plain(name);
    std::ranges::replace(plain, '_', '-');
    std::vector<std::string> known;
    for (const Option& option : options_) {
        if (option.name == plain) return option;
        known.push_back(option.name);
    }
    known.emplace_back("version");
    throw InvalidInput("'" + std::string(argument) + "' is not an option of " + program_ +
                       suggestion(plain, known, 1, "--") + "; it has: " + list_of(known, "--"));
}

void Options::parse(std::span<const char* const> arguments) const {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const std::size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with('-') ? 1 : 0;
        const std::size_t equals = argument.find('=');
        const bool joined = equals != std::string_view::npos;
        // A bare word is not an option even if it has an option's name, because it may be the start of `nx = 30`, for
        // example.
        const bool named = dashes > 0 || joined;
        const std::string_view name = named ? argument.substr(0, equals).substr(dashes) : "";
        const Option& option = find(argument, name);

        std::optional<std::string_view> value;
        if (joined) value = argument.substr(equals + 1);
        if (!joined && option.accepts.empty()) value = "";
        if (!value && i + 1 < arguments.size()) value = arguments[++i];
        const std::string accepts = option.accepts.empty() ? "no value, or 0 or 1" : option.accepts;
        require(value.has_value(), "--" + option.name + " requires a value; expected " + accepts);
        const bool flag_with_nothing = joined && option.accepts.empty() && value->empty();
        require(!flag_with_nothing && option.set(*value),
                "--" + option.name + " '" + std::string(*value) + "': expected " + accepts);
    }
}

std::string Options::help() const {
    std::string lines = wrapped(program_ + ": " + purpose_, 0) + "\n\noptions:\n";
    for (const Option& option : options_) {
        const std::string accepts = option.accepts.empty() ? "" : "  (" + option.accepts + ")";
        lines += wrapped("  --" + option.name + accepts, 6) + '\n' + wrapped("      " + option.help, 6) + '\n';
    }
    return lines + "  --version\n      print the version and the compiler, and exit\n";
}

}  // namespace waywiser
