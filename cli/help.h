#pragma once

#include <string>
#include <string_view>

namespace ndtune::cli {

/// `ndtune --help`: what it is for, examples first, then the verbs. 80 columns.
std::string program_help();
/// `ndtune VERB --help`: examples, usage, flags by group. 80 columns.
std::string verb_help(std::string_view verb);

}  // namespace ndtune::cli
