#include "workloads/comm/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/options.hpp"

#include <sstream>

namespace waywiser::comm {
namespace {

constexpr const char* default_orders = "2,4,8,16";

Options table(Settings& s, std::string& orders) {
    constexpr Index most_points = 1'000'000;
    Options options("ww-comm",
                    "halo exchange for every decomposition of the ranks, after hpcscan's case Comm.\n"
                    "Messages between pairs of ranks are ww-mpibench's, with --pairs.");
    options.add_count("n1", s.points[0], 1, most_points, "points of the whole grid along axis 1; default 128");
    options.add_count("n2", s.points[1], 1, most_points, "default n1");
    options.add_count("n3", s.points[2], 1, most_points, "default n2");
    options.add_count("p1", s.ranks[0], 0, most_points, "ranks along axis 1; default 0: every number that divides");
    options.add_count("p2", s.ranks[1], 0, most_points, "default 0");
    options.add_count("p3", s.ranks[2], 0, most_points, "default 0");
    options.add_text("orders", orders, "even numbers from 2 to 16, as 2,8",
                     "of the differences whose halos are exchanged, half of it wide; default 2,4,8,16");
    options.add_text("precision", s.precision, "fp32 or fp64", "of the points; default fp32");
    options.add_text("variant", s.variant, "sendrecv, nonblocking, persistent, neighbourhood or all",
                     "how messages are sent; default all");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed exchanges of each, after one to warm up; default 20");
    options.add_text("json", s.json, "the name of a file",
                     "write one JSON object a decomposition, order and variant to this file");
    options.add_flag("help", s.help, "print this and stop");
    return options;
}

std::vector<Index> read_orders(const std::string& text) {
    std::vector<Index> orders;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        std::istringstream digits(word);
        Index order = 0;
        const bool whole = (digits >> order) && digits.peek() == std::istringstream::traits_type::eof();
        require(whole && order >= 2 && order <= 16 && order % 2 == 0,
                "--orders does not take '" + word + "' but even numbers from 2 to 16, as 2,8");
        orders.push_back(order);
    }
    return orders;
}

}  // namespace

Settings read_settings(std::span<const char* const> arguments) {
    Settings settings;
    std::string orders = default_orders;
    table(settings, orders).parse(arguments);
    settings.orders = read_orders(orders);
    auto& [n1, n2, n3] = settings.points;
    if (n2 == 0) n2 = n1;
    if (n3 == 0) n3 = n2;
    return settings;
}

std::string help_text() {
    Settings settings;
    std::string orders;
    return table(settings, orders).help();
}

}  // namespace waywiser::comm
