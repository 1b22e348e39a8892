#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ndtune::test {
namespace {

/// Replaces the child by the program. Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_program(const Call& call, const std::string& out, const std::string& err, char* const* argv,
                                 char* const* environment) {
    const int in_fd = open("/dev/null", O_RDONLY);
    const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    if (in_fd < 0 || out_fd < 0 || err_fd < 0) _exit(126);
    dup2(in_fd, STDIN_FILENO);
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
    if (!call.folder.empty() && chdir(call.folder.c_str()) != 0) _exit(126);
    execve(NDTUNE_BINARY, argv, environment);
    _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

}  // namespace

Outcome run(const Call& call) {
    const TemporaryFolder streams;
    const std::string out = call.out_path.empty() ? (streams.path() / "out").string() : call.out_path;
    const std::string err = (streams.path() / "err").string();
    std::vector<std::string> args = call.args;
    args.insert(args.begin(), NDTUNE_BINARY);
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    for (const auto& [name, value] : call.environment) environment.push_back(name + "=" + value);
    const std::vector<char*> argv = pointers(args);
    const std::vector<char*> envp = pointers(environment);

    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) become_program(call, out, err, argv.data(), envp.data());
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (call.out_path.empty()) outcome.out = read_text(out);
    outcome.err = read_text(err);
    return outcome;
}

Outcome run(std::vector<std::string> args) {
    return run(Call{std::move(args), {}, {}, {}});
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ndtune-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace ndtune::test
