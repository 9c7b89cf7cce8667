// The searcher that suits the index.
#include "vector_search.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::tools {
namespace {

/// Refuses options that are for other kinds of index.
void check_options(const vector::VectorIndex& index, const CommandLine& command) {
  const vector::VectorIndexSettings& settings = index.settings();
  const std::string name = "'" + index.folder().string() + "'";
  if (settings.index == vector::IndexKind::kFlat && command.given("probes")) {
    throw UsageError(name +
                     " has no lists to probe: it was built with --index flat; leave --probes out");
  }
  if (!command.given("refine")) return;
  if (settings.index != vector::IndexKind::kIvfPq) {
    throw UsageError(name +
                     " has exact distances already: --refine is for --index ivf-pq; leave "
                     "it out");
  }
  if (!settings.pq.keeps_vectors) {
    throw UsageError(name +
                     " keeps no vectors to refine answers by: it was built with --no-vectors; "
                     "leave --refine out, or build it again");
  }
}

}  // namespace

void add_depth_options(po::options_description& group, SearchDepth& depth) {
  group.add_options()(
      "probes", po::value(&depth.probes)->value_name("N")->default_value(depth.probes),
      "ivf-flat, ivf-pq: lists that a query probes, the nearest ones; more find more and take "
      "longer. At most as many as there are")(
      "refine", po::value(&depth.refine)->value_name("N"),
      "ivf-pq: rank the N best, or -k if that is more, anew by their exact distances");
}

VectorSearch::VectorSearch(const vector::VectorIndex& index, const CommandLine& command,
                           SearchDepth depth, std::size_t threads, const DeviceOptions& device)
    : device_(device) {
  check_options(index, command);
  device_.start_gpu([&](const ResourceSettings& settings) {
    vector::check_before_upload(index);
    gpu_ = std::make_unique<Gpu>(index, settings, command.given("refine"));
  });
  if (index.settings().index == vector::IndexKind::kFlat) {
    flat_.emplace(index.flat(), threads);
    return;
  }
  const auto lists = static_cast<std::int64_t>(index.settings().ivf.lists);
  if (!command.given("probes")) depth.probes = std::min(depth.probes, lists);
  probes_ = checked_number("--probes", depth.probes, 1, lists);
  if (command.given("refine")) {
    refine_ = checked_number("--refine", depth.refine, 1, vector::kMaxRows);
  }
  if (index.settings().index == vector::IndexKind::kIvfFlat) {
    ivf_.emplace(index.ivf(), threads);
  } else {
    ivf_pq_.emplace(index.ivf_pq(), threads);
  }
}

VectorSearch::Gpu::Gpu(const vector::VectorIndex& index, const ResourceSettings& settings,
                       bool refines)
    : resources(settings) {
  switch (index.settings().index) {
    case vector::IndexKind::kFlat: flat.emplace(index.flat(), resources); break;
    case vector::IndexKind::kIvfFlat: ivf.emplace(index.ivf(), resources); break;
    case vector::IndexKind::kIvfPq:
      ivf_pq.emplace(index.ivf_pq(), resources,
                     vector::GpuIvfPqSettings{.memory = 0, .keeps_vectors = refines});
  }
}

bool VectorSearch::is_resident() const {
  if (gpu_->ivf_pq) return refine_ == 0 || gpu_->ivf_pq->has_vectors();
  return gpu_->ivf || gpu_->flat->is_resident();
}

vector::GpuFlatFigures VectorSearch::figures() const {
  if (gpu_->ivf_pq) return gpu_->ivf_pq->figures();
  return gpu_->ivf ? gpu_->ivf->figures() : gpu_->flat->figures();
}

std::string VectorSearch::gpu_name() const {
  return gpu_ ? device_info(gpu_->resources.device()).name : "";
}

/// What the GPU answers, or nothing if the CPU is to.
template <class Answers, class Search>
std::optional<Answers> VectorSearch::try_gpu(const Search& search) {
  if (!gpu_) return std::nullopt;
  try {
    return search(*gpu_);
  } catch (const Error& error) {
    device_.take_cpu(error);
    gpu_.reset();
    return std::nullopt;
  }
}

vector::Neighbors VectorSearch::nearest(std::span<const float> queries, std::size_t k,
                                        const vector::RowFilter* filter) {
  const auto on_gpu = [&](const Gpu& gpu) {
    if (gpu.ivf_pq) return gpu.ivf_pq->nearest(queries, k, probes_, refine_, filter);
    return gpu.ivf ? gpu.ivf->nearest(queries, k, probes_, filter)
                   : gpu.flat->nearest(queries, k, filter);
  };
  if (auto found = try_gpu<vector::Neighbors>(on_gpu)) return std::move(*found);
  if (flat_) return flat_->nearest(queries, k, filter);
  if (ivf_) return ivf_->nearest(queries, k, probes_, filter);
  return ivf_pq_->nearest(queries, k, probes_, refine_, filter);
}

vector::RangeNeighbors VectorSearch::within(std::span<const float> queries, float radius,
                                            const vector::RowFilter* filter) {
  const auto on_gpu = [&](const Gpu& gpu) {
    if (gpu.ivf_pq) return gpu.ivf_pq->within(queries, radius, probes_, filter);
    return gpu.ivf ? gpu.ivf->within(queries, radius, probes_, filter)
                   : gpu.flat->within(queries, radius, filter);
  };
  if (auto found = try_gpu<vector::RangeNeighbors>(on_gpu)) return std::move(*found);
  if (flat_) return flat_->within(queries, radius, filter);
  if (ivf_) return ivf_->within(queries, radius, probes_, filter);
  return ivf_pq_->within(queries, radius, probes_, filter);
}

}  // namespace warpdex::tools
