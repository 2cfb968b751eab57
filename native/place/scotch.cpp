#include "place/scotch.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "place/sections.hpp"

namespace waywiser::place {
namespace {

/// Upper bound of tree numbers: Scotch stores a distance for each pair of them, here 134 MB.
constexpr std::uint32_t kMostNumbers = 1U << 13U;

/// Upper bound of the sum of edge weights, which Scotch computes in its integers.
constexpr double kLargestSum = 1 << 30;

void* open_first(std::initializer_list<const char*> names, int flags) {
    for (const char* name : names) {
        if (void* library = dlopen(name, flags)) return library;
    }
    return nullptr;
}

/// The library, which is never closed because its functions may have started threads.
void* scotch_library() {
    static void* const opened = [] {
        // Scotch takes the function that prints its errors from another library.
        open_first({"libscotcherr-7.0.so", "libscotcherr-6.1.so", "libscotcherr.so"}, RTLD_NOW | RTLD_GLOBAL);
        return open_first({"libscotch-7.0.so", "libscotch-6.1.so", "libscotch.so"}, RTLD_NOW | RTLD_LOCAL);
    }();
    return opened;
}

/// A function of the library; null if its version lacks it.
template <class Function>
Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(scotch_library(), name));
}

template <class Result, class... Arguments>
Result call(const char* name, Arguments... arguments) {
    auto* symbol = function<Result(Arguments...)>(name);
    require(symbol != nullptr, std::string("the Scotch library lacks ") + name);
    return symbol(arguments...);
}

void succeeds(int code, const char* request) {
    require(code == 0, std::string("the Scotch library refuses ") + request);
}

/// Storage for a structure of Scotch, whose size only Scotch knows.
class Opaque {
public:
    Opaque(void* memory, const char* init, const char* exit) : memory_(memory, std::free), exit_(exit) {
        succeeds(call<int>(init, memory_.get()), init);
    }
    Opaque(const char* size, const char* init, const char* exit)
        : Opaque(std::calloc(1, static_cast<std::size_t>(call<int>(size))), init, exit) {}
    Opaque(const Opaque&) = delete;
    Opaque& operator=(const Opaque&) = delete;
    ~Opaque() {
        if (auto* end = function<void(void*)>(exit_)) end(memory_.get());
    }
    [[nodiscard]] void* get() const noexcept { return memory_.get(); }

private:
    std::unique_ptr<void, void (*)(void*)> memory_;
    const char* exit_;
};

