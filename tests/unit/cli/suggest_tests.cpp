#include "cli/suggest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ndtune::cli {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"search", "explain", "validate", "catalog"};

TEST(Nearest, FindsOneEdit) {
    EXPECT_EQ(nearest("serch", kWords), "search");
    EXPECT_EQ(nearest("searchh", kWords), "search");
    EXPECT_EQ(nearest("sezrch", kWords), "search");
    EXPECT_EQ(nearest("saerch", kWords), "search");
    EXPECT_EQ(nearest("catalogue", kWords), "catalog");
}

TEST(Nearest, FindsTheWordItself) {
    for (const std::string_view word : kWords) EXPECT_EQ(nearest(word, kWords), word);
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest("train", kWords), "");
    EXPECT_EQ(nearest("", kWords), "");
    EXPECT_EQ(nearest(std::string(1000, 's'), kWords), "");
    EXPECT_EQ(nearest("search", {}), "");
}

}  // namespace
}  // namespace ndtune::cli
