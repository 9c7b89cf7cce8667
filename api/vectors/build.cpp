// Builds an index of vectors, from memory or from a file.
#include <utility>

#include "usable_gpu.hpp"
#include "vectors/read_rows.hpp"
#include "vectors/stored_vectors.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex {
namespace {

/// The GPU that is to work, or none.
std::optional<Gpu> building_gpu(const VectorBuildOptions& options) {
  if (options.device == Device::kCpu) return std::nullopt;
  try {
    return usable_gpu(options.gpu);
  } catch (const CudaError& error) {
    if (options.device == Device::kGpu) throw;
    if (options.on_cpu) options.on_cpu(error);
    return std::nullopt;
  }
}

VectorBuildReport commit_rows(const vector::VectorIds& ids, const VectorBuildOptions& options,
                              const std::optional<Gpu>& gpu, vector::VectorIndexWriter& writer) {
  VectorBuildReport report;
  vector::BuildDevice device;
  if (gpu) device.gpu = &gpu->resources();
  device.on_cpu = [&](const Error& error) {
    if (options.device == Device::kGpu) throw;
    if (options.on_cpu) options.on_cpu(error);
  };
  device.on_step = [&](const vector::BuildStep& step) {
    report.steps.push_back({step.name, step.seconds, step.is_on_gpu});
  };
  report.vectors = writer.rows();
  report.notes = writer.commit(ids, progress_of(options.work), device);
  return report;
}

}  // namespace

VectorBuildReport VectorIndex::build(const std::filesystem::path& folder,
                                     const NewVectorIndex& settings, std::span<const float> rows,
                                     const vector::VectorIds& ids,
                                     const VectorBuildOptions& options) {
  const std::optional<Gpu> gpu = building_gpu(options);
  vector::VectorIndexWriter writer(folder, stored_settings(settings, options.threads));
  writer.add(rows);
  return commit_rows(ids, options, gpu, writer);
}

VectorBuildReport VectorIndex::build(const std::filesystem::path& folder,
                                     const NewVectorIndex& settings, vector::VectorReader& rows,
                                     const vector::VectorIds& ids,
                                     const VectorBuildOptions& options) {
  const std::optional<Gpu> gpu = building_gpu(options);
  vector::VectorIndexSettings stored = stored_settings(settings, options.threads);
  if (stored.dimension == 0) stored.dimension = rows.dimension();
  vector::VectorIndexWriter writer(folder, stored);
  read_rows(rows, stored.dimension, progress_of(options.work),
            [&](std::span<const float> some) { writer.add(some); });
  return commit_rows(ids, options, gpu, writer);
}

}  // namespace warpdex
