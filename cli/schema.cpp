#include "cli/flag_values.h"
#include "cli/schema_files.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace ndtune::cli {

Result<int> run(const SchemaCommand& command) {
    return parse_choice(command.name, "NAME", {"search", "sizing"})
        .and_then([&](const std::string& name) {
            return write_result(name == "search" ? kSearchSchema : kSizingSchema, command.common.output);
        })
        .map([] { return kAnswer; });
}

}  // namespace ndtune::cli
