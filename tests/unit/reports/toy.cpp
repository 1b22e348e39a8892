#include "toy.h"

#include <algorithm>
#include <stdexcept>

namespace ndtune::toy {

namespace {

GemmCurve gemm(double tera_flops) {
    GemmCurve curve;
    curve.nominal = FlopsPerSecond{tera_flops * 1e12};
    curve.peak = FlopsPerSecond{0.8 * tera_flops * 1e12};
    curve.bandwidth = BytesPerSecond{8e11};
    curve.launch = Seconds{3e-6};
    curve.sustained = 1.1;
    curve.provenance = Provenance::measured;
    return curve;
}

search::NearMiss near_miss(const Job& job, std::string_view plan, std::string_view remedy, std::string change) {
    search::NearMiss miss;
    miss.plan = priced(job, plan);
    miss.over = Bytes{std::max<std::int64_t>(1, miss.plan.estimate.memory.peak.value - job.cluster.device.memory.value.value)};
    if (!remedy.empty()) miss.remedy = priced(job, remedy);
    miss.change = std::move(change);
    return miss;
}

}  // namespace

Device device() {
    using namespace literals;
    Device d;
    d.name = "toy-32g";
    d.title = "Toy 32GB";
    d.source = "made up for tests";
    d.memory = {32_GiB, Provenance::datasheet};
    d.hbm = {BytesPerSecond{1e12}, Provenance::datasheet};
    d.link = {BytesPerSecond{1e11}, Provenance::datasheet};
    d.nic = {BytesPerSecond{1.25e10}, Provenance::assumed};
    d.devices_per_node = 4;
    d.scale_up = 4;
    d.gemm[static_cast<std::size_t>(Precision::fp32)] = gemm(25);
    d.gemm[static_cast<std::size_t>(Precision::bf16)] = gemm(100);
    d.gemm[static_cast<std::size_t>(Precision::fp16)] = gemm(100);
    AttentionCurve flash;
    flash.peak.fill(FlopsPerSecond{5e13});
    flash.seq_pad.fill(256);
    flash.provenance = Provenance::calibrated;
    d.attention[static_cast<std::size_t>(AttentionKernel::flash2)] = flash;
    for (auto& curves : d.collectives) {
        for (CollectiveCurve& curve : curves) curve = {Seconds{2e-5}, BytesPerSecond{8e10}, 1e-9, Provenance::measured};
    }
    return d;
}

Runtime runtime() {
    Runtime r;
    r.name = "toy";
    r.title = "Toy FSDP with tensor and context parallelism";
    r.source = "made up for tests";
    r.main_weights = false;
    return r;
}

Model model() {
    Model m;
    m.name = "toy-1b";
    m.model_type = "llama";
    m.hidden = 1536;
    m.vocab = 32000;
    m.max_seq = 8192;
    m.attention = {.heads = 16, .kv_heads = 4, .head_dim = 96, .value_dim = 96};
    m.layers = {{.count = 24, .ffn = 6144}};
    return m;
}

Job job() {
    Job j;
    j.model = model();
    j.cluster = make_cluster(device(), 2, 4).value();
    j.workload = {.seq_len = 4096, .global_batch = 64};
    j.runtime = runtime();
    return j;
}

search::RankedPlan priced(const Job& job, std::string_view plan_text) {
    const Result<Plan> plan = parse_plan(plan_text);
    if (!plan) throw std::invalid_argument(plan.error().message);
    return {*plan, estimate(job, *plan)};
}

reports::Report report() {
    reports::Report r;
    r.job = job();
    r.options.limits = {{Axis::cp, 1, 4}};
    r.options.within_node = {Axis::tp};
    r.options.disabled_rules = {search::Rule::tied_with_tp};
    r.options.memory_margin = 0.05;
    for (const char* plan : {"r2.s4/mb2.ga4", "s8/mb1.ga8/ac=sel", "s4.t2/mb2.ga8", "s8/mb2.ga4/ac=full", "r2.s2.c2/mb1.ga16/ac=full:12"}) {
        r.result.plans.push_back(priced(r.job, plan));
    }
    const auto faster = [](const auto& a, const auto& b) { return a.estimate.step_time < b.estimate.step_time; };
    std::stable_sort(r.result.plans.begin(), r.result.plans.end(), faster);
    r.result.pareto = {r.result.plans.front(), priced(r.job, "s8/mb1.ga8/ac=full")};
    r.result.near_misses = {near_miss(r.job, "s8/mb4.ga2", "s8/mb4.ga2/ac=full", "ac=full"),
                            near_miss(r.job, "r8/mb8", "", "")};
    r.result.space = {.size = 1148, .visited = 1148, .feasible = 61, .rejected = 1087, .estimated = 400};
    const auto reject = [&](search::Rule rule, std::uint64_t count) {
        r.result.space.rejected_by[static_cast<std::size_t>(rule)] = count;
    };
    reject(search::Rule::memory, 1041);
    reject(search::Rule::batch, 20);
    reject(search::Rule::tp_kv_heads, 16);
    reject(search::Rule::user_limit, 10);
    r.baseline = reports::Baseline{priced(r.job, "s8/mb1.ga8/ac=sel"), std::nullopt};
    r.warnings = {"the network is assumed: measure it to tighten the answer"};
    return r;
}

reports::Report empty_report() {
    reports::Report r = report();
    r.result.plans.clear();
    r.result.pareto.clear();
    r.result.space.rejected += r.result.space.feasible;
    r.result.space.feasible = 0;
    r.baseline = reports::Baseline{
        std::nullopt,
        search::Violation{search::Rule::memory, "peak 38.2 GiB > 32.0 GiB usable", "recompute, more devices or a shorter sequence"}};
    return r;
}

}  // namespace ndtune::toy
