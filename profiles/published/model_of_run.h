#pragma once

#include "profiles/published/run_mapping.h"
#include "profiles/published/runtime_of_run.h"

namespace ndtune::published {

/// Fills `mapped.job.model` from the row's name and dimensions. Error: the reason why they are not enough.
Result<void> model_of_run(const Run& run, Stack stack, MappedRun& mapped);

}  // namespace ndtune::published
