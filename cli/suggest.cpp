#include "cli/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace ndtune::cli {
namespace {

/// Insertions, deletions, substitutions and swaps of neighbours between two texts (optimal string alignment), row by row.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    std::vector<std::size_t> above = row;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        const std::vector<std::size_t> above2 = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], above2[j - 2] + 1);
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
