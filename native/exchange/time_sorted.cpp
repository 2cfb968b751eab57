#include "exchange/time_sorted.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace waywiser::exchange {
namespace {

/// The head of a line in the file of a sorted part.
struct Head {
    std::uint64_t ns;
    std::uint64_t size;
};

}  // namespace

TimeSorted::TimeSorted(std::string path, std::size_t most_bytes) : path_(std::move(path)), most_bytes_(most_bytes) {}

void TimeSorted::add(std::uint64_t ns, std::string_view line) {
    lines_.push_back({ns, text_.size(), line.size()});
    text_ += line;
    if (text_.size() >= most_bytes_) spill();
}

void TimeSorted::sort() {
    std::ranges::sort(lines_, {}, [](const Line& line) { return std::pair(line.ns, line.begin); });
}

void TimeSorted::spill() {
    sort();
    const std::string name = path_ + ".part";
    parts_.emplace_back(std::fopen(name.c_str(), "w+b"), std::fclose);
    std::FILE* const part = parts_.back().get();
    const auto failed = [&] { return Error(name + " cannot be written: " + std::strerror(errno)); };
    if (part == nullptr) throw failed();
    std::remove(name.c_str());  // The removed file exists as long as it is open.
    for (const Line& line : lines_) {
        const Head head{line.ns, line.size};
        std::fwrite(&head, sizeof head, 1, part);
        std::fwrite(text_.data() + line.begin, 1, line.size, part);
    }
    if (std::fflush(part) != 0 || std::ferror(part) != 0) throw failed();
    if (std::fseek(part, 0, SEEK_SET) != 0) throw failed();
    lines_.clear();
    text_.clear();
}

void TimeSorted::finish(OutputFile& file) {
    if (parts_.empty()) {
        sort();
        for (const Line& line : lines_) file.write(std::string_view(text_).substr(line.begin, line.size));
        return;
    }
    spill();
    using Turn = std::tuple<std::uint64_t, std::size_t, std::uint64_t>;  // time, number of the part, bytes
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto advance = [&](std::size_t part) {
        Head head{};
        if (std::fread(&head, sizeof head, 1, parts_[part].get()) == 1) turns.emplace(head.ns, part, head.size);
    };
    for (std::size_t part = 0; part < parts_.size(); ++part) advance(part);
    std::string line;
    while (!turns.empty()) {
        const auto [ns, part, size] = turns.top();
        turns.pop();
        line.resize(size);
        if (std::fread(line.data(), 1, size, parts_[part].get()) != size)
            throw Error(path_ + ".part cannot be read back");
        file.write(line);
        advance(part);
    }
}

}  // namespace waywiser::exchange
