#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ndtune::test {

/// What a run of the program left behind.
struct Outcome {
    int code = -1;    ///< exit code; 128 + signal where it was killed
    std::string out;  ///< stdout
    std::string err;  ///< stderr
};

/// A run of the built ndtune in its own empty folder.
struct Call {
    std::vector<std::string> args;
    std::map<std::string, std::string> environment;  ///< added to an otherwise small, fixed environment
    std::filesystem::path folder;                    ///< current directory; empty: the caller's
    std::string out_path;                            ///< stdout goes there instead (e.g. /dev/full)
};

Outcome run(const Call& call);
Outcome run(std::vector<std::string> args);

/// A folder that is removed at the end of its scope.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Writes a file in it and returns its path.
    [[nodiscard]] std::string file(const std::string& name, const std::string& content) const;

private:
    std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);

}  // namespace ndtune::test
