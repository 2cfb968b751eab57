#include "rerank/rank_order.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace waywiser::rerank {
namespace {

constexpr int kUnranked = -1;
constexpr int kLineBytes = 256;

/// The lines of a file, without comments and empty lines.
class Lines {
public:
    explicit Lines(const char* path) : file_(std::fopen(path, "re")) {}
    ~Lines() {
        if (file_ != nullptr) std::fclose(file_);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    [[nodiscard]] bool open() const { return file_ != nullptr; }
    [[nodiscard]] int number() const { return number_; }

    /// The next line without surrounding blanks; null at the end.
    char* next() {
        while (std::fgets(text_, sizeof text_, file_) != nullptr) {
            ++number_;
            text_[std::strcspn(text_, "#\r\n")] = '\0';
            char* first = text_ + std::strspn(text_, " \t");
            for (char* end = first + std::strlen(first); end > first && std::strchr(" \t", end[-1]) != nullptr;)
                *--end = '\0';
            if (*first != '\0') return first;
        }
        return nullptr;
    }

private:
    std::FILE* file_;
    int number_ = 0;
    char text_[kLineBytes];
};

/// \return -1 if the text is not a number below `ranks`
int rank_in(const char* text, int ranks) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    return end != text && *end == '\0' && number >= 0 && number < ranks ? static_cast<int>(number) : kUnranked;
}

}  // namespace

RankOrder::~RankOrder() { std::free(new_ranks_); }

bool RankOrder::read(const char* path, int ranks) {
    Lines lines(path);
    if (!lines.open()) {
        keep_order("%s: %s", path, std::strerror(errno));
        return false;
    }
    new_ranks_ = static_cast<int*>(std::malloc(static_cast<std::size_t>(ranks) * sizeof(int)));
    if (new_ranks_ == nullptr) {
        keep_order("no memory for the order of %d ranks", ranks);
        return false;
    }
    for (int i = 0; i < ranks; ++i) new_ranks_[i] = kUnranked;
    int count = 0;
    bool differs = false;
    while (const char* text = lines.next()) {
        const int rank = rank_in(text, ranks);
        if (rank == kUnranked) {
            keep_order("%s:%d: expected a rank from 0 to %d, got '%s'", path, lines.number(), ranks - 1, text);
            return false;
        }
        if (new_ranks_[rank] != kUnranked) {
            keep_order("%s:%d: rank %d is given for the second time", path, lines.number(), rank);
            return false;
        }
        differs = differs || rank != count;
        new_ranks_[rank] = count++;
    }
    if (count != ranks) {
        keep_order("%s orders %d ranks, but there are %d", path, count, ranks);
        return false;
    }
    return differs;
}

void keep_order(const char* format, ...) {
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "waywiser: %s; the ranks keep their order\n", sentence);
}

}  // namespace waywiser::rerank
