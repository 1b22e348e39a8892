#pragma once

#include <string_view>

namespace ndtune::cli {

// reports/schema/ndtune.*.v1.json, compiled in (cli/CMakeLists.txt writes schema_files.cpp).
extern const std::string_view kSearchSchema;
extern const std::string_view kSizingSchema;

}  // namespace ndtune::cli
