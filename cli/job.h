#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cost_model/estimate.h"
#include "cost_model/result.h"

namespace ndtune::cli {

/// A job and what its reader should know about it.
struct JobInput {
    Job job;
    std::vector<std::string> warnings;
};

/// The job of `search MODEL --cluster ... --seq ... --batch ...`. Errors: a flag that is missing or wrong, a model or cluster
/// that cannot be read, a precision the device has no units for, a sequence beyond the model's learned positions.
Result<JobInput> job_from_flags(const SearchCommand& command);

/// Lays --seq, --batch, --runtime and --precision over a job. What is left out stays, or takes its default where the job has
/// none (runtime: fsdp2, on the CPU ndtune; precision: bf16, or the best the device has).
Result<JobInput> with_flags(JobInput input, const SearchCommand& command);

/// Whether the argument is a JSON report rather than a model: a file that says so in its first bytes.
bool is_report(const std::string& path);

}  // namespace ndtune::cli
