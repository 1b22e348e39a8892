#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cost_model/model.h"
#include "profiles/hf_config.h"

namespace ndtune {
namespace {

struct Published {
    const char* preset;
    std::int64_t total;
    std::int64_t active;  // 0: dense, equal to total
};

std::string preset_text(const std::string& name) {
    std::ifstream stream(std::string(NDTUNE_SOURCE_DIR) + "/profiles/catalog/models/" + name + ".json");
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Parameter totals as published with the weights of the models, except
// - gemma-3-4b/12b/27b: those totals (4,300,079,472, 12,187,325,040, 27,432,406,640) less the SigLIP tower of 416,866,032 and
//   the projector of 1152 (h + 1) weights, h = 2560, 3840, 5376;
// - deepseek-v3: the main model, without the multi-token prediction module and the FP8 scales; by hand: 61 layers of
//   latent attention and norms 187,121,664 each, 3 x 396,361,728 dense MLP, 58 x (1,835,008 router + 256 correction biases +
//   257 experts of 44,040,192), two matrices of 129280 x 7168, one norm of 7168;
// - kimi-k2: likewise with 64 heads (61 layers of 101,138,432), 1 dense layer, 384 experts in 60 layers, 163840 tokens;
// - gpt-oss: the released experts are MXFP4, so the count is that of the 16-bit model.
// Active: by hand, total less (E - K) of E experts in each MoE layer.
constexpr Published kPublished[] = {
    {"llama-2-7b", 6'738'415'616, 0},
    {"llama-2-13b", 13'015'864'320, 0},
    {"llama-2-70b", 68'976'648'192, 0},
    {"llama-3-8b", 8'030'261'248, 0},
    {"llama-3-70b", 70'553'706'496, 0},
    {"llama-3.1-8b", 8'030'261'248, 0},
    {"llama-3.1-70b", 70'553'706'496, 0},
    {"llama-3.1-405b", 405'853'388'800, 0},
    {"llama-3.2-1b", 1'235'814'400, 0},
    {"llama-3.2-3b", 3'212'749'824, 0},
    {"llama-3.3-70b", 70'553'706'496, 0},
    {"mistral-7b-v0.1", 7'241'732'096, 0},
    {"mixtral-8x7b", 46'702'792'704, 46'702'792'704 - 32LL * 6 * 3 * 4096 * 14336},
    {"mixtral-8x22b", 140'630'071'296, 140'630'071'296 - 56LL * 6 * 3 * 6144 * 16384},
    {"qwen2.5-0.5b", 494'032'768, 0},
    {"qwen2.5-1.5b", 1'543'714'304, 0},
    {"qwen2.5-3b", 3'085'938'688, 0},
    {"qwen2.5-7b", 7'615'616'512, 0},
    {"qwen2.5-14b", 14'770'033'664, 0},
    {"qwen2.5-32b", 32'763'876'352, 0},
    {"qwen2.5-72b", 72'706'203'648, 0},
    {"qwen3-0.6b", 596'049'920, 0},
    {"qwen3-1.7b", 1'720'574'976, 0},
    {"qwen3-4b", 4'022'468'096, 0},
    {"qwen3-8b", 8'190'735'360, 0},
    {"qwen3-14b", 14'768'307'200, 0},
    {"qwen3-32b", 32'762'123'264, 0},
    {"qwen3-30b-a3b", 30'532'122'624, 30'532'122'624 - 48LL * 120 * 3 * 2048 * 768},
    {"qwen3-235b-a22b", 235'093'634'560, 235'093'634'560 - 94LL * 120 * 3 * 4096 * 1536},
    {"gemma-2b", 2'506'172'416, 0},
    {"gemma-7b", 8'537'680'896, 0},
    {"gemma-2-2b", 2'614'341'888, 0},
    {"gemma-2-9b", 9'241'705'984, 0},
    {"gemma-2-27b", 27'227'128'320, 0},
    {"gemma-3-1b", 999'885'952, 0},
    {"gemma-3-4b", 4'300'079'472 - 416'866'032 - 1152LL * (2560 + 1), 0},
    {"gemma-3-12b", 12'187'325'040 - 416'866'032 - 1152LL * (3840 + 1), 0},
    {"gemma-3-27b", 27'432'406'640 - 416'866'032 - 1152LL * (5376 + 1), 0},
    {"phi-3-mini", 3'821'079'552, 0},
    {"gpt2", 124'439'808, 0},
    {"gpt2-xl", 1'557'611'200, 0},
    {"deepseek-v3", 671'026'419'200, 671'026'419'200 - 58LL * 248 * 3 * 7168 * 2048},
    {"kimi-k2", 1'026'408'232'448, 1'026'408'232'448 - 60LL * 376 * 3 * 7168 * 2048},
    {"gpt-oss-20b", 20'914'757'184, 20'914'757'184 - 24LL * 28 * (3 * 2880 * 2880 + 3 * 2880)},
    {"gpt-oss-120b", 116'829'156'672, 116'829'156'672 - 36LL * 124 * (3 * 2880 * 2880 + 3 * 2880)},
    {"smollm2-135m", 134'515'008, 0},
    {"smollm2-1.7b", 1'711'376'384, 0},
    {"tinyllama-1.1b", 1'100'048'384, 0},
};

class ModelPresets : public testing::TestWithParam<Published> {};

TEST_P(ModelPresets, CountEqualsThePublishedOne) {
    const Published& published = GetParam();
    const auto config = profiles::parse_hf_config(preset_text(published.preset), published.preset);
    ASSERT_TRUE(config) << config.error().message << " " << config.error().where;
    const ParameterCount count = parameters(config->model);
    EXPECT_EQ(count.total, published.total);
    EXPECT_EQ(count.active, published.active == 0 ? published.total : published.active);
    EXPECT_TRUE(config->warnings.empty()) << config->warnings.front();
    EXPECT_LE(config->model.layers.size(), static_cast<std::size_t>(Model::kMaxLayerTypes));
}

TEST_P(ModelPresets, TotalIsTheSumOfItsParts) {
    const auto config = profiles::parse_hf_config(preset_text(GetParam().preset), GetParam().preset);
    ASSERT_TRUE(config);
    const Model& model = config->model;
    const ParameterCount count = parameters(model);
    std::int64_t sum = count.embedding + count.head + model.hidden * (model.norm_bias ? 2 : 1) + model.other_params;
    for (const LayerType& layer : model.layers) sum += layer.count * layer_params(model, layer).total();
    EXPECT_EQ(sum, count.total);
}

std::string test_name(const testing::TestParamInfo<Published>& info) {
    std::string name = info.param.preset;
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Catalog, ModelPresets, testing::ValuesIn(kPublished), test_name);

TEST(ModelPresetFiles, EachHasItsPublishedCount) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(NDTUNE_SOURCE_DIR) + "/profiles/catalog/models")) {
        files.push_back(entry.path().stem().string());
    }
    std::vector<std::string> tested;
    for (const Published& published : kPublished) tested.emplace_back(published.preset);
    std::sort(files.begin(), files.end());
    std::sort(tested.begin(), tested.end());
    EXPECT_EQ(files, tested);
}

TEST(ModelPresetFiles, ReadByNameWithTheNameOfThePreset) {
    const auto config = profiles::read_model("llama-3.1-8b");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->model.name, "llama-3.1-8b");
    EXPECT_EQ(parameters(config->model).total, 8'030'261'248);
}

TEST(ModelPresetFiles, UnknownNameIsNotFound) {
    const auto config = profiles::read_model("llama-9-1b");
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace ndtune
