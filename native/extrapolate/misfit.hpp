/// The exception of an assumption about a program that does not hold.
#pragma once

#include "base/error.hpp"

namespace waywiser::extrapolate {

struct Misfit : Error {
    using Error::Error;

    bool is_open = false;  ///< rules hold in all runs, but larger runs may do one thing or another
    double explained = 0;  ///< share of the calls' places before the misfit
};

}  // namespace waywiser::extrapolate
