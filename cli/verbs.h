#pragma once

#include "cli/command.h"
#include "cost_model/result.h"

namespace ndtune::cli {

// One function per verb. Each writes its result and returns the exit code (0, or 3 and 4 where an answer was given that scripts
// must tell apart); an Error was not printed yet.

Result<int> run(const SearchCommand& command);
Result<int> run(const ExplainCommand& command);
Result<int> run(const ValidateCommand& command);
Result<int> run(const CatalogCommand& command);
Result<int> run(const SchemaCommand& command);
Result<int> run(const DoctorCommand& command);
Result<int> run(const CompletionsCommand& command);

}  // namespace ndtune::cli
