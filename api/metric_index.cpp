// Builds and searches a permutation index.
#include "warpdex/metric_index.hpp"

#include <algorithm>
#include <mutex>
#include <typeinfo>
#include <utility>

#include "usable_gpu.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kDefaultPermutants = 128;

/// Where the CPU takes over from a GPU that threw `error`; else throws it again. Within the
/// handler.
void let_cpu_build(const NewMetricIndex& settings, const Error& error) {
  if (settings.device != Device::kAuto || !is_of_gpu(error)) throw;
  if (settings.on_cpu) settings.on_cpu(error);
}

/// The GPU that is to rank, or none.
std::optional<Gpu> ranking_gpu(const NewMetricIndex& settings) {
  if (settings.device == Device::kCpu) return std::nullopt;
  try {
    return usable_gpu(settings.gpu);
  } catch (const Error& error) {
    let_cpu_build(settings, error);
    return std::nullopt;
  }
}

MetricBuildReport write_index(const std::filesystem::path& folder, const NewMetricIndex& settings,
                              const metric::Objects& objects,
                              const metric::MetricProgress& progress) {
  MetricBuildReport report;
  report.objects = objects.view().objects;
  report.permutants =
      settings.permutants != 0 ? settings.permutants : std::min(kDefaultPermutants, report.objects);
  const metric::PermutationSettings chosen{.permutants = report.permutants,
                                           .choice = settings.choice,
                                           .seed = settings.seed,
                                           .threads = settings.threads};
  if (const std::optional<Gpu> gpu = ranking_gpu(settings)) {
    try {
      report.notes =
          metric::write_metric_index(folder, objects, chosen, progress, &gpu->resources());
      report.is_on_gpu = true;
      return report;
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      let_cpu_build(settings, error);
    }
  }
  report.notes = metric::write_metric_index(folder, objects, chosen, progress);
  return report;
}

}  // namespace

struct MetricQueries::State {
  metric::Queries queries;
};

MetricQueries::MetricQueries(std::shared_ptr<const State> state) : state_(std::move(state)) {}
MetricQueries::MetricQueries(std::vector<std::string> texts)
    : state_(std::make_shared<const State>(State{metric::Queries(std::move(texts))})) {}
MetricQueries::MetricQueries(std::vector<float> vectors, std::size_t dimension)
    : state_(std::make_shared<const State>(State{metric::Queries(std::move(vectors), dimension)})) {
}

MetricQueries MetricQueries::read(const std::string& path, const metric::ObjectSettings& objects) {
  return MetricQueries(std::make_shared<const State>(State{metric::Queries(path, objects)}));
}

std::size_t MetricQueries::size() const { return state_->queries.size(); }
std::string_view MetricQueries::text(std::size_t query) const {
  return state_->queries.text(query);
}

struct MetricIndex::State {
  /// What is searched for: the k nearest, or with k of 0 all within the radius.
  struct Wanted {
    std::size_t k;
    float radius;
  };

  /// The index in a GPU's memory.
  struct Uploaded {
    Uploaded(const metric::MetricIndex& index, const Gpu& used)
        : gpu(used),
          searcher(index.objects(), index.permutants(), index.permutations(), gpu.resources()) {}
    Gpu gpu;
    metric::GpuPermutationSearcher searcher;
  };

  explicit State(const std::filesystem::path& folder)
      : index(metric::MetricIndex::open(folder)), cpu(index.searcher()) {}

  std::shared_ptr<const Uploaded> on_gpu() const {
    const std::lock_guard lock(mutex);
    return uploaded;
  }
  void set(std::shared_ptr<const Uploaded> next, const MetricIndexOptions& used) {
    const std::lock_guard lock(mutex);
    uploaded.swap(next);
    options = used;
  }
  /// The queries that are asked for.
  static std::pair<std::size_t, std::size_t> range(const metric::Queries& queries,
                                                   const MetricSearchOptions& how) {
    const std::size_t first = std::min(how.first, queries.size());
    return {first, std::min(how.count, queries.size() - first)};
  }
  metric::Matches search(const metric::Queries& queries, const Wanted& wanted,
                         const MetricSearchOptions& how);
  metric::Matches search_by_cpu(const metric::Queries& queries, const Wanted& wanted,
                                const MetricSearchOptions& how) const;
  metric::Matches search_by_gpu(const Uploaded& gpu, const metric::Queries& queries,
                                const Wanted& wanted, const MetricSearchOptions& how) const;
  /// Within the handler of the error.
  void let_cpu_search(const Error& error);

  metric::MetricIndex index;
  metric::PermutationSearcher cpu;
  mutable std::mutex mutex;
  std::shared_ptr<const Uploaded> uploaded;  ///< or null: the CPU searches
  MetricIndexOptions options;
};

namespace {

void begin_query(const MetricSearchOptions& how) {
  if (how.stop.stop_requested()) throw CancelledError("the search was stopped by its caller");
  if (how.on_query) how.on_query();
}

}  // namespace

metric::Matches MetricIndex::State::search_by_cpu(const metric::Queries& queries,
                                                  const Wanted& wanted,
                                                  const MetricSearchOptions& how) const {
  const auto [first, count] = range(queries, how);
  const auto prepare = [&, first = first](std::size_t q) {
    begin_query(how);
    return queries.from(index.space(), first + q);
  };
  return wanted.k > 0 ? cpu.nearest(count, prepare, wanted.k, how.settings)
                      : cpu.within(count, prepare, wanted.radius, how.settings);
}

