// Opens, searches and changes a stored index of vectors.
#include "warpdex/vector_index.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "usable_gpu.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/storage/same_sections.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/graph/knn_graph.hpp"
#include "warpdex/vector/search/index_searcher.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

vector::IndexKind kind_of(const NewVectorIndex& settings) {
  const bool has_lists = settings.lists != 0;
  switch (settings.coding) {
    case VectorCoding::kPq:
      if (has_lists) return vector::IndexKind::kIvfPq;
      throw UsageError("codes of a product quantizer need lists; set lists, to kAutoLists say");
    case VectorCoding::kBinary:
      return has_lists ? vector::IndexKind::kIvfXfbq : vector::IndexKind::kXfbq;
    case VectorCoding::kRows: break;
  }
  return has_lists ? vector::IndexKind::kIvfFlat : vector::IndexKind::kFlat;
}

vector::VectorIndexSettings settings_of(const NewVectorIndex& given, std::size_t threads) {
  vector::VectorIndexSettings settings;
  settings.metric = given.metric;
  settings.store = given.store;
  settings.dimension = given.dimension;
  settings.index = kind_of(given);
  settings.ivf.lists = given.lists == kAutoLists ? 0 : given.lists;
  settings.ivf.seed = given.seed;
  settings.ivf.threads = threads;
  settings.pq.bytes = given.pq_bytes;
  settings.pq.is_rotated = given.coding == VectorCoding::kPq && given.is_rotated;
  settings.pq.keeps_vectors = given.keeps_vectors;
  settings.xfbq.bits = given.binary_bits;
  settings.xfbq.is_rotated = given.coding == VectorCoding::kBinary && given.is_rotated;
  settings.xfbq.is_corrected = given.is_corrected;
  settings.xfbq.seed = given.seed;
  settings.xfbq.threads = threads;
  return settings;
}

/// One commit, open for searching.
struct OpenVectors {
  OpenVectors(vector::VectorIndex&& opened, const VectorIndexOptions& options,
              const std::optional<Gpu>& wanted)
      : index(std::move(opened)),
        threads(options.threads),
        gpu(wanted),
        depth{.probes = options.depth.probes,
              .refine = options.depth.refine,
              .query_bits = options.depth.query_bits} {
    if (gpu) vector::check_before_upload(index);
    searcher = make_searcher(depth, index.settings().metric);
  }

  std::unique_ptr<vector::VectorSearcher> make_searcher(const vector::ProbeSettings& settings,
                                                        vector::Metric metric) const {
    if (!gpu) return vector::search_index_on_cpu(index, settings, threads, metric);
    Resources* const resources = &gpu->resources();
    return vector::search_index_on_gpus(index, settings, std::span(&resources, 1), 1, metric);
  }

  vector::VectorIndex index;
  std::size_t threads;
  std::optional<Gpu> gpu;
  vector::ProbeSettings depth;
  std::unique_ptr<vector::VectorSearcher> searcher;
};

}  // namespace

struct VectorIndex::State {
  State(const fs::path& searched, const VectorIndexOptions& wanted);

  std::shared_ptr<const OpenVectors> current() const {
    const std::lock_guard lock(mutex);
    return open;
  }
  /// Searches the last commit from now on.
  void take();
  /// The same after a change, which stands: what goes wrong becomes a note.
  void take_after(CommitReport& report);

  const fs::path folder;
  VectorIndexOptions options;
  std::optional<Gpu> gpu;  ///< none: the CPU searches
  std::mutex changing;     ///< one change at a time
  mutable std::mutex mutex;
  std::shared_ptr<const OpenVectors> open;
};

VectorIndex::State::State(const fs::path& searched, const VectorIndexOptions& wanted)
    : folder(fs::absolute(searched)), options(wanted) {
  if (options.device != Device::kCpu) {
    try {
      gpu = usable_gpu(options.gpu);
      take();
      return;
    } catch (const Error& error) {
      if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
      gpu.reset();
    }
  }
  take();
}

void VectorIndex::State::take() {
  auto opened =
      std::make_shared<const OpenVectors>(vector::VectorIndex::open(folder), options, gpu);
  const std::lock_guard lock(mutex);
  open.swap(opened);
}

void VectorIndex::State::take_after(CommitReport& report) {
  try {
    take();
  } catch (const std::exception& error) {
    report.notes.push_back(std::string("the change is made, but the commit before it is searched "
                                       "until refresh() can take it: ") +
                           error.what());
  }
}

