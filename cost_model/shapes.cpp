#include "cost_model/shapes.h"

namespace ndtune {
namespace {

/// One rank takes the vocabulary as it is; a divided one is padded so that each part keeps 16-bit GEMMs aligned.
double padded_vocab(std::int64_t vocab, int tp) {
    if (tp <= 1) return static_cast<double>(vocab);
    const std::int64_t unit = std::int64_t{tp} * kGemmAlignment;
    const std::int64_t units = (vocab + unit - 1) / unit;
    return static_cast<double>(units * unit);
}

}  // namespace

double Shapes::layer_weights(const LayerType& layer) const {
    const LayerParams p = layer_params(*model, layer);
    return static_cast<double>(p.attention + p.mlp + p.experts) / tp + static_cast<double>(p.replicated);
}

double Shapes::root_weights() const {
    const double tables = model->tied_embeddings ? 1.0 : 2.0;
    return tables * vocab * hidden / tp + static_cast<double>(model->positions) * hidden + hidden;
}

double Shapes::rank_weights() const {
    double sum = root_weights();
    for (const LayerType& layer : model->layers) sum += layer.count * layer_weights(layer);
    return sum;
}

double Shapes::mean_keys(std::int64_t window) const {
    const double w = static_cast<double>(window);
    if (window <= 0 || w >= seq) return seq / 2;
    return w * (1 - w / (2 * seq));
}

Shapes shapes(const Job& job, const Plan& plan) {
    Shapes s;
    const Mesh& mesh = plan.mesh;
    s.model = &job.model;
    s.batch = plan.micro_batch;
    s.seq = static_cast<double>(job.workload.seq_len);
    s.hidden = static_cast<double>(job.model.hidden);
    s.tp = mesh.tp;
    s.vocab = padded_vocab(job.model.vocab, mesh.tp);
    s.cp = mesh.cp;
    s.tokens = s.batch * s.seq / s.cp;
    s.sigma = job.runtime.sequence_parallel ? s.tp : 1;
    s.loss_tp = job.runtime.loss_parallel ? s.tp : 1;
    s.replicas = mesh.dp_replicate;
    s.fsdp = job.runtime.allow_fsdp && mesh.shard_group() > 1 && !plan.shard_optimizer;
    s.shard_group = s.fsdp ? static_cast<double>(mesh.shard_group()) : 1.0;
    s.data_group = static_cast<double>(mesh.data_parallel()) * mesh.cp;
    s.grad_accum = plan.grad_accum;
    const bool fp32 = job.workload.precision == Precision::fp32;
    s.width = fp32 ? 4 : 2;
    s.gather_bytes = fp32 ? 4 : job.runtime.gather_bytes;
    s.reduce_bytes = fp32 ? 4 : job.runtime.reduce_bytes;
    return s;
}

}  // namespace ndtune
