#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ndtune::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// Length of the UTF-8 character at the start of `text`, 0 where there is none (RFC 3629, overlong forms and surrogates aside).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80           ? 1
                               : (byte(0) >> 5) == 0x6  ? 2
                               : (byte(0) >> 4) == 0xE  ? 3
                               : (byte(0) >> 3) == 0x1E ? 4
                                                        : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) >> 6) != 0x2) return 0;
    }
    return length;
}

/// One printable line, whatever the bytes; at most kLongest characters, as a quoted megabyte helps nobody.
std::string printable(std::string_view text) {
    constexpr std::size_t kLongest = 2000;
    std::string line;
    while (!text.empty() && line.size() < kLongest) {
        const std::size_t length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        if (length == 0 || (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F) {
            line += fmt::format("\\x{:02x}", first);
            text.remove_prefix(1);
            continue;
        }
        if (first == '\n' || first == '\t') {
            line += ' ';
        } else {
            line += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    if (!text.empty()) line += " ...";
    return line;
}

std::string without_full_stop(std::string_view text) {
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.remove_suffix(1);
    return std::string(text);
}

int terminal_width() {
    constexpr int kPiped = 80;
    winsize size{};
    if (on_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
    return kPiped;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Error io_error(std::string_view what, const std::string& path, std::string hint) {
    return Error{ErrorCode::bad_input, fmt::format("{}: {}", what, std::strerror(errno)), path, std::move(hint)};
}

}  // namespace

int exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::bad_input:
        case ErrorCode::not_found:
        case ErrorCode::unsupported:
            return kBadInput;  // an input nothing can be said about; 5 is left to a missing worker or GPU
        case ErrorCode::infeasible: return kInfeasible;
        case ErrorCode::check_failed: return kCheckFailed;
        case ErrorCode::internal: return kInternal;
    }
    return kInternal;
}

bool on_terminal() {
    return isatty(STDOUT_FILENO) == 1;
}

reports::ConsoleStyle console_style(std::string_view color) {
    reports::ConsoleStyle style;
    const bool terminal = on_terminal();
    const std::string_view force = environment("CLICOLOR_FORCE");
    if (color == "always" || color == "never") {
        style.color = color == "always";
    } else if (!environment("NO_COLOR").empty()) {
        style.color = false;
    } else if (!force.empty() && force != "0") {
        style.color = true;
    } else {
        style.color = terminal && environment("TERM") != "dumb";
    }
    // POSIX: the first of these that is set and not empty names the character set.
    std::string_view locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (locale.empty()) locale = environment(name);
    }
    style.unicode = terminal && (locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos);
    style.width = terminal_width();
    return style;
}

void print_error(std::string_view verb, const Error& error) {
    std::string line = fmt::format("[{}] {}", verb, without_full_stop(error.message));
    if (!error.where.empty()) line += fmt::format(" ({})", error.where);
    line += '.';
    if (!error.hint.empty()) line += fmt::format(" Hint: {}", error.hint);
    fmt::print(stderr, "{}\n", printable(line));
}

void print_warnings(std::string_view verb, const std::vector<std::string>& warnings) {
    for (const std::string& text : warnings) fmt::print(stderr, "{}\n", printable(fmt::format("[{}] warning: {}", verb, text)));
}

Result<void> write_result(std::string_view text, const std::optional<std::string>& path) {
    const bool to_stdout = !path || *path == "-";
    const std::string where = to_stdout ? "stdout" : *path;
    const std::string hint = to_stdout ? "" : "name a file in a folder that exists and can be written";
    File file(to_stdout ? stdout : std::fopen(path->c_str(), "wb"),
              [](std::FILE* f) { return f == stdout ? 0 : std::fclose(f); });
    if (!file) return tl::unexpected(io_error("cannot write the result", where, hint));
    const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
    if (!written) return tl::unexpected(io_error("cannot write the result", where, hint));
    return {};
}

}  // namespace ndtune::cli
