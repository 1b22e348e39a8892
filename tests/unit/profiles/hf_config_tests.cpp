#include "profiles/hf_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "cost_model/model.h"

namespace ndtune::profiles {
namespace {

using testing::HasSubstr;

using Keys = std::map<std::string, std::string>;

Keys llama_keys() {
    return {{"model_type", "\"llama\""},
            {"hidden_size", "64"},
            {"num_hidden_layers", "6"},
            {"num_attention_heads", "8"},
            {"num_key_value_heads", "4"},
            {"intermediate_size", "96"},
            {"vocab_size", "100"},
            {"tie_word_embeddings", "false"},
            {"max_position_embeddings", "256"}};
}

Keys with(Keys keys, const Keys& changes) {
    for (const auto& [key, value] : changes) keys[key] = value;
    return keys;
}

std::string json(const Keys& keys) {
    std::string text = "{";
    for (const auto& [key, value] : keys) text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key, value);
    return text + "}";
}

Result<ModelConfig> parse(const Keys& keys) {
    return parse_hf_config(json(keys), "config.json");
}

Result<ModelConfig> changed(const Keys& changes) {
    return parse(with(llama_keys(), changes));
}

Error error_of(const Result<ModelConfig>& config) {
    return config ? Error{} : config.error();
}

std::string data_file(const std::string& name) {
    return std::string(NDTUNE_SOURCE_DIR) + "/tests/data/configs/" + name;
}

std::vector<std::int64_t> windows(const Model& model) {
    std::vector<std::int64_t> out;
    for (const LayerType& layer : model.layers) {
        out.push_back(layer.window);
        out.push_back(layer.count);
    }
    return out;
}

TEST(HfConfig, OldAndNewSpellingsGiveTheSameModel) {
    auto before = read_model(data_file("llama_old.json"));
    auto after = read_model(data_file("llama_new.json"));
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->model.name, "llama_old");
    after->model.name = before->model.name;
    EXPECT_EQ(before->model, after->model);
    EXPECT_EQ(parameters(before->model).total, 8'030'261'248);
    EXPECT_TRUE(before->warnings.empty() && after->warnings.empty());
}

TEST(HfConfig, NestedTextConfigFillsInTheDefaultsOfItsClass) {
    const auto config = read_model(data_file("gemma3_nested.json"));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(parameters(config->model).total, 3'880'263'168);
    EXPECT_EQ(windows(config->model), (std::vector<std::int64_t>{1024, 29, 0, 5}));
    EXPECT_THAT(config->warnings, testing::Contains(HasSubstr("num_attention_heads is not given; 8")));
    EXPECT_THAT(config->warnings, testing::Contains(HasSubstr("only the language model under text_config")));
}

TEST(HfConfig, TiedHeadOfTheOuterConfigCounts) {
    Keys inner = llama_keys();
    inner.erase("tie_word_embeddings");
    const auto config = parse({{"model_type", "\"llava\""}, {"tie_word_embeddings", "true"}, {"text_config", json(inner)}});
    ASSERT_TRUE(config);
    EXPECT_TRUE(config->model.tied_embeddings);
}

// Counts from the weight files of the models named.
TEST(HfConfig, FamiliesWithoutPresetCountToTheParameter) {
    const auto v2_lite = read_model(data_file("deepseek_v2_lite.json"));
    ASSERT_TRUE(v2_lite) << v2_lite.error().message;
    EXPECT_EQ(parameters(v2_lite->model).total, 15'706'484'224);
    const auto pythia_160m = parse({{"model_type", "\"gpt_neox\""},
                                    {"hidden_size", "768"},
                                    {"num_hidden_layers", "12"},
                                    {"num_attention_heads", "12"},
                                    {"intermediate_size", "3072"},
                                    {"vocab_size", "50304"},
                                    {"tie_word_embeddings", "false"}});
    ASSERT_TRUE(pythia_160m);
    EXPECT_EQ(parameters(pythia_160m->model).total, 162'322'944);
    const auto olmo2_7b = parse({{"model_type", "\"olmo2\""},
                                 {"hidden_size", "4096"},
                                 {"num_hidden_layers", "32"},
                                 {"num_attention_heads", "32"},
                                 {"intermediate_size", "11008"},
                                 {"vocab_size", "100352"},
                                 {"tie_word_embeddings", "false"}});
    ASSERT_TRUE(olmo2_7b);
    EXPECT_EQ(parameters(olmo2_7b->model).total, 7'298'617'344);
    const auto qwen_moe = parse({{"model_type", "\"qwen2_moe\""},
                                 {"hidden_size", "2048"},
                                 {"num_hidden_layers", "24"},
                                 {"num_attention_heads", "16"},
                                 {"num_key_value_heads", "16"},
                                 {"intermediate_size", "5632"},
                                 {"vocab_size", "151936"},
                                 {"num_experts", "60"},
                                 {"num_experts_per_tok", "4"},
                                 {"moe_intermediate_size", "1408"},
                                 {"shared_expert_intermediate_size", "5632"},
                                 {"decoder_sparse_step", "1"},
                                 {"tie_word_embeddings", "false"}});
    ASSERT_TRUE(qwen_moe) << qwen_moe.error().message;
    EXPECT_EQ(parameters(qwen_moe->model).total, 14'315'784'192);
}

// 32 layers of 12 h^2 weights and two bias-free norms, tied embeddings of 50432 tokens, ALiBi: 6.65 B as MPT-7B's card says.
TEST(HfConfig, Mpt) {
    const Keys keys{{"model_type", "\"mpt\""}, {"d_model", "4096"},     {"n_layers", "32"},
                    {"n_heads", "32"},         {"vocab_size", "50432"}, {"max_seq_len", "2048"},
                    {"expansion_ratio", "4"},  {"no_bias", "true"},     {"attn_config", "{\"alibi\": true}"}};
    const auto config = parse(keys);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(parameters(config->model).total, 32 * (12LL * 4096 * 4096 + 2 * 4096) + 4096 + 50432LL * 4096);
    const auto learned = parse(with(keys, {{"attn_config", "{\"alibi\": false}"}, {"no_bias", "false"}}));
    ASSERT_TRUE(learned);
    EXPECT_EQ(parameters(learned->model).total - parameters(config->model).total,
              2048LL * 4096 + 32 * (9LL + 2) * 4096 + 4096);  // positions; 3 + 1 + 4 + 1 biases and 2 of the norms, in h
    EXPECT_THAT(error_of(parse(with(keys, {{"attn_config", "{\"qk_ln\": true}"}}))).message, HasSubstr("not understood"));
    EXPECT_THAT(error_of(parse(with(keys, {{"attn_config", "7"}}))).message, HasSubstr("attn_config is a number"));
}

TEST(HfConfig, GraniteAndLlamaBiasesFollowTheirKeys) {
    const auto plain = changed({{"model_type", "\"granite\""}});
    const auto biased = changed({{"model_type", "\"granite\""}, {"attention_bias", "true"}, {"mlp_bias", "true"}});
    ASSERT_TRUE(plain && biased);
    // q 64, k and v 32 each, o 64; gate and up 96 each, down 64; 6 layers
    EXPECT_EQ(parameters(biased->model).total - parameters(plain->model).total, 6 * (64 + 2 * 32 + 64 + 2 * 96 + 64));
}

TEST(HfConfig, KeyValueHeadsDefault) {
    Keys keys = llama_keys();
    keys.erase("num_key_value_heads");
    EXPECT_EQ(parse(keys)->model.attention.kv_heads, 8);
    EXPECT_EQ(changed({{"num_key_value_heads", "null"}})->model.attention.kv_heads, 8);
    keys["model_type"] = "\"mistral\"";
    keys["num_attention_heads"] = "16";
    const auto mistral = parse(keys);
    ASSERT_TRUE(mistral);
    EXPECT_EQ(mistral->model.attention.kv_heads, 8);
    EXPECT_THAT(mistral->warnings, testing::Contains(HasSubstr("num_key_value_heads is not given; 8, the default of mistral")));
}

TEST(HfConfig, WindowsByFamily) {
    using W = std::vector<std::int64_t>;
    const auto layers = [](const Keys& changes) {
        const auto config = changed(changes);
        return config ? windows(config->model) : W{};
    };
    EXPECT_EQ(layers({{"model_type", "\"mistral\""}, {"sliding_window", "32"}}), (W{32, 6}));
    EXPECT_EQ(layers({{"model_type", "\"mistral\""}, {"sliding_window", "null"}}), (W{0, 6}));
    EXPECT_EQ(layers({{"model_type", "\"mistral\""}}), (W{4096, 6}));
    EXPECT_EQ(layers({{"model_type", "\"phi3\""}, {"sliding_window", "32"}}), (W{32, 6}));
    EXPECT_EQ(layers({{"model_type", "\"llama\""}, {"sliding_window", "32"}}), (W{0, 6}));
    EXPECT_EQ(layers({{"model_type", "\"qwen2\""}, {"sliding_window", "32"}, {"max_window_layers", "2"}}), (W{0, 6}));
    const Keys qwen{{"model_type", "\"qwen2\""}, {"sliding_window", "32"}, {"use_sliding_window", "true"}};
    EXPECT_EQ(layers(with(qwen, {{"max_window_layers", "2"}})), (W{0, 2, 32, 4}));
    EXPECT_EQ(layers(qwen), (W{0, 6}));  // 28 layers attend fully by default
    EXPECT_EQ(layers({{"model_type", "\"gemma2\""}, {"sliding_window", "32"}}), (W{32, 3, 0, 3}));
    EXPECT_EQ(layers({{"model_type", "\"gemma3_text\""}, {"sliding_window", "32"}}), (W{32, 5, 0, 1}));
    EXPECT_EQ(layers({{"model_type", "\"gemma3_text\""}, {"sliding_window", "32"}, {"sliding_window_pattern", "3"}}),
              (W{32, 4, 0, 2}));
    const std::string types =
        R"(["full_attention","sliding_attention","full_attention","full_attention","full_attention","full_attention"])";
    EXPECT_EQ(layers({{"model_type", "\"gemma2\""}, {"sliding_window", "32"}, {"layer_types", types}}), (W{0, 5, 32, 1}));
    EXPECT_EQ(layers({{"model_type", "\"qwen3\""}, {"sliding_window", "null"}, {"layer_types", types}}), (W{0, 6}));
}

TEST(HfConfig, GptOssAlternatesAndEachLayerIsMoe) {
    const auto config = changed({{"model_type", "\"gpt_oss\""},
                                 {"num_local_experts", "4"},
                                 {"experts_per_token", "2"},
                                 {"sliding_window", "128"},
                                 {"head_dim", "8"}});
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(windows(config->model), (std::vector<std::int64_t>{128, 3, 0, 3}));
    EXPECT_EQ(config->model.layers[0].experts_per_token, 2);
    EXPECT_TRUE(config->model.attention.sinks && config->model.router_bias && config->model.expert_bias);
}

TEST(HfConfig, MoePlacementMakesAtMostFourTypes) {
    const Keys moe{
        {"model_type", "\"qwen3_moe\""}, {"head_dim", "8"},        {"num_experts", "4"},           {"num_experts_per_tok", "2"},
        {"moe_intermediate_size", "16"}, {"sliding_window", "32"}, {"use_sliding_window", "true"}, {"max_window_layers", "3"},
        {"decoder_sparse_step", "2"}};
    const auto config = changed(moe);
    ASSERT_TRUE(config) << config.error().message;
    ASSERT_EQ(config->model.layers.size(), 4U);  // dense full, MoE full, MoE sliding, dense sliding
    EXPECT_EQ(config->model.layer_count(), 6);
    EXPECT_EQ(config->model.layers[0].ffn, 96);
    EXPECT_EQ(config->model.layers[0].count, 2);
    EXPECT_TRUE(config->model.layers[1].moe());
    EXPECT_EQ(config->model.layers[1].ffn, 0);
    const auto dense =
        changed(with(moe, {{"decoder_sparse_step", "1"}, {"mlp_only_layers", "[0, 5]"}, {"max_window_layers", "6"}}));
    ASSERT_TRUE(dense);
    ASSERT_EQ(dense->model.layers.size(), 2U);
    EXPECT_EQ(dense->model.layers[0].count, 2);
    EXPECT_EQ(dense->model.layers[1].count, 4);
}

TEST(HfConfig, DeepseekDenseStartAndFrequency) {
    const Keys deepseek{{"model_type", "\"deepseek_v3\""},
                        {"num_key_value_heads", "8"},
                        {"n_routed_experts", "4"},
                        {"n_shared_experts", "2"},
                        {"num_experts_per_tok", "2"},
                        {"moe_intermediate_size", "16"},
                        {"first_k_dense_replace", "1"},
                        {"moe_layer_freq", "2"},
                        {"kv_lora_rank", "12"},
                        {"q_lora_rank", "null"},
                        {"qk_nope_head_dim", "6"},
                        {"qk_rope_head_dim", "2"},
                        {"v_head_dim", "5"},
                        {"num_nextn_predict_layers", "1"}};
    const auto config = changed(deepseek);
    ASSERT_TRUE(config) << config.error().message;
    const Model& model = config->model;
    EXPECT_EQ(model.layers[0].count, 4);  // 0, 1, 3, 5
    EXPECT_EQ(model.layers[1].count, 2);  // 2, 4
    EXPECT_EQ(model.layers[1].shared_ffn, 32);
    EXPECT_EQ(model.other_params, 2 * 4);  // one correction bias per expert
    EXPECT_EQ(model.attention.head_dim, 8);
    EXPECT_EQ(model.attention.q_rank, 0);
    EXPECT_THAT(config->warnings, testing::Contains(HasSubstr("multi-token prediction")));
    EXPECT_EQ(changed(with(deepseek, {{"topk_method", "\"greedy\""}}))->model.other_params, 0);
    EXPECT_EQ(changed(with(deepseek, {{"model_type", "\"deepseek_v2\""}}))->model.other_params, 0);
}

TEST(HfConfig, UnknownTypeIsReadAsLlamaAndNamesWhatItIgnores) {
    const auto config = read_model(data_file("unknown_moe.json"));
    ASSERT_TRUE(config) << config.error().message;
    ASSERT_EQ(config->warnings.size(), 1U);
    EXPECT_THAT(config->warnings[0], HasSubstr("model_type 'novel_moe' is unknown"));
    EXPECT_THAT(config->warnings[0], HasSubstr("num_memory_layers, side_hidden_size"));
    EXPECT_THAT(config->warnings[0], testing::Not(HasSubstr("token_id")));
    EXPECT_THAT(config->warnings[0], testing::Not(HasSubstr("n_routed_experts")));
    EXPECT_EQ(config->model.layers.size(), 2U);
    EXPECT_EQ(config->model.layers[1].experts, 16);
    EXPECT_THAT(changed({{"model_type", "null"}})->warnings, testing::Contains(HasSubstr("model_type is missing")));
}

TEST(HfConfig, WarnsOfQuantizationAndOfKeysTheFamilyDoesNotHave) {
    EXPECT_THAT(changed({{"quantization_config", "{\"bits\": 4}"}})->warnings,
                testing::ElementsAre(HasSubstr("quantization_config")));
    EXPECT_THAT(changed({{"num_local_experts", "8"}})->warnings, testing::ElementsAre(HasSubstr("llama has no such layers")));
}

TEST(HfConfig, TypesWithOtherLayersAreRefusedByName) {
    for (const char* type : {"qwen3_next", "qwen3_5",          "nemotron_h", "jamba",           "mamba",       "mamba2",
                             "falcon_h1",  "granitemoehybrid", "minimax",    "minimax_text_01", "kimi_linear", "bamba",
                             "rwkv",       "recurrent_gemma",  "lfm2",       "deepseek_v32",    "t5",          "bart",
                             "bert",       "gemma3n",          "llama4",     "mllama",          "phi",         "opt"}) {
        const Error error = error_of(changed({{"model_type", fmt::format("\"{}\"", type)}}));
        EXPECT_EQ(error.code, ErrorCode::unsupported) << type;
        EXPECT_THAT(error.message, HasSubstr(fmt::format("'{}'", type)));
        EXPECT_THAT(error.where, HasSubstr("config.json"));
        EXPECT_FALSE(error.hint.empty());
    }
    EXPECT_THAT(error_of(read_model(data_file("qwen3_next.json"))).message, HasSubstr("linear attention"));
    const Keys outer{{"model_type", "\"wrapped\""},
                     {"text_config", json(with(llama_keys(), {{"model_type", "\"qwen3_5_text\""}}))}};
    EXPECT_THAT(error_of(parse(outer)).message, HasSubstr("qwen3_5_text"));
}

TEST(HfConfig, KeysOfOtherLayersAreRefusedWhateverTheType) {
    for (const char* key :
         {"linear_num_value_heads", "ssm_state_size", "mamba_d_state", "index_topk", "index_n_heads", "state_size",
          "hybrid_override_pattern", "attn_type_list", "encoder_layers", "attention_chunk_size"}) {
        for (const char* type : {"\"llama\"", "\"novel\""}) {
            const Error error = error_of(changed({{"model_type", type}, {key, "16"}}));
            EXPECT_EQ(error.code, ErrorCode::unsupported) << key;
            EXPECT_THAT(error.message, HasSubstr(key));
            EXPECT_TRUE(changed({{"model_type", type}, {key, "null"}})) << key;
        }
    }
    const Error error = error_of(
        changed({{"layer_types",
                  R"(["linear_attention","full_attention","full_attention","full_attention","full_attention","mamba"])"}}));
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message, HasSubstr("'linear_attention'"));
}

TEST(HfConfig, IntegersOutOfRangeNameKeyValueAndBounds) {
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

TEST(HfConfig, MissingKeysAreNamed) {
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

TEST(HfConfig, ShapesThatDoNotDivide) {
    EXPECT_THAT(error_of(changed({{"num_attention_heads", "7"}, {"num_key_value_heads", "7"}})).message,
                HasSubstr("hidden_size 64 is not a multiple of num_attention_heads 7"));
    EXPECT_TRUE(changed({{"num_attention_heads", "7"}, {"num_key_value_heads", "7"}, {"head_dim", "8"}}));
    EXPECT_THAT(error_of(changed({{"num_key_value_heads", "3"}})).message, HasSubstr("8 query heads are not a multiple of 3"));
    EXPECT_THAT(error_of(changed({{"num_key_value_heads", "16"}})).message, HasSubstr("not a multiple of 16"));
    EXPECT_THAT(
        error_of(changed({{"model_type", "\"mixtral\""}, {"num_local_experts", "4"}, {"num_experts_per_tok", "5"}})).message,
        HasSubstr("num_experts_per_tok is 5, outside 1 to 4"));
}

TEST(HfConfig, LargestKeysAreRefusedBySumNotByOverflow) {
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

TEST(HfConfig, TextThatIsNoJsonObject) {
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