/// The number of each site in the binary tree of Sections, whose root is 1 and the halves of i 2i and 2i + 1.
std::vector<std::uint32_t> tree_numbers(const Sites& sites) {
    const Sections sections(sites);
    const auto& all = sections.all();
    std::vector<std::uint32_t> number(all.size());
    std::vector<std::uint32_t> of_site(sites.count());
    number[0] = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Sections::Section& section = all[i];
        if (section.first_half == Sections::kNone) {
            of_site[sections.sites()[section.begin]] = number[i];
            continue;
        }
        require(number[i] < kMostNumbers / 2, "the job has too many nodes for Scotch, which takes some thousands");
        number[section.first_half] = 2 * number[i];
        number[section.second_half] = 2 * number[i] + 1;
    }
    return of_site;
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A decomposition-defined architecture, "deco 0" (Scotch and libScotch 7.0 User's Guide, section 5.4.2): label,
/// weight and number in the tree of each site, and the distances between them.
void describe(const Sites& sites, void* architecture) {
    const std::vector<std::uint32_t> number = tree_numbers(sites);
    const File file(std::tmpfile());
    require(file != nullptr, "no temporary file can be made for Scotch");
    std::fprintf(file.get(), "deco\n0\n%u %u\n", sites.count(), std::ranges::max(number));
    for (std::uint32_t site = 0; site < sites.count(); ++site) {
        std::fprintf(file.get(), "%u %u %u\n", site, sites.slots_in(site), number[site]);
    }
    for (std::uint32_t a = 1; a < sites.count(); ++a) {
        for (std::uint32_t b = 0; b < a; ++b) std::fprintf(file.get(), "%u ", std::max(1U, sites.distance(a, b)));
        std::fputc('\n', file.get());
    }
    require(std::fseek(file.get(), 0, SEEK_SET) == 0, "the temporary file for Scotch cannot be read");
    succeeds(call<int>("SCOTCH_archLoad", architecture, file.get()), "the machine");
}

/// A graph in its arrays of integers of type N.
template <class N>
struct Arrays {
    explicit Arrays(const Graph& graph) {
        double sum = 0;
        for (const Edge& edge : graph.edges) sum += static_cast<double>(edge.weight);
        const double scale = sum > 0 ? kLargestSum / sum : 1;
        for (const std::uint64_t at : graph.first) first.push_back(static_cast<N>(at));
        for (const Edge& edge : graph.edges) {
            to.push_back(static_cast<N>(edge.to));
            weight.push_back(std::max(N{1}, static_cast<N>(scale * static_cast<double>(edge.weight))));
        }
    }
    std::vector<N> first;
    std::vector<N> to;
    std::vector<N> weight;
};

/// A graph that one thread processes with the seed, because the results of Scotch 7 vary with several threads. Older
/// versions have a single thread and no such context.
template <class N>
class Repeatable {
public:
    Repeatable(const Opaque& graph, std::uint64_t seed) : graph_(graph.get()) {
        constexpr int kDeterministic = 0;
        const auto number = static_cast<N>(seed & 0x7fffffffU);
        if (function<void*()>("SCOTCH_contextAlloc") == nullptr) {
            call<void>("SCOTCH_randomSeed", number);
            call<void>("SCOTCH_randomReset");
            return;
        }
        context_.emplace(call<void*>("SCOTCH_contextAlloc"), "SCOTCH_contextInit", "SCOTCH_contextExit");
        void* const context = context_->get();
        succeeds(call<int>("SCOTCH_contextOptionSetNum", context, kDeterministic, N{1}), "to be deterministic");
        succeeds(call<int>("SCOTCH_contextThreadSpawn", context, 1, static_cast<const int*>(nullptr)), "one thread");
        call<void>("SCOTCH_contextRandomSeed", context, number);
        call<void>("SCOTCH_contextRandomReset", context);
        bound_.emplace("SCOTCH_graphSizeof", "SCOTCH_graphInit", "SCOTCH_graphExit");
        succeeds(call<int>("SCOTCH_contextBindGraph", context, static_cast<const void*>(graph_), bound_->get()),
                 "the context");
        graph_ = bound_->get();
    }
    [[nodiscard]] void* graph() const noexcept { return graph_; }

private:
    void* graph_;
    std::optional<Opaque> context_;
    std::optional<Opaque> bound_;
};

template <class N>
std::vector<std::uint32_t> mapped(const Graph& graph, const Sites& sites, std::uint64_t seed) {
    constexpr N kDefaultStrategy = 0;
    constexpr double kImbalance = 0.001;
    const Opaque architecture("SCOTCH_archSizeof", "SCOTCH_archInit", "SCOTCH_archExit");
    describe(sites, architecture.get());
    const Arrays<N> arrays(graph);
    const Opaque source("SCOTCH_graphSizeof", "SCOTCH_graphInit", "SCOTCH_graphExit");
    const N* const none = nullptr;
    succeeds(call<int>("SCOTCH_graphBuild", source.get(), N{0}, static_cast<N>(graph.count()), arrays.first.data(),
                       none, none, none, static_cast<N>(arrays.to.size()), arrays.to.data(), arrays.weight.data()),
             "the matrix");
    const Opaque strategy("SCOTCH_stratSizeof", "SCOTCH_stratInit", "SCOTCH_stratExit");
    succeeds(call<int>("SCOTCH_stratGraphMapBuild", strategy.get(), kDefaultStrategy, static_cast<N>(sites.count()),
                       kImbalance),
             "the strategy");
    const Repeatable<N> repeatable(source, seed);
    std::vector<N> site(graph.count());
    succeeds(call<int>("SCOTCH_graphMap", repeatable.graph(), static_cast<const void*>(architecture.get()),
                       strategy.get(), site.data()),
             "to map");
    return {site.begin(), site.end()};
}

}  // namespace

std::vector<std::uint32_t> scotch_mapping(const Graph& graph, const Sites& sites, std::uint64_t seed) {
    require(scotch_library() != nullptr, "the Scotch library is not installed (libscotch-7.0.so)");
    const int bytes = call<int>("SCOTCH_numSizeof");
    return bytes == sizeof(std::int32_t) ? mapped<std::int32_t>(graph, sites, seed)
                                         : mapped<std::int64_t>(graph, sites, seed);
}

}  // namespace waywiser::place
