#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cost_model/model.h"
#include "profiles/hf_config.h"
#include "tests/unit/profiles/hf_config_keys.h"

namespace ndtune::profiles {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace ndtune::profiles
