#include <fmt/format.h>

#include <functional>

#include "cli/flag_values.h"
#include "cli/parser.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "profiles/catalog.h"

namespace ndtune::cli {
namespace {

/// A flag or argument with the words that may stand for its value; no words: a file name.
struct Completion {
    std::vector<std::string> names;  ///< "-o", "--output"; empty for an argument
    std::vector<std::string> words;
    bool takes_value = false;
    std::string text;
};

std::vector<std::string> strings(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
}

std::vector<std::string> words_of(std::string_view verb, const FlagHelp& flag) {
    if (flag.names == "MODEL") return profiles::model_names();
    if (flag.names == "--runtime") return profiles::runtime_names();
    if (verb == "search" && flag.names == "--device") return profiles::device_names();
    return strings(flag.choices());
}

std::vector<Completion> completions_of(std::string_view verb) {
    std::vector<Completion> all;
    for (const FlagHelp& flag : describe(verb).flags) {
        Completion entry;
        if (!flag.positional()) entry.names = strings(split_list(flag.names));
        entry.words = words_of(verb, flag);
        entry.takes_value = !flag.value.empty();
        entry.text = flag.text;
        all.push_back(std::move(entry));
    }
    return all;
}

std::string bash_verb(std::string_view verb) {
    std::string values;
    std::string flags;
    std::string words;
    for (const Completion& c : completions_of(verb)) {
        if (c.names.empty()) {
            words += fmt::format(" {}", fmt::join(c.words, " "));
            continue;
        }
        flags += fmt::format(" {}", fmt::join(c.names, " "));
        if (!c.takes_value) continue;
        const std::string reply = c.words.empty() ? "compgen -f" : fmt::format("compgen -W \"{}\"", fmt::join(c.words, " "));
        values += fmt::format("            {}) COMPREPLY=($({} -- \"$word\")); return;;\n", fmt::join(c.names, "|"), reply);
    }
    return fmt::format(
        "        {}) case \"$before\" in\n{}            esac\n"
        "            COMPREPLY=($(compgen -W \"{}{}\" -- \"$word\") $(compgen -f -- \"$word\"));;\n",
        verb, values, flags, words);
}

std::string bash() {
    std::string text =
        "# bash completion of ndtune: source <(ndtune completions bash)\n"
        "_ndtune() {\n"
        "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    if ((COMP_CWORD == 1)); then\n";
    text += fmt::format("        COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); return\n    fi\n",
                        fmt::join(verb_names(), " "));
    text += "    case \"${COMP_WORDS[1]}\" in\n";
    for (const std::string_view verb : verb_names()) text += bash_verb(verb);
    return text + "    esac\n}\ncomplete -o filenames -F _ndtune ndtune ./ndtune\n";
}

/// Text inside single quotes; zsh's own marks are kept from it.
std::string quoted(std::string_view text, std::string_view marks = {}) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') continue;
        if (marks.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_flag(const Completion& c) {
    std::string text;
    for (const std::string& name : c.names) {
        text += fmt::format(" \\\n            '*{}[{}]", name, quoted(c.text, "[]:"));
        if (c.takes_value) text += c.words.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(c.words, " "));
        text += "'";
    }
    return text;
}

std::string zsh() {
    std::string text =
        "#compdef ndtune\n"
        "# zsh completion of ndtune: ndtune completions zsh > a folder of $fpath/_ndtune\n"
        "_ndtune() {\n"
        "    if ((CURRENT == 2)); then\n";
    text += fmt::format("        compadd -- {} --help --version; return\n    fi\n", fmt::join(verb_names(), " "));
    text += "    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n    case $verb in\n";
    for (const std::string_view verb : verb_names()) {
        text += fmt::format("        {}) _arguments", verb);
        int position = 1;
        for (const Completion& c : completions_of(verb)) {
            if (!c.names.empty()) {
                text += zsh_flag(c);
            } else {
                const std::string words = c.words.empty() ? "_files" : fmt::format("({})", fmt::join(c.words, " "));
                text += fmt::format(" \\\n            '{}:argument:{}'", position++, words);
            }
        }
        text += ";;\n";
    }
    return text + "    esac\n}\ncompdef _ndtune ndtune\n";
}

std::string fish() {
    std::string text = "# fish completion of ndtune: ndtune completions fish | source\n";
    for (const std::string_view verb : verb_names()) {
        text +=
            fmt::format("complete -c ndtune -n __fish_use_subcommand -f -a {} -d '{}'\n", verb, quoted(describe(verb).summary));
        for (const Completion& c : completions_of(verb)) {
            std::string entry = fmt::format("complete -c ndtune -n '__fish_seen_subcommand_from {}'", verb);
            for (const std::string& name : c.names) {
                entry += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
            }
            if (c.names.empty() && c.words.empty()) continue;
            if (c.takes_value) entry += " -r";
            if (!c.words.empty()) entry += fmt::format(" -a '{}'", fmt::join(c.words, " "));
            text += fmt::format("{} -d '{}'\n", entry, quoted(c.text));
        }
    }
    return text;
}

}  // namespace

Result<int> run(const CompletionsCommand& command) {
    return parse_choice(command.shell, "SHELL", {"bash", "zsh", "fish"})
        .and_then([&](const std::string& shell) {
            const std::string text = shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish();
            return write_result(text, command.common.output);
        })
        .map([] { return kAnswer; });
}

}  // namespace ndtune::cli
