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
    const CollectiveCurve curve{Seconds{2e-5}, BytesPerSecond{8e10}, 1e-9, Provenance::measured};
    const std::array<CollectiveCurve, 3> groups = {curve, curve, curve};
    d.collectives = {groups, groups, groups, groups, groups};
    return d;
}

// Every trait in figures: the defaults of Runtime may change.
Runtime runtime() {
    Runtime r;
    r.name = "toy";
    r.title = "Toy FSDP with tensor and context parallelism";
    r.source = "made up for tests";
    r.provenance = Provenance::calibrated;
    r.host_layer = 2.3e-3;
    r.host_backward = 1.9;
    r.host_tp = 1.03;
    r.host_moe = 1.26;
    r.host_micro_batch = 3e-3;
    r.host_step = 5e-3;
    r.attention_rate = 1.0;
    r.plain_score_bytes = 3.5;
    r.causal_work = true;
    r.elementwise_gated = 1.3;
    r.elementwise_plain = 1.3;
    r.loss_bytes = 56;
    r.wgrad_accumulate_bytes = 0;
    r.grad_accumulate_bytes = 0;
    r.grad_accumulate_always = false;
    r.dgrad = 1.04;
    r.wgrad = 1.14;
    r.grouped_gemm = 1.7;
    r.selective_forward = 0.35;
    r.selective_attention_only = false;
    r.gather_bytes = 2;
    r.reduce_bytes = 4;
    r.sequence_parallel = true;
    r.loss_parallel = true;
    r.tp_overlap = 0;
    r.dp_overlap = 0;
    r.parameter_gather = 1;
    r.parameter_gather_overlaps = false;
    r.contention = 0.42;
    r.optimizer_traffic = 1;
    r.main_weights = false;
    r.grad_buffer_bytes = 4;
    r.ddp_bucket_bytes = 0;
    r.loss_peak_bytes = 14;
    r.loss_peak_bytes_tp = 14;
    r.wgrad_temporary_bytes = 0;
    r.final_grad_bytes = 0;
    r.embedding_grad_copy = false;
    r.context_gib = 1.5;
    r.base_gib = 0.25;
    r.slack = 1.06;
    r.allow_ddp_with_tp = true;
    r.allow_tied_with_tp = true;
    r.allow_cp_with_window = true;
    r.allow_cp = true;
    r.allow_fsdp = true;
    r.allow_selective = true;
    r.allow_no_sync = true;
    r.sync_last_by_default = false;
    r.allow_zero1 = false;
    ActivationCoefficients& a = r.activations;
    a.hidden = 16;
    a.hidden_tp = 0;
    a.constant = 8;
    a.attention = 1;
    a.ffn = 8;
    a.moe_token = 2;
    a.checkpoint = 2;
    a.checkpoint_divided = true;
    a.selective_hidden = 4;
    a.selective_attention = 1;
    a.selective_ffn = 2;
    a.gathered_kept = 0;
    a.batch_copy = 0;
    a.plain_scores = 5;
    a.cp_output = 0;
    a.gathered_inputs = 4;
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
    for (const char* plan :
         {"r2.s4/mb2.ga4", "s8/mb1.ga8/ac=sel", "s4.t2/mb2.ga8", "s8/mb2.ga4/ac=full", "r2.s2.c2/mb1.ga16/ac=full:12"}) {
        r.result.plans.push_back(priced(r.job, plan));
    }
    const auto faster = [](const auto& a, const auto& b) { return a.estimate.step_time < b.estimate.step_time; };
    std::stable_sort(r.result.plans.begin(), r.result.plans.end(), faster);
    r.result.pareto = {r.result.plans.front(), priced(r.job, "s8/mb1.ga8/ac=full")};
    r.result.near_misses = {near_miss(r.job, "s8/mb4.ga2", "s8/mb4.ga2/ac=full", "ac=full"), near_miss(r.job, "r8/mb8", "", "")};
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
    r.baseline = reports::Baseline{std::nullopt, search::Violation{search::Rule::memory, "peak 38.2 GiB > 32.0 GiB usable",
                                                                   "recompute, more devices or a shorter sequence"}};
    return r;
}

reports::SizingReport sizing() {
    reports::SizingReport s;
    s.request.model = model();
    s.request.workload = {.seq_len = 4096, .global_batch = 64, .precision = Precision::bf16, .tokens = 2e10};
    s.request.runtime = runtime();
    s.request.deadline_s = 4.0 * 86400;
    s.request.budget = Dollars{700};
    const auto add = [&](int nodes, std::string_view plan, double dollars_per_hour) {
        Job j = job();
        j.cluster = make_cluster(device(), nodes, 4).value();
        j.cluster.price_per_device_hour = {Dollars{dollars_per_hour}, Provenance::assumed};
        s.request.clusters.push_back(j.cluster);
        search::SizingRow row;
        row.cluster = j.cluster;
        row.global_batch = j.workload.global_batch;
        if (plan.empty()) {
            row.reason = search::Violation{search::Rule::batch, "64 sequences, 128 data-parallel ranks", "a larger --batch"};
        } else {
            row.best = priced(j, plan);
            row.duration_s = s.request.workload.tokens / j.workload.tokens_per_step() * row.best->estimate.step_time.value;
            row.gpu_hours = row.duration_s / 3600 * static_cast<double>(j.cluster.devices());
            if (dollars_per_hour > 0) row.cost = Dollars{row.gpu_hours * dollars_per_hour};
            row.meets_deadline = row.duration_s <= *s.request.deadline_s;
            row.meets_budget = row.cost && *row.cost <= *s.request.budget;
        }
        s.result.rows.push_back(std::move(row));
    };
    add(1, "s4/mb2.ga8/ac=sel", 1.0);
    add(2, "s8/mb2.ga4", 1.0);
    add(4, "r2.s8/mb2.ga2", 1.0);
    add(8, "r4.s8/mb2", 0);
    add(32, "", 1.0);
    s.result.cheapest = 1;
    s.result.fastest = 2;
    s.result.smallest = 1;
    s.warnings = {"prices are examples"};
    return s;
}

}  // namespace ndtune::toy
