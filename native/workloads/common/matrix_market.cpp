#include "workloads/common/matrix_market.hpp"

#include "base/error.hpp"

#include <fstream>

namespace waywiser {
namespace {

void write(const std::string& file, std::int64_t ranks, const std::vector<Sent>& sent, std::int64_t Sent::* value) {
    std::ofstream out(file);
    out << "%%MatrixMarket matrix coordinate integer general\n" << ranks << ' ' << ranks << ' ' << sent.size() << '\n';
    for (const Sent& one : sent) out << one.from + 1 << ' ' << one.to + 1 << ' ' << one.*value << '\n';
    out.close();
    require(!out.fail(), "cannot write '" + file + "': give a file in a folder where you may write");
}

}  // namespace

void write_matrices(const std::string& file, std::int64_t ranks, const std::vector<Sent>& sent) {
    write(file, ranks, sent, &Sent::bytes);
    write(file + ".messages.mtx", ranks, sent, &Sent::messages);
}

}  // namespace waywiser