std::vector<std::string> VectorIndex::build(const fs::path& folder, const NewVectorIndex& settings,
                                            std::span<const float> rows,
                                            const vector::VectorIds& ids,
                                            const VectorIndexOptions& options) {
  vector::VectorIndexWriter writer(folder, settings_of(settings, options.threads));
  writer.add(rows);
  if (options.device == Device::kCpu) return writer.commit(ids);
  std::optional<Gpu> gpu;
  try {
    gpu = usable_gpu(options.gpu);
  } catch (const CudaError&) {
    if (options.device == Device::kGpu) throw;
  }
  vector::BuildDevice device;
  if (gpu) device.gpu = &gpu->resources();
  return writer.commit(ids, {}, device);
}

VectorIndex::VectorIndex(const fs::path& folder, const VectorIndexOptions& options)
    : state_(std::make_unique<State>(folder, options)) {}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

vector::Neighbors VectorIndex::search(std::span<const float> queries, std::size_t k,
                                      const vector::RowFilter* filter) const {
  return state_->current()->searcher->nearest(queries, k, filter);
}

vector::RangeNeighbors VectorIndex::search_radius(std::span<const float> queries, float radius,
                                                  const vector::RowFilter* filter) const {
  return state_->current()->searcher->within(queries, radius, filter);
}

vector::Neighbors VectorIndex::knn_graph(std::size_t k) const {
  const std::shared_ptr<const OpenVectors> open = state_->current();
  const vector::RowSearchMethod method = vector::row_search_method(open->index, open->depth);
  const auto searcher = open->make_searcher(method.depth, method.metric);
  vector::Neighbors graph{open->index.rows(), k, {}, {}};
  vector::build_knn_graph(
      vector::StoredRows(open->index), {.k = k},
      [&](std::span<const float> rows, std::size_t places) {
        return searcher->nearest(rows, places);
      },
      [&](std::size_t, const vector::Neighbors& lists) {
        graph.rows.insert(graph.rows.end(), lists.rows.begin(), lists.rows.end());
        graph.distances.insert(graph.distances.end(), lists.distances.begin(),
                               lists.distances.end());
      });
  return graph;
}

CommitReport VectorIndex::add(std::span<const float> rows, vector::VectorIds ids, bool replace) {
  const std::lock_guard one_at_a_time(state_->changing);
  CommitReport report;
  {
    vector::VectorIndexChange change(state_->folder);
    if (ids.are_given()) {
      change.set_ids(std::move(ids),
                     replace ? vector::KnownIds::kReplace : vector::KnownIds::kRefuse);
    }
    change.add(rows);
    report = change.commit();
  }
  state_->take_after(report);
  return report;
}

CommitReport VectorIndex::remove(const vector::VectorIds& ids) {
  const std::lock_guard one_at_a_time(state_->changing);
  CommitReport report;
  {
    vector::VectorIndexChange change(state_->folder);
    change.remove(ids);
    report = change.commit();
  }
  state_->take_after(report);
  return report;
}

CommitReport VectorIndex::merge() {
  const std::lock_guard one_at_a_time(state_->changing);
  CommitReport report = vector::merge_vector_index(state_->folder).committed;
  state_->take_after(report);
  return report;
}

bool VectorIndex::refresh() {
  const std::lock_guard one_at_a_time(state_->changing);
  const vector::VectorIndex now = vector::VectorIndex::open(state_->folder);
  const vector::VectorIndex& then = state_->current()->index;
  if (now.commit() == then.commit() &&
      are_same_sections(now.section_infos(), then.section_infos())) {
    return false;
  }
  state_->take();
  return true;
}

void VectorIndex::set_depth(const VectorDepth& depth) {
  const std::lock_guard one_at_a_time(state_->changing);
  const VectorDepth before = std::exchange(state_->options.depth, depth);
  try {
    state_->take();
  } catch (...) {
    state_->options.depth = before;
    throw;
  }
}

std::size_t VectorIndex::dimension() const { return state_->current()->index.settings().dimension; }
vector::Metric VectorIndex::metric() const { return state_->current()->index.settings().metric; }
std::size_t VectorIndex::rows() const { return state_->current()->index.rows(); }
std::size_t VectorIndex::live_rows() const { return state_->current()->index.live_rows(); }
std::size_t VectorIndex::lists() const {
  const auto open = state_->current();
  const vector::VectorIndexSettings& settings = open->index.settings();
  return vector::has_lists(settings.index) ? settings.ivf.lists : 0;
}
std::uint64_t VectorIndex::commit() const { return state_->current()->index.commit(); }
std::string VectorIndex::id(std::size_t row) const { return state_->current()->index.id(row); }
Device VectorIndex::device() const { return state_->gpu ? Device::kGpu : Device::kCpu; }

}  // namespace warpdex
