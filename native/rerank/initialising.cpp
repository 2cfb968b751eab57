/// MPI_Init in C; generate_forwarders.py writes all else.
#include "profile/preload/next_call.hpp"
#include "rerank/new_world.hpp"

using waywiser::profile::Id;
using waywiser::profile::kNoSuchCall;
using waywiser::profile::next_call;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
    const auto next = next_call<int (*)(int*, char***)>(Id::MPI_Init);
    if (next == nullptr) return kNoSuchCall;
    const int result = next(argc, argv);
    if (result == 0) waywiser::rerank::rank_anew();
    return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    const auto next = next_call<int (*)(int*, char***, int, int*)>(Id::MPI_Init_thread);
    if (next == nullptr) return kNoSuchCall;
    const int result = next(argc, argv, required, provided);
    if (result == 0) waywiser::rerank::rank_anew();
    return result;
}

}  // extern "C"
#pragma GCC visibility pop
