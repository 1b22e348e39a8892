#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/parser.h"
#include "reports/table.h"

namespace ndtune::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 26;  // where the explanation of a flag starts

/// `text` broken into lines that all start in the text column; the first one stands behind `left`, or below it.
std::string two_columns(std::string left, const std::string& text) {
    const std::string margin(kTextColumn, ' ');
    if (left.size() + 2 > kTextColumn) {
        left += "\n" + margin;
    } else {
        left.resize(kTextColumn, ' ');
    }
    for (const char c : reports::wrap(text, kWidth - kTextColumn, 0)) {
        left += c;
        if (c == '\n') left += margin;
    }
    return left + "\n";
}

std::string flag_lines(const FlagHelp& flag) {
    // Choices are too long for the left column: they close the text.
    if (!flag.choices().empty()) return two_columns("  " + flag.names, fmt::format("{}: {}", flag.text, flag.value));
    const std::string value = flag.value.empty() || flag.positional() ? "" : " " + flag.value;
    return two_columns("  " + flag.names + value, flag.text);
}

std::string examples(const std::vector<std::string_view>& lines) {
    std::string text;
    for (std::string_view line : lines) text += fmt::format("  {}\n", line);
    return text;
}

}  // namespace

std::string program_help() {
    std::string text =
        "ndtune predicts time and memory of LLM training plans (dp_replicate x dp_shard\n"
        "x cp x tp) and finds the best one for a cluster. No GPU, no network.\n\n"
        "  ndtune search llama-3.1-70b --cluster 16x8xh100-sxm --seq 8k --batch 1024\n"
        "  ndtune search llama-3.1-8b --cluster 8xa100-sxm --seq 4k --batch 256 \\\n"
        "      --json -o report.json\n"
        "  ndtune explain report.json\n\n"
        "Verbs (ndtune VERB --help):\n";
    for (std::string_view verb : verb_names()) text += fmt::format("  {:<13}{}\n", verb, describe(verb).summary);
    text +=
        "\nExit codes: 0 answer, 1 internal error, 2 usage or bad input, 3 no feasible\nplan, 4 check failed, 5 capability "
        "absent, 130 interrupted.\n";
    return text;
}

std::string verb_help(std::string_view verb) {
    const VerbHelp help = describe(verb);
    std::string text = fmt::format("{}\n\n{}\nUsage: {}\n", help.summary, examples(help.examples), help.usage);
    std::vector<std::string> groups;
    for (const FlagHelp& flag : help.flags) {
        const bool seen = std::find(groups.begin(), groups.end(), flag.group) != groups.end();
        if (!seen) groups.push_back(flag.group);
    }
    for (const std::string& group : groups) {
        text += fmt::format("\n{}:\n", group);
        for (const FlagHelp& flag : help.flags) {
            if (flag.group == group) text += flag_lines(flag);
        }
    }
    return text;
}

}  // namespace ndtune::cli