metric::Matches MetricIndex::State::search_by_gpu(const Uploaded& gpu,
                                                  const metric::Queries& queries,
                                                  const Wanted& wanted,
                                                  const MetricSearchOptions& how) const {
  const auto [first, count] = range(queries, how);
  begin_query(how);
  const metric::QueryObjects some = queries.objects(index.space(), first, count);
  return wanted.k > 0 ? gpu.searcher.nearest(some, wanted.k, how.settings)
                      : gpu.searcher.within(some, wanted.radius, how.settings);
}

void MetricIndex::State::let_cpu_search(const Error& error) {
  const bool is_gpus =
      typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr;
  MetricIndexOptions used;
  {
    const std::lock_guard lock(mutex);
    used = options;
  }
  if (used.device == Device::kGpu || !is_gpus) throw;
  if (used.on_cpu) used.on_cpu(error);
  set(nullptr, {});
}

metric::Matches MetricIndex::State::search(const metric::Queries& queries, const Wanted& wanted,
                                           const MetricSearchOptions& how) {
  if (const std::shared_ptr<const Uploaded> gpu = on_gpu()) {
    try {
      return search_by_gpu(*gpu, queries, wanted, how);
    } catch (const Error& error) {
      let_cpu_search(error);
    }
  }
  return search_by_cpu(queries, wanted, how);
}

MetricBuildReport MetricIndex::build(const std::filesystem::path& folder,
                                     const NewMetricIndex& settings, const std::string& file,
                                     const metric::MetricProgress& progress) {
  return write_index(folder, settings, metric::read_objects(file, settings.objects), progress);
}

MetricBuildReport MetricIndex::build(const std::filesystem::path& folder,
                                     const NewMetricIndex& settings,
                                     std::span<const std::string> texts,
                                     const metric::MetricProgress& progress) {
  if (metric::is_of_vectors(settings.objects.distance)) {
    throw UsageError("the distance is one of vectors; give vectors, or choose another");
  }
  return write_index(folder, settings, {settings.objects, texts, "the texts"}, progress);
}

MetricBuildReport MetricIndex::build(const std::filesystem::path& folder,
                                     const NewMetricIndex& settings, std::vector<float> vectors,
                                     const metric::MetricProgress& progress) {
  const std::size_t dimension = settings.objects.dimension;
  if (!metric::is_of_vectors(settings.objects.distance)) {
    throw UsageError("the distance is one of texts; give texts, or choose another");
  }
  if (dimension == 0 || vectors.size() % dimension != 0) {
    throw UsageError("the vectors are no rows of " + std::to_string(dimension) +
                     " components; give as many as rows times components");
  }
  return write_index(folder, settings, {settings.objects, std::move(vectors), "the vectors"},
                     progress);
}

MetricIndex::MetricIndex(const std::filesystem::path& folder, const MetricIndexOptions& options)
    : state_(std::make_unique<State>(folder)) {
  set_options(options);
}
MetricIndex::~MetricIndex() = default;
MetricIndex::MetricIndex(MetricIndex&&) noexcept = default;
MetricIndex& MetricIndex::operator=(MetricIndex&&) noexcept = default;

metric::Matches MetricIndex::search(const MetricQueries& queries, std::size_t k,
                                    const MetricSearchOptions& options) const {
  if (k == 0) throw UsageError("a k of 0 finds nothing; k is 1 or more");
  return state_->search(queries.state_->queries, {k, 0}, options);
}

metric::Matches MetricIndex::search_radius(const MetricQueries& queries, float radius,
                                           const MetricSearchOptions& options) const {
  return state_->search(queries.state_->queries, {0, radius}, options);
}

void MetricIndex::set_options(const MetricIndexOptions& options) {
  state_->set(nullptr, {});  // two do not fit
  if (options.device == Device::kCpu) return;
  try {
    const Gpu gpu = usable_gpu(options.gpu);
    metric::check_before_upload(state_->index);
    state_->set(std::make_shared<const State::Uploaded>(state_->index, gpu), options);
  } catch (const Error& error) {
    if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
    if (options.on_cpu) options.on_cpu(error);
  }
}

Device MetricIndex::device() const { return state_->on_gpu() ? Device::kGpu : Device::kCpu; }

std::optional<Gpu> MetricIndex::gpu() const {
  const std::shared_ptr<const State::Uploaded> uploaded = state_->on_gpu();
  return uploaded ? std::optional<Gpu>(uploaded->gpu) : std::nullopt;
}

std::size_t MetricIndex::objects() const { return state_->index.objects().objects; }
std::size_t MetricIndex::permutants() const { return state_->index.permutants().size(); }
const metric::ObjectSettings& MetricIndex::settings() const {
  return state_->index.objects().settings;
}

std::string_view MetricIndex::text(std::size_t object) const {
  if (object >= objects()) {
    throw UsageError("there is no object " + std::to_string(object) + "; the index has " +
                     std::to_string(objects()));
  }
  const metric::TextsView& texts = state_->index.objects().texts;
  return texts.size() == 0 ? std::string_view() : texts.text(object);
}

}  // namespace warpdex
