/// Command lines of the workloads: a table of options, and errors that list the accepted values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser {

/// Options of one program. Each option sets a variable of the caller, whose initial value is the default.
///
/// `--name value`, `--name=value`, `-name value` and `name=value` are equivalent, as are `_` and `-` within a name, so
/// that command lines written for the original mini-applications keep working.
class Options {
public:
    Options(std::string program, std::string purpose);

    void add_count(std::string name, std::int64_t& target, std::int64_t low, std::int64_t high, std::string help);
    void add_real(std::string name, double& target, double low, double high, std::string help);
    void add_text(std::string name, std::string& target, std::string accepts, std::string help);
    /// Adds an option whose value is one of some names. \param accepts  text for --help; empty: the names themselves
    void add_choice(std::string name, std::string& target, const std::vector<std::string>& names, std::string help,
                    std::string accepts = "");
    void add_flag(std::string name, bool& target, std::string help);

    /// \param arguments  argv without the program's name
    /// \throws InvalidInput  with the argument and the accepted values
    void parse(std::span<const char* const> arguments) const;

    [[nodiscard]] std::string help() const;
    [[nodiscard]] const std::string& program() const { return program_; }

private:
    struct Option {
        std::string name;
        std::string accepts;  ///< empty for a flag, which takes no value
        std::string help;
        std::function<bool(std::string_view)> set;  ///< false: not accepted
    };

    [[nodiscard]] const Option& find(std::string_view argument, std::string_view name) const;

    std::string program_;
    std::string purpose_;
    std::vector<Option> options_;
};

}  // namespace waywiser
