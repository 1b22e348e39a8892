#pragma once

#include <string>
#include <tl/expected.hpp>

namespace ndtune {

/// What kind of failure an `Error` is; the CLI turns it into an exit code.
enum class ErrorCode { bad_input, not_found, infeasible, check_failed, unsupported, internal };

/// An expected failure. Printed as `[verb] message (where). Hint: hint`.
struct Error {
    ErrorCode code = ErrorCode::bad_input;
    std::string message;  ///< what is wrong, with the numbers
    std::string where;    ///< file, line, key or flag; may be empty
    std::string hint;     ///< what to change; may be empty

    bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> bad_input(std::string message, std::string where = {}, std::string hint = {}) {
    return tl::unexpected(Error{ErrorCode::bad_input, std::move(message), std::move(where), std::move(hint)});
}

}  // namespace ndtune
