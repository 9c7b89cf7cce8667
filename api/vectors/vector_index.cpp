// Opens an index of vectors and searches it.
#include "warpdex/vector_index.hpp"

#include <algorithm>
#include <utility>

#include "usable_gpu.hpp"
#include "vectors/vector_index_state.hpp"
#include "warpdex/core/cuda/caller_memory.hpp"
#include "warpdex/core/storage/same_sections.hpp"

namespace warpdex {
namespace {

/// Queries that a search which can be stopped answers at a time. A GPU reads all rows for each such
/// part, and is done with a large one in the time of a small one on the CPU.
constexpr std::size_t kStoppableQueries = 256;
constexpr std::size_t kStoppableQueriesOnGpu = 8192;

/// Answers to parts of the queries, put together. `find` answers some.
template <class Answers, class Find, class Append>
Answers search_in_parts(const OpenVectors& open, std::span<const float> queries,
                        const std::stop_token& stop, const Find& find, const Append& append) {
  const std::size_t part = (open.is_on_gpu() ? kStoppableQueriesOnGpu : kStoppableQueries) *
                           open.index().settings().dimension;
  if (!stop.stop_possible() || queries.size() <= part) {
    check_stop(stop);
    return find(queries);
  }
  Answers all;
  for (std::size_t first = 0; first < queries.size(); first += part) {
    check_stop(stop);
    append(find(queries.subspan(first, std::min(part, queries.size() - first))), all);
  }
  return all;
}

template <class T>
void extend(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

void append_nearest(const vector::Neighbors& some, vector::Neighbors& all) {
  all.queries += some.queries;
  all.k = some.k;
  extend(all.rows, some.rows);
  extend(all.distances, some.distances);
}

void append_within(const vector::RangeNeighbors& some, vector::RangeNeighbors& all) {
  if (all.offsets.empty()) all.offsets.push_back(0);
  const std::uint64_t before = all.rows.size();
  for (std::size_t q = 1; q < some.offsets.size(); ++q) {
    all.offsets.push_back(before + some.offsets[q]);
  }
  extend(all.rows, some.rows);
  extend(all.distances, some.distances);
}

vector::Neighbors nearest_in(const OpenVectors& open, std::span<const float> queries, std::size_t k,
                             const VectorSearchOptions& options) {
  return search_in_parts<vector::Neighbors>(
      open, queries, options.stop,
      [&](std::span<const float> some) {
        return open.searcher().nearest(some, k, open.depth(options.filter));
      },
      append_nearest);
}

void find_on_gpu(const OpenVectors& open, const float* queries, std::size_t count, std::size_t k,
                 std::int32_t* rows, float* distances) {
  if (open.is_on_gpu() &&
      open.searcher().nearest_on_gpu(queries, count, k, rows, distances, open.depth())) {
    return;
  }
  throw UsageError(
      "queries in GPU memory are for an index on one GPU, of one segment whose rows are numbered "
      "without gaps, of rows or codes of a product quantizer, with the vectors in its memory if "
      "answers are refined; merge it, or, where it has no ids and rows were removed, give queries "
      "in "
      "the host's memory");
}

std::vector<std::string> ids_in(const vector::VectorIndex& index,
                                std::span<const std::int32_t> rows) {
  std::vector<std::string> ids(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) ids[i] = index.id(static_cast<std::size_t>(rows[i]));
  }
  return ids;
}

}  // namespace

VectorIndex::State::State(const std::filesystem::path& searched, const VectorIndexOptions& wanted)
    : folder(searched), absolute(std::filesystem::absolute(searched)) {
  take(std::make_shared<const StoredVectors>(folder), wanted);
}

void VectorIndex::State::take(std::shared_ptr<const StoredVectors> stored,
                              const VectorIndexOptions& options) const {
  VectorIndexOptions cpu = options;
  cpu.device = Device::kCpu;
  if (options.device != Device::kCpu) {
    try {
      auto next = std::make_shared<const OpenVectors>(stored, with_usable_gpus(options));
      next->searcher();
      set(std::move(next));
      return;
    } catch (const Error& error) {
      if (options.device == Device::kGpu || !is_of_gpu(error)) throw;
      if (options.on_cpu) options.on_cpu(error);
    }
  }
  auto next = std::make_shared<const OpenVectors>(std::move(stored), with_usable_gpus(cpu));
  next->searcher();
  set(std::move(next));
}

void VectorIndex::State::take_last() const {
  take(std::make_shared<const StoredVectors>(absolute), current()->options());
}

void VectorIndex::State::take_after(CommitReport& report) const {
  try {
    take_last();
  } catch (const std::exception& error) {
    report.notes.push_back(std::string("the change is made, but the commit before it is searched "
                                       "until refresh() can take it: ") +
                           error.what());
  }
}

VectorIndex::VectorIndex(const std::filesystem::path& folder, const VectorIndexOptions& options)
    : state_(std::make_unique<State>(folder, options)) {}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

vector::Neighbors VectorIndex::search(std::span<const float> queries, std::size_t k,
                                      const VectorSearchOptions& options) const {
  return state_->search(
      [&](const OpenVectors& open) { return nearest_in(open, queries, k, options); });
}

NamedNeighbors VectorIndex::search_named(std::span<const float> queries, std::size_t k,
                                         const VectorSearchOptions& options) const {
  return state_->search([&](const OpenVectors& open) {
    NamedNeighbors named{nearest_in(open, queries, k, options), {}};
    named.ids = ids_in(open.index(), named.neighbors.rows);
    return named;
  });
}

void VectorIndex::search_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                std::int32_t* rows, float* distances) const {
  find_on_gpu(*state_->current(), queries, count, k, rows, distances);
}

