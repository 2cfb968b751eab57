/// The exceptions of native code, and the function that checks conditions.
#pragma once

#include <stdexcept>
#include <string>

namespace waywiser {

/// Base class. Its message is one sentence on which a user can act.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The input is not valid; the message names the invalid value and the accepted ones.
class InvalidInput : public Error {
public:
    using Error::Error;
};

inline void require(bool holds, const char* message) {
    if (!holds) throw InvalidInput(message);
}

inline void require(bool holds, const std::string& message) {
    if (!holds) throw InvalidInput(message);
}

}  // namespace waywiser
