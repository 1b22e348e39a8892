#pragma once

#include "profiles/published/run_mapping.h"
#include "profiles/published/runtime_of_run.h"

namespace ndtune::published {

/// Fills `mapped.plan` and the sizes of `mapped.job.workload`. Needs the job's other values. Error: the reason.
Result<void> plan_of_run(const Run& run, Stack stack, MappedRun& mapped);

}  // namespace ndtune::published