void VectorIndex::search_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                std::int64_t* rows, float* distances) const {
  const std::shared_ptr<const OpenVectors> open = state_->current();
  const std::size_t places = count * k;
  auto* const narrow = reinterpret_cast<std::int32_t*>(rows) + places;
  find_on_gpu(*open, queries, count, k, narrow, distances);
  widen_in_place(rows, places, open->options().gpus.front().device());
}

vector::RangeNeighbors VectorIndex::search_radius(std::span<const float> queries, float radius,
                                                  const VectorSearchOptions& options) const {
  return state_->search([&](const OpenVectors& open) {
    return search_in_parts<vector::RangeNeighbors>(
        open, queries, options.stop,
        [&](std::span<const float> some) {
          return open.searcher().within(some, radius, open.depth(options.filter));
        },
        append_within);
  });
}

bool VectorIndex::refresh() {
  const std::lock_guard one_at_a_time(state_->changing);
  auto now = std::make_shared<const StoredVectors>(state_->absolute);
  const vector::VectorIndex& then = state_->current()->index();
  if (now->index.commit() == then.commit() &&
      are_same_sections(now->index.section_infos(), then.section_infos())) {
    return false;
  }
  state_->take(std::move(now), options());
  return true;
}

void VectorIndex::set_options(const VectorIndexOptions& options) {
  const std::lock_guard one_at_a_time(state_->changing);
  const std::shared_ptr<const StoredVectors> commit = stored();
  const VectorIndexOptions before = this->options();
  // Two do not fit on a GPU; this lets go of what is there.
  state_->set(std::make_shared<const OpenVectors>(commit, before));
  state_->take(commit, options);
}

void VectorIndex::set_depth(const VectorDepth& depth) {
  {
    const std::lock_guard one_at_a_time(state_->changing);
    if (std::optional<OpenVectors> open = state_->current()->at(depth)) {
      state_->set(std::make_shared<const OpenVectors>(std::move(*open)));
      return;
    }
  }
  VectorIndexOptions changed = options();
  changed.depth = depth;
  set_options(changed);
}

VectorIndexOptions VectorIndex::options() const { return state_->current()->options(); }

Device VectorIndex::device() const {
  return state_->current()->is_on_gpu() ? Device::kGpu : Device::kCpu;
}

VectorGpuFigures VectorIndex::gpu_figures() const {
  const std::shared_ptr<const OpenVectors> open = state_->current();
  if (!open->is_on_gpu()) return {};
  const vector::VectorSearcher& searcher = open->searcher();
  const vector::GpuFigures figures = searcher.figures();
  return {searcher.is_resident(), figures.queries, figures.uncertified};
}

std::string VectorIndex::id(std::size_t row) const { return stored()->index.id(row); }

std::vector<std::string> VectorIndex::ids(std::span<const std::int32_t> rows) const {
  return ids_in(stored()->index, rows);
}

std::shared_ptr<const StoredVectors> VectorIndex::stored() const {
  return state_->current()->stored();
}

}  // namespace warpdex
