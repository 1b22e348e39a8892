#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cost_model/result.h"

namespace ndtune::profiles {

/// The whole of a regular file of at most `max_bytes`; its size is looked at before it is read. Errors name the path and say
/// whether it is missing, a folder, no regular file, too large or unreadable.
Result<std::string> read_text_file(const std::string& path, std::int64_t max_bytes);

/// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), npos where all is well.
std::size_t invalid_utf8_at(std::string_view text);

/// Text from outside made fit for a message: control characters and broken UTF-8 become '?', long text is cut.
std::string printable(std::string_view text, std::size_t max_bytes = 120);

}  // namespace ndtune::profiles
