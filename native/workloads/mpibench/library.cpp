#include "workloads/mpibench/library.hpp"

#include "base/open_mpi.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace waywiser::mpibench {
namespace {

std::string whole_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.data();
}

/// The text with a single space for each run of spaces and tabs.
std::string single_spaced(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\t';
        if (!space) result += c;
        if (space && !result.empty() && result.back() != ' ') result += ' ';
    }
    return result;
}

/// Returns the transport that the library has selected; empty if the library does not report it.
std::string chosen() {
    if (const void* component = dlsym(RTLD_DEFAULT, "mca_pml_base_selected_component")) {
        const char* pml = open_mpi_component_name(static_cast<const char*>(component), "pml");
        return pml == nullptr ? "" : "pml " + std::string(pml);
    }
    constexpr std::string_view mark = "MPICH Device:";
    const std::string text = whole_version();
    const std::size_t position = text.find(mark);
    if (position == std::string::npos) return "";
    const std::size_t first = text.find_first_not_of(" \t", position + mark.size());
    return text.substr(first, text.find('\n', first) - first);
}

/// Environment variables by which users select a transport, or its method of copying within a host.
constexpr std::array transport_settings{"OMPI_MCA_pml",
                                        "OMPI_MCA_btl",
                                        "OMPI_MCA_mtl",
                                        "OMPI_MCA_smsc",
                                        "OMPI_MCA_btl_vader_single_copy_mechanism",
                                        "I_MPI_FABRICS",
                                        "I_MPI_SHM",
                                        "I_MPI_SHM_CMA",
                                        "I_MPI_SHM_CMA_THRESHOLD",
                                        "FI_PROVIDER",
                                        "UCX_TLS",
                                        "UCX_NET_DEVICES",
                                        "MPIR_CVAR_CH4_NETMOD",
                                        "MPIR_CVAR_NOLOCAL",
                                        "MPIR_CVAR_CH4_CMA_ENABLE",
                                        "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",
                                        "MPIR_CVAR_CH4_XPMEM_ENABLE",
                                        "MPIR_CVAR_CH4_IPC_XPMEM_P2P_THRESHOLD"};

bool of_another_library(std::string_view variable, std::string_view version) {
    constexpr std::array families{std::pair{"OMPI_", "Open MPI"}, std::pair{"I_MPI_", "Intel"},
                                  std::pair{"MPIR_", "MPICH"}};
    return std::ranges::any_of(families, [&](const auto& family) {
        return variable.starts_with(family.first) && version.find(family.second) == std::string_view::npos;
    });
}

}  // namespace

std::string library_version() {
    const std::string text = whole_version();
    return single_spaced(std::string_view(text).substr(0, text.find('\n')));
}

std::string transport() {
    std::string text = chosen();
    const std::string version = whole_version();
    for (const char* name : transport_settings) {
        const char* value = std::getenv(name);
        if (value == nullptr || of_another_library(name, version)) continue;
        text += (text.empty() ? "" : ", ") + std::string(name) + "=" + value;
    }
    return text;
}

}  // namespace waywiser::mpibench
