#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/hf_config.h"
#include "tests/unit/profiles/hf_config_keys.h"

namespace ndtune::profiles {
namespace {

using testing::HasSubstr;

TEST(HfConfigErrors, IntegersOutOfRangeNameKeyValueAndBounds) {
    struct Case {
        const char* key;
        const char* value;
        const char* part;
    };
    for (const Case& c : std::vector<Case>{{"hidden_size", "9999999999", "outside 1 to 1048576"},
                                           {"hidden_size", "0", "outside"},
                                           {"hidden_size", "-4096", "-4096"},
                                           {"hidden_size", "18446744073709551615", "outside"},
                                           {"hidden_size", "184467440737095516150", "not a whole number"},
                                           {"hidden_size", "64.0", "not a whole number"},
                                           {"hidden_size", "1e3", "not a whole number"},
                                           {"hidden_size", "\"64\"", "is a string"},
                                           {"hidden_size", "true", "is a boolean"},
                                           {"hidden_size", "[64]", "is a list"},
                                           {"hidden_size", "{}", "is an object"},
                                           {"hidden_size", "null", "is missing"},
                                           {"num_hidden_layers", "10001", "outside 1 to 10000"},
                                           {"num_attention_heads", "0", "outside"},
                                           {"num_key_value_heads", "-1", "outside"},
                                           {"head_dim", "0", "outside"},
                                           {"intermediate_size", "99999999999", "outside"},
                                           {"vocab_size", "16777217", "outside 1 to 16777216"},
                                           {"max_position_embeddings", "-1", "outside"},
                                           {"tie_word_embeddings", "1", "not true or false"},
                                           {"attention_bias", "\"yes\"", "not true or false"},
                                           {"model_type", "7", "not a string"},
                                           {"layer_types", "[1]", "list of strings"},
                                           {"layer_types", "[\"full_attention\"]", "1 entries for 6 layers"}}) {
        const auto config = changed({{c.key, c.value}});
        ASSERT_FALSE(config) << c.key << " " << c.value;
        EXPECT_EQ(config.error().code, ErrorCode::bad_input);
        EXPECT_THAT(config.error().message, HasSubstr(c.part)) << c.key << " " << c.value;
        EXPECT_EQ(config.error().where, fmt::format("config.json, key {}", c.key));
        EXPECT_FALSE(config.error().hint.empty());
    }
}

TEST(HfConfigErrors, MissingKeysAreNamed) {
    for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"}) {
        Keys keys = llama_keys();
        keys.erase(key);
        const Error error = error_of(parse(keys));
        EXPECT_EQ(error.message, fmt::format("{} is missing", key));
        EXPECT_THAT(error.hint, HasSubstr("add it"));
    }
    const Error error = error_of(changed({{"model_type", "\"mixtral\""}}));
    EXPECT_EQ(error.message, "num_local_experts is missing");
}

TEST(HfConfigErrors, ShapesThatDoNotDivide) {
    EXPECT_THAT(error_of(changed({{"num_attention_heads", "7"}, {"num_key_value_heads", "7"}})).message,
                HasSubstr("hidden_size 64 is not a multiple of num_attention_heads 7"));
    EXPECT_TRUE(changed({{"num_attention_heads", "7"}, {"num_key_value_heads", "7"}, {"head_dim", "8"}}));
    EXPECT_THAT(error_of(changed({{"num_key_value_heads", "3"}})).message, HasSubstr("8 query heads are not a multiple of 3"));
    EXPECT_THAT(error_of(changed({{"num_key_value_heads", "16"}})).message, HasSubstr("not a multiple of 16"));
    EXPECT_THAT(
        error_of(changed({{"model_type", "\"mixtral\""}, {"num_local_experts", "4"}, {"num_experts_per_tok", "5"}})).message,
        HasSubstr("num_experts_per_tok is 5, outside 1 to 4"));
}

TEST(HfConfigErrors, LargestKeysAreRefusedBySumNotByOverflow) {
    const auto config = changed({{"model_type", "\"mixtral\""},
                                 {"hidden_size", "1048576"},
                                 {"num_hidden_layers", "10000"},
                                 {"num_attention_heads", "8192"},
                                 {"num_key_value_heads", "8192"},
                                 {"head_dim", "8192"},
                                 {"intermediate_size", "4194304"},
                                 {"vocab_size", "16777216"},
                                 {"num_local_experts", "65536"},
                                 {"num_experts_per_tok", "65536"},
                                 {"n_shared_experts", "65536"}});
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().message, HasSubstr("parameters, more than 1e+15"));
}

