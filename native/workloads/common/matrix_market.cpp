#include "workloads/common/matrix_market.hpp"

#include "base/error.hpp"

#include <array>
#include <charconv>
#include <fstream>

namespace waywiser {

void add_matrix(Options& options, MatrixSettings& s, const std::string& unit) {
    options.add_text("matrix", s.matrix, "the name of a file",
                     "write the bytes between ranks in one " + unit +
                         " to this file and the messages to FILE.messages.mtx, in Matrix Market's format, and stop");
    options.add_count("ranks", s.matrix_ranks, 1, 65'536, "number of ranks of --matrix");
}

void require_both(const MatrixSettings& s) {
    require(s.matrix.empty() == (s.matrix_ranks == 0), "--matrix FILE requires --ranks, and --ranks requires --matrix");
}

void write_matrices(const std::string& file, std::int64_t ranks,
                    const std::function<void(const std::function<void(const Sent&)>&)>& each) {
    std::int64_t entries = 0;
    each([&](const Sent& sent) { entries += sent.bytes > 0 ? 1 : 0; });
    const auto write = [&](const std::string& name, std::int64_t Sent::* value) {
        std::ofstream out(name);
        out << "%%MatrixMarket matrix coordinate integer general\n" << ranks << ' ' << ranks << ' ' << entries << '\n';
        std::array<char, 64> line{};
        each([&](const Sent& sent) {
            if (sent.bytes == 0) return;
            char* end = line.data();
            for (const std::int64_t number : {sent.from + 1, sent.to + 1, sent.*value}) {
                end = std::to_chars(end, line.data() + line.size(), number).ptr;
                *end++ = ' ';
            }
            end[-1] = '\n';
            out.write(line.data(), end - line.data());
        });
        out.close();
        require(!out.fail(), "cannot write '" + name + "': give a file in a directory where you may write");
    };
    write(file, &Sent::bytes);
    write(file + ".messages.mtx", &Sent::messages);
}

}  // namespace waywiser
