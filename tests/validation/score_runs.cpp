// Predicts and scores a table of published runs: `score_runs TABLE.csv [PRED.csv]`. Prints the accuracy table that
// tests/validation/accuracy.md holds; tests/validation/fit.py reads PRED.csv.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "profiles/published/validation.h"

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: score_runs TABLE.csv [PRED.csv]\n"), 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto result = ndtune::published::validate(text, argv[1]);
    if (!result) {
        std::fprintf(stderr, "%s (%s)\n", result.error().message.c_str(), result.error().where.c_str());
        return 2;
    }
    if (argc > 2) {
        std::ofstream(argv[2], std::ios::binary) << ndtune::published::to_csv(result->predictions);
        return 0;
    }
    std::fputs((summary_text(*result) + "\n" + to_text(result->accuracy)).c_str(), stdout);
}
