#include "cli/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ndtune::cli {
namespace {

/// Insertions, deletions and substitutions between two texts (Levenshtein), one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates) {
    constexpr std::size_t kLongestText = 64;  // nobody mistypes more
    if (text.empty() || text.size() > kLongestText) return {};
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, text.size() / 3) + 1;
    for (std::string_view candidate : candidates) {
        const std::size_t distance = edits(text, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace ndtune::cli
