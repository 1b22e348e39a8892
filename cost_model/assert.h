#pragma once

#include <cstdlib>

/// For programmer errors only, never reachable from user input.
#define NDTUNE_ASSERT(condition) ((condition) ? static_cast<void>(0) : std::abort())
