#include "workloads/comm/settings.hpp"

#include "base/error.hpp"

#include <sstream>

namespace waywiser::comm {
namespace {

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

Options options_of(Settings& s) {
    Options options("ww-comm",
                    "halo exchange for every decomposition of the ranks, after hpcscan's case Comm.\n"
                    "Messages between pairs of ranks are ww-mpibench's, with --pairs.");
    add_points(options, s, 1, "points of the whole grid on axis 1");
    add_cut(options, s, "every number that divides");
    options.add_text("orders", s.order_text, "even numbers from 2 to 16, as 2,8",
                     "of the differences whose halos are exchanged, half of it wide; default 2,4,8,16");
    options.add_text("variant", s.variant, "sendrecv, nonblocking, persistent, neighbourhood or all",
                     "how messages are sent; default all");
    add_running(options, s, "timed exchanges of each, after one to warm up; default 20");
    return options;
}

void complete(Settings& s) {
    s.orders = read_orders(s.order_text);
    waywiser::complete(s);
}

}  // namespace waywiser::comm
