#include "profiles/published/validation.h"

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profiles/text_file.h"

namespace ndtune::cli {

Result<int> run(const ValidateCommand& command) {
    if (command.file.empty()) {
        return bad_input("the file of measured runs is missing", {}, "ndtune validate runs.csv -o predictions.csv");
    }
    const auto text = profiles::read_text_file(command.file, published::kMaxRunTableBytes);
    if (!text) return tl::unexpected(text.error());
    const auto result = published::validate(*text, command.file);
    if (!result) return tl::unexpected(result.error());
    if (command.common.output) {
        const auto written = write_result(published::to_csv(result->predictions), command.common.output);
        // With "-o -" the predictions are the result and the table is context.
        if (!written || *command.common.output == "-") return written.map([] { return kAnswer; });
    }
    return write_result(published::summary_text(*result) + "\n" + published::to_text(result->accuracy), std::nullopt).map([] {
        return kAnswer;
    });
}

}  // namespace ndtune::cli
