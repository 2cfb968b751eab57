/// The errors that native code raises on purpose, and the one idiom that checks for them.
#pragma once

#include <stdexcept>
#include <string>

namespace waywiser {

/// Base class. Its message is one sentence that a user can act on.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The request is not possible; the message names the invalid value and the accepted ones.
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