TEST(HfConfigErrors, TextThatIsNoJsonObject) {
    const auto message = [](const std::string& text) { return error_of(parse_hf_config(text, "config.json")).message; };
    EXPECT_EQ(message(""), "broken JSON at line 1, column 1");
    EXPECT_EQ(message("{\n  \"hidden_size\": 64,,\n}"), "broken JSON at line 2, column 21");
    EXPECT_THAT(message("{\"hidden_size\": NaN}"), HasSubstr("broken JSON at line 1"));
    EXPECT_THAT(message("{\"hidden_size\": 1e999}"), HasSubstr("too large"));
    EXPECT_THAT(message("[1, 2]"), HasSubstr("a list, not an object"));
    EXPECT_THAT(message("null"), HasSubstr("null, not an object"));
    EXPECT_THAT(message("{\"a\": \"\xff\xfe\"}"), HasSubstr("not UTF-8 text: bad byte 0xff at offset 7"));
    EXPECT_THAT(message("{\"hidden_size\": 1, \"hidden_size\": 2}"), HasSubstr("'hidden_size' is given twice"));
    EXPECT_THAT(message("{\"x\": [{\"y\": 1, \"y\": 2}]}"), HasSubstr("'y' is given twice"));
    EXPECT_THAT(message("{}"), HasSubstr("hidden_size is missing"));
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_EQ(message(deep), "nested deeper than 64 at line 1, column 65");
    EXPECT_THAT(message("{\"a\":" + deep + "}"), HasSubstr("nested deeper than 64"));
    EXPECT_THAT(message("{\"model_type\": \"\\u0007bell\\u0000\", \"hidden_size\": 0}"), HasSubstr("hidden_size is 0"));
    EXPECT_THAT(message("{\"text_config\": 5, \"model_type\": \"x\"}"), HasSubstr("text_config is not an object"));
}

class ReadModel : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  fmt::format("ndtune_{}", testing::UnitTest::GetInstance()->random_seed()) /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_ / "my-model");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }
    std::filesystem::path folder_;
};

TEST_F(ReadModel, FolderAndFileGiveTheSameModelNamedByTheFolder) {
    const std::string file = write("my-model/config.json", json(llama_keys()));
    const auto by_file = read_model(file);
    const auto by_folder = read_model((folder_ / "my-model").string() + "/");
    ASSERT_TRUE(by_file && by_folder);
    EXPECT_EQ(by_file->model, by_folder->model);
    EXPECT_EQ(by_file->model.name, "my-model");
}

TEST_F(ReadModel, FolderWithoutConfig) {
    EXPECT_EQ(error_of(read_model((folder_ / "my-model").string())).message, "the folder holds no config.json");
}

TEST_F(ReadModel, MissingFile) {
    const Error error = error_of(read_model((folder_ / "absent.json").string()));
    EXPECT_EQ(error.code, ErrorCode::not_found);
    EXPECT_EQ(error.message, "no such file");
}

TEST_F(ReadModel, FileAboveTheLimitIsRefusedUnread) {
    const std::string file = write("large.json", "{}");
    std::filesystem::resize_file(file, std::uintmax_t{1} << 30);  // sparse: reading it would take 1 GiB
    EXPECT_THAT(error_of(read_model(file)).message, HasSubstr("1073741824 bytes, more than the 16777216"));
}

TEST_F(ReadModel, DeviceIsNoRegularFile) {
    EXPECT_EQ(error_of(read_model("/dev/zero")).message, "not a regular file");
}

}  // namespace
}  // namespace ndtune::profiles
