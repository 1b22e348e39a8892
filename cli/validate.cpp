#include "cli/terminal.h"
#include "cli/verbs.h"

namespace ndtune::cli {

Result<int> run(const ValidateCommand& command) {
    if (command.file.empty())
        return bad_input("the file of measured runs is missing", {}, "ndtune validate runs.csv -o predictions.csv");
    return tl::unexpected(Error{ErrorCode::unsupported, "validate is not in this build", {}, {}});
}

}  // namespace ndtune::cli
