#include "profiles/catalog_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestFile = std::int64_t{4} << 20;

std::string catalog_folder() {
    const char* folder = std::getenv("NDTUNE_CATALOG");
    return folder == nullptr ? std::string() : std::string(folder);
}

// Levenshtein distance; names are short.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

Result<std::string> catalog_text(std::string_view path) {
    if (const std::string folder = catalog_folder(); !folder.empty()) {
        return read_text_file((fs::path(folder) / path).string(), kLargestFile);
    }
    const auto files = embedded_catalog();
    const auto found =
        std::lower_bound(files.begin(), files.end(), path, [](const CatalogFile& f, std::string_view p) { return f.path < p; });
    if (found != files.end() && found->path == path) return std::string(found->text);
    return tl::unexpected(Error{ErrorCode::not_found, fmt::format("the catalog has no file {}", path), {}, {}});
}

std::vector<std::string> catalog_keys(std::string_view folder) {
    constexpr std::string_view kEnding = ".json";
    std::vector<std::string> keys;
    if (const std::string root = catalog_folder(); !root.empty()) {
        std::error_code ignored;
        for (fs::directory_iterator it(fs::path(root) / folder, ignored), end; it != end; it.increment(ignored)) {
            if (it->path().extension() == kEnding) keys.push_back(it->path().stem().string());
        }
    } else {
        const std::string prefix = std::string(folder) + "/";
        for (const CatalogFile& file : embedded_catalog()) {
            if (file.path.starts_with(prefix)) {
                keys.emplace_back(file.path.substr(prefix.size(), file.path.size() - prefix.size() - kEnding.size()));
            }
        }
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

std::string nearest_names(std::string_view name, const std::vector<std::string>& names) {
    constexpr std::size_t kLongest = 64;
    if (name.size() > kLongest) return {};
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& candidate : names) {
        const bool part = name.size() >= 2 && candidate.find(name) != std::string::npos;
        const std::size_t begins = distance(name, std::string_view(candidate).substr(0, name.size())) + 1;
        const std::size_t far = part ? 1 : std::min(distance(name, candidate), begins);
        if (far <= std::max<std::size_t>(2, name.size() / 3)) near.emplace_back(far, candidate);
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string> best;
    for (std::size_t i = 0; i < near.size() && i < 3; ++i) best.push_back(near[i].second);
    return fmt::format("{}", fmt::join(best, ", "));
}

}  // namespace ndtune::profiles
