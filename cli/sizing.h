#pragma once

#include "cli/command.h"
#include "cost_model/result.h"

namespace ndtune::cli {

/// `ndtune search MODEL --gpus RANGE --device NAMES ...`: the best plan of every device and cluster size, then days and dollars.
Result<int> run_sizing(const SearchCommand& command);

}  // namespace ndtune::cli
