#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "cli/flag_values.h"
#include "cli/suggest.h"

namespace ndtune::cli {
namespace {

constexpr std::array<std::string_view, 7> kVerbs = {"search", "explain", "validate",   "catalog",
                                                    "schema", "doctor",  "completions"};

void add_common(CLI::App& app, CommonOptions& common, bool with_output) {
    if (with_output) app.add_option("-o,--output", common.output, "Write the result there, not to stdout")->type_name("FILE");
    app.add_option("--color", common.color, "When to colour (also NO_COLOR, CLICOLOR_FORCE)")->type_name("auto|always|never");
}

void add_job(CLI::App& app, SearchCommand& c) {
    app.add_option("MODEL", c.model,
                   "Preset (ndtune catalog models), config.json, folder that holds one, or a JSON report to repeat");
    app.add_option("--cluster", c.cluster, "NODESxGPUSxDEVICE[@FABRIC], e.g. 2x8xh100-sxm, or a TOML or YAML file")
        ->type_name("CLUSTER")
        ->group("Job");
    app.add_option("--seq", c.seq, "Tokens per sequence, e.g. 8k")->type_name("LENGTH")->group("Job");
    app.add_option("--batch", c.batch, "Sequences per optimizer step, e.g. 512, or tokens: 4Mtok (M = 1024 x 1024)")
        ->type_name("COUNT")
        ->group("Job");
    app.add_option("--runtime", c.runtime, "Whose semantics (ndtune catalog runtimes); default fsdp2, on the CPU ndtune")
        ->type_name("NAME")
        ->envname("NDTUNE_RUNTIME")
        ->group("Job");
    app.add_option("--precision", c.precision, "Of the linear layers; default bf16")
        ->type_name("bf16|fp16|fp8|mxfp8|fp4|fp32")
        ->envname("NDTUNE_PRECISION")
        ->group("Job");
}

void add_space(CLI::App& app, SearchCommand& c) {
    app.add_option("--objective", c.objective, "What the best plan is best in; default step_time")
        ->type_name("step_time|tokens_per_gpu|memory_headroom")
        ->envname("NDTUNE_OBJECTIVE")
        ->group("Space");
    app.add_option("--fix", c.fix, "Set an axis: tp=8 (axes: dp_replicate, dp_shard, cp, tp); repeatable")
        ->type_name("AXIS=N")
        ->allow_extra_args(false)
        ->group("Space");
    app.add_option("--limit", c.limit, "Bound an axis: 'cp<=4' or 'dp_shard>=8'; repeatable")
        ->type_name("AXIS<=N")
        ->allow_extra_args(false)
        ->group("Space");
    app.add_option("--within-node", c.within_node, "Keep an axis inside a node; repeatable")
        ->type_name("AXIS")
        ->allow_extra_args(false)
        ->group("Space");
    app.add_option("--no-rule", c.no_rule, "Switch a rule off (ndtune catalog rules); repeatable")
        ->type_name("RULE")
        ->allow_extra_args(false)
        ->group("Space");
    app.add_flag("--no-bounds", c.no_bounds, "Price every plan that breaks no rule; same answer, slower")->group("Space");
    app.add_option("--margin", c.margin, "Memory to keep free (5%)")
        ->type_name("SHARE")
        ->envname("NDTUNE_MARGIN")
        ->group("Space");
    app.add_option("--threads", c.threads, "Threads to search with; default all cores")
        ->type_name("N")
        ->envname("NDTUNE_THREADS")
        ->group("Space");
}

void add_sizing(CLI::App& app, SearchCommand& c) {
    app.add_option("--gpus", c.gpus, "Cluster sizes to compare: 8:4096, 8:4096:8 (step) or 64,128,256")
        ->type_name("RANGE")
        ->group("Sizing (in place of --cluster)");
    app.add_option("--device", c.device, "Devices to compare: h100-sxm,a100-sxm")
        ->type_name("NAMES")
        ->group("Sizing (in place of --cluster)");
    app.add_option("--tokens", c.tokens, "Tokens to train on, e.g. 2T")
        ->type_name("COUNT")
        ->group("Sizing (in place of --cluster)");
    app.add_option("--deadline", c.deadline, "Latest end, e.g. 30d")->type_name("TIME")->group("Sizing (in place of --cluster)");
    app.add_option("--budget", c.budget, "Most to spend, e.g. '$2M'")
        ->type_name("DOLLARS")
        ->group("Sizing (in place of --cluster)");
    app.add_option("--batch-tolerance", c.batch_tolerance,
                   "How far a cluster's batch may be from --batch where it does not divide; default 5%")
        ->type_name("SHARE")
        ->group("Sizing (in place of --cluster)");
    app.add_option("--prices", c.prices, "Price list (CSV; SkyPilot's catalog columns are read too)")
        ->type_name("FILE")
        ->envname("NDTUNE_PRICES")
        ->group("Sizing (in place of --cluster)");
}

void add_flags(CLI::App& app, SearchCommand& c) {
    add_job(app, c);
    add_space(app, c);
    add_sizing(app, c);
    app.add_option("--top", c.top, "Plans to list; default 10")->type_name("N")->envname("NDTUNE_TOP");
    app.add_option("--why", c.why, "Say why that plan is not (or is) in the answer")->type_name("PLAN");
    app.add_flag("--explain", c.explain, "Explain the best plan too");
    app.add_option("--format", c.format, "Form of the answer; default table")
        ->type_name("table|json|csv|md")
        ->envname("NDTUNE_FORMAT");
    app.add_flag_callback("--json", [&c] { c.format = "json"; }, "Short for --format json");
    app.add_flag("-q,--quiet", c.common.quiet, "Print the best plan's text only");
    app.add_flag("-v,--verbose", c.common.verbose, "Print more: Pareto front, rejections by rule, every row");
    add_common(app, c.common, true);
}

void add_flags(CLI::App& app, ExplainCommand& c) {
    app.add_option("REPORT", c.report, "JSON report of ndtune search; #2 takes its second plan, #PLAN any plan");
    add_common(app, c.common, true);
}

void add_flags(CLI::App& app, ValidateCommand& c) {
    app.add_option("FILE", c.file, "CSV of measured runs");
    app.add_option("-o,--output", c.common.output, "Write the predictions there (CSV)")->type_name("FILE");
    add_common(app, c.common, false);
}

void add_flags(CLI::App& app, CatalogCommand& c) {
    app.add_option("KIND", c.kind, "What to list")->type_name("devices|models|runtimes|fabrics|rules");
    app.add_option("NAME", c.name, "One entry, in full");
    add_common(app, c.common, true);
}

void add_flags(CLI::App& app, SchemaCommand& c) {
    app.add_option("NAME", c.name, "Which schema")->type_name("search|sizing");
    add_common(app, c.common, true);
}

void add_flags(CLI::App& app, DoctorCommand& c) {
    add_common(app, c.common, true);
}

void add_flags(CLI::App& app, CompletionsCommand& c) {
    app.add_option("SHELL", c.shell, "Which shell")->type_name("bash|zsh|fish");
    add_common(app, c.common, true);
}

Command empty_command(std::string_view verb) {
    if (verb == "search") return SearchCommand{};
    if (verb == "explain") return ExplainCommand{};
    if (verb == "validate") return ValidateCommand{};
    if (verb == "catalog") return CatalogCommand{};
    if (verb == "schema") return SchemaCommand{};
    if (verb == "doctor") return DoctorCommand{};
    return CompletionsCommand{};
}

struct VerbText {
    std::string_view summary;
    std::string_view usage;
    std::vector<std::string_view> examples;
};

VerbText verb_text(std::string_view verb) {
    if (verb == "search") {
        return {"Best plans for a cluster, or best clusters for a wish",
                "ndtune search MODEL --cluster CLUSTER --seq LENGTH --batch COUNT",
                {"ndtune search llama-3.1-8b --cluster 1x8xh100-sxm --seq 8k --batch 64",
                 "ndtune search ./config.json --cluster cluster.toml --seq 8k --batch 4Mtok \\\n      --fix tp=8 --limit 'cp<=2' "
                 "--json -o report.json",
                 "ndtune search report.json --top 20",
                 "ndtune search llama-3.1-70b --gpus 8:4096 --device h100-sxm,h200-sxm \\\n      --seq 8k --batch 512 --tokens "
                 "2T --deadline 30d \\\n      --budget '$2M' --prices FILE"}};
    }
    if (verb == "explain") {
        return {"Where a plan's time and memory go, what would flip the ranking",
                "ndtune explain REPORT[#N]",
                {"ndtune explain report.json", "ndtune explain 'report.json#2'"}};
    }
    if (verb == "validate") {
        return {"Predict measured runs, print the error per source",
                "ndtune validate FILE.csv [-o PREDICTIONS.csv]",
                {"ndtune validate runs.csv -o predictions.csv"}};
    }
    if (verb == "catalog") {
        return {"Known devices, models, runtimes, fabrics and rules",
                "ndtune catalog KIND [NAME]",
                {"ndtune catalog devices", "ndtune catalog devices h100-sxm", "ndtune catalog models"}};
    }
    if (verb == "schema") {
        return {"JSON Schema of a report", "ndtune schema search|sizing", {"ndtune schema search"}};
    }
    if (verb == "doctor") return {"What this build has and can do", "ndtune doctor", {"ndtune doctor"}};
    return {"Completion script for a shell", "ndtune completions bash|zsh|fish", {"source <(ndtune completions bash)"}};
}

FlagHelp flag_help(const CLI::Option& option) {
    FlagHelp help;
    help.names = option.get_positional() ? option.get_name(true, false) : option.get_name(false, true);
    help.value = option.get_type_size() == 0 ? "" : option.get_type_name();
    help.text = option.get_description();
    help.group = option.get_group();
    if (!option.get_envname().empty()) help.text += fmt::format(" [{}]", option.get_envname());
    return help;
}

/// "--seq -5" is a value behind its flag, not a flag of its own: written as "--seq=-5".
std::vector<std::string> join_negative_values(const std::vector<std::string>& args) {
    std::vector<std::string> joined;
    for (const std::string& arg : args) {
        const bool negative = arg.size() > 1 && arg[0] == '-' && std::isdigit(static_cast<unsigned char>(arg[1])) != 0;
        const bool behind_flag =
            !joined.empty() && joined.back().starts_with("--") && joined.back().find('=') == std::string::npos;
        if (negative && behind_flag) {
            joined.back() += "=" + arg;
        } else {
            joined.push_back(arg);
        }
    }
    return joined;
}

tl::unexpected<Error> unexpected_argument(std::string_view verb, std::string arg) {
    if (!arg.starts_with("-")) {
        return bad_input(fmt::format("one argument too many: '{}'", arg), {}, fmt::format("ndtune {} --help", verb));
    }
    arg = arg.substr(0, arg.find('='));
    const VerbHelp help = describe(verb);
    std::vector<std::string_view> names;
    for (const FlagHelp& flag : help.flags) {
        if (!flag.positional()) names.push_back(std::string_view(flag.names).substr(flag.names.rfind("--")));
    }
    const std::string_view near = nearest(arg, names);
    return bad_input(fmt::format("there is no flag {}", arg), {},
                     near.empty() ? fmt::format("ndtune {} --help lists the flags", verb) : fmt::format("{}?", near));
}

}  // namespace

std::vector<std::string_view> FlagHelp::choices() const {
    std::vector<std::string_view> words;
    if (value.find('|') == std::string::npos) return words;
    for (std::string_view rest = value; !rest.empty();) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

std::span<const std::string_view> verb_names() {
    return kVerbs;
}

VerbHelp describe(std::string_view verb) {
    Command command = empty_command(verb);
    CLI::App app;
    app.set_help_flag();
    std::visit([&](auto& c) { add_flags(app, c); }, command);
    VerbText text = verb_text(verb);
    VerbHelp help{verb, text.summary, text.usage, std::move(text.examples), {}};
    for (const CLI::Option* option : app.get_options()) help.flags.push_back(flag_help(*option));
    return help;
}

Result<Command> parse_command(std::string_view verb, const std::vector<std::string>& args) {
    Command command = empty_command(verb);
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::visit([&](auto& c) { add_flags(app, c); }, command);
    std::vector<std::string> words = join_negative_values(args);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app.parse(words);
    } catch (const CLI::ParseError& e) {
        return bad_input(e.what(), {}, fmt::format("ndtune {} --help", verb));
    }
    if (const auto extra = app.remaining(); !extra.empty()) return unexpected_argument(verb, extra.front());
    const std::string& color = std::visit([](const auto& c) -> const std::string& { return c.common.color; }, command);
    return parse_choice(color, "--color", {"auto", "always", "never"}).map([&](const std::string&) {
        return std::move(command);
    });
}

}  // namespace ndtune::cli
