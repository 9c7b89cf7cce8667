// Runs batches: uploads what the builder made, launches the kernels, reads the answers.
#include "warpdex/query/gpu/gpu_searcher.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/batch_builder.hpp"
#include "warpdex/query/gpu/kernels.cuh"

namespace warpdex {
namespace {

using namespace gpu;

/// Candidates of a query that there is always room for, and at most.
constexpr std::uint32_t kLeastCapacity = 1U << 14;
constexpr std::uint32_t kMostCapacity = 1U << 22;
/// Candidates of all queries of a batch; 16 bytes each.
constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 26;
/// Entries of the tile tables of a batch; 8 bytes each.
constexpr std::uint64_t kMostRowEntries = std::uint64_t{1} << 27;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Hands out pieces of one buffer.
class Arena {
 public:
  explicit Arena(void* begin) : next_(static_cast<std::uint8_t*>(begin)), begin_(next_) {}

  template <typename T>
  T* take(std::size_t count) {
    auto* const piece = reinterpret_cast<T*>(next_);
    next_ += aligned(count * sizeof(T));
    return piece;
  }
  std::size_t used() const { return static_cast<std::size_t>(next_ - begin_); }

 private:
  std::uint8_t* next_;
  std::uint8_t* begin_;
};

/// Where a batch's parts lie in the three buffers.
struct Parts {
  // Uploaded.
  List* lists;
  gpu::Query* queries;
  gpu::Query* finals;
  Stretch* table_stretches;
  Stretch* and_stretches;
  std::uint32_t* raw;
  std::size_t image_bytes;
};

template <typename T>
void copy_to(const std::vector<T>& from, T* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}

Parts lay_out(const BatchImage& image, void* begin) {
  Arena arena(begin);
  Parts parts{};
  parts.lists = arena.take<List>(image.lists.size());
  parts.queries = arena.take<gpu::Query>(image.and_queries.size() + image.second_queries.size() +
                                    image.or_queries.size());
  parts.finals = arena.take<gpu::Query>(image.finals.size());
  parts.table_stretches = arena.take<Stretch>(image.table_stretches.size());
  parts.and_stretches =
      arena.take<Stretch>(image.and_stretches.size() + image.second_stretches.size());
  parts.raw = arena.take<std::uint32_t>(image.raw.size());
  parts.image_bytes = arena.used();
  return parts;
}

template <typename T>
void shift(const T*& pointer, const void* base) {
  pointer = reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(pointer) +
                                       reinterpret_cast<std::uintptr_t>(base));
}

/// Copies the image to pinned memory, its raw lists' offsets as pointers into the GPU's copy.
void write_image(const BatchImage& image, const Parts& host, const Parts& device) {
  copy_to(image.lists, host.lists);
  for (std::size_t i = 0; i < image.lists.size(); ++i) {
    List& list = host.lists[i];
    if ((list.flags & kRaw) == 0) continue;
    shift(list.docids.bytes, device.raw);
    shift(list.frequencies.bytes, device.raw);
    shift(list.last_docids, device.raw);
  }
  gpu::Query* queries = host.queries;
  for (const auto* part : {&image.and_queries, &image.second_queries, &image.or_queries}) {
    copy_to(*part, queries);
    queries += part->size();
  }
  copy_to(image.finals, host.finals);
  copy_to(image.table_stretches, host.table_stretches);
  copy_to(image.and_stretches, host.and_stretches);
  Stretch* second = host.and_stretches + image.and_stretches.size();
  copy_to(image.second_stretches, second);
  for (std::size_t i = 0; i < image.second_stretches.size(); ++i) {
    second[i].owner += static_cast<std::uint32_t>(image.and_queries.size());
  }
  copy_to(image.raw, host.raw);
}

}  // namespace

struct GpuSearcher::State {
  State(const GpuIndex& searched, const GpuAblation& wanted);

  std::uint32_t capacity_for(std::size_t queries, std::uint32_t k) const;
  std::size_t batch_size(std::span<const PlannedQuery> plans, std::uint32_t k) const;
  void grow(DeviceBuffer& buffer, std::size_t bytes);
  void grow(PinnedBuffer& buffer, std::size_t bytes);
  void start(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  void finish(std::span<const PlannedQuery> plans, std::vector<SearchResult>& results);
  SearchResult read_answer(std::size_t state, const Answer& answer) const;

  const GpuIndex& index;
  const GpuIndex::State& uploaded;
  GpuAblation ablation;
  BatchBuilder builder;
  Stream stream;
  BatchImage image;
  PinnedBuffer staging;   ///< the image
  DeviceBuffer uploads;   ///< its copy
  DeviceBuffer cleared;   ///< states, histograms, counters
  DeviceBuffer tables;    ///< of tiles
  DeviceBuffer candidates;
  PinnedBuffer answers;   ///< answers and hits
  const Answer* answer_list = nullptr;
  const std::uint64_t* hit_list = nullptr;
  SearchSettings settings;
  std::vector<PlannedQuery> submitted;
  std::size_t started = 0;  ///< of those submitted: the first batch
  bool is_busy = false;
  std::optional<CpuSearcher> cpu;
  GpuStatistics statistics;
};

GpuSearcher::State::State(const GpuIndex& searched, const GpuAblation& wanted)
    : index(searched),
      uploaded(searched.state()),
      ablation(wanted),
      builder(searched.state(), wanted.exhaustive),
      stream(searched.device()) {}

std::uint32_t GpuSearcher::State::capacity_for(std::size_t queries, std::uint32_t k) const {
  const std::uint64_t least = std::max(kLeastCapacity, 16 * k);
  const std::uint64_t share = kMostCandidates / queries;
  const std::uint64_t documents = std::max<std::uint64_t>(index.index().counts().documents, 1);
  return static_cast<std::uint32_t>(
      std::min({std::max(least, std::min<std::uint64_t>(share, kMostCapacity)), documents}));
}

/// How many of the queries go into the next batch.
std::size_t GpuSearcher::State::batch_size(std::span<const PlannedQuery> plans,
                                           std::uint32_t k) const {
  const std::uint64_t tiles = index.index().counts().documents / kTileDocuments + 2;
  std::uint64_t rows = 0;
  std::size_t size = 0;
  while (size < plans.size()) {
    rows += plans[size].terms.size() * tiles;
    const std::uint64_t candidate_room = std::uint64_t{capacity_for(size + 1, k)} * (size + 1);
    if (size > 0 && (rows > kMostRowEntries || candidate_room > kMostCandidates)) break;
    ++size;
  }
  return size;
}

void GpuSearcher::State::grow(DeviceBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = DeviceBuffer();  // first, so that both need not fit
  buffer = DeviceBuffer(bytes + bytes / 4, index.device());
}

void GpuSearcher::State::grow(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = PinnedBuffer();
  buffer = PinnedBuffer(bytes + bytes / 4);
}

void GpuSearcher::State::start(std::span<const PlannedQuery> plans, const SearchSettings& wanted) {
  settings = wanted;
  const auto queries = static_cast<std::uint32_t>(plans.size());
  const std::uint32_t capacity = capacity_for(queries, settings.k);
  builder.build(plans, settings, capacity, image);

  const std::size_t image_bytes = lay_out(image, nullptr).image_bytes;
  grow(staging, image_bytes);
  grow(uploads, image_bytes);
  const Parts host = lay_out(image, staging.data());
  const Parts device = lay_out(image, uploads.data());
  write_image(image, host, device);

  Batch batch{};
  batch.lists = device.lists;
  batch.queries = device.queries;
  batch.finals = device.finals;
  batch.table_stretches = device.table_stretches;
  batch.and_stretches = device.and_stretches;

  const auto lay_out_cleared = [&](void* begin) {
    Arena arena(begin);
    batch.states = arena.take<QueryState>(queries);
    batch.histograms = arena.take<std::uint32_t>(std::size_t{queries} * kBins);
    batch.counters = arena.take<std::uint32_t>(1);
    batch.work = arena.take<WorkCounters>(1);
    return arena.used();
  };
  grow(cleared, lay_out_cleared(nullptr));
  const std::size_t cleared_bytes = lay_out_cleared(cleared.data());
  const auto lay_out_tables = [&](void* begin) {
    Arena arena(begin);
    batch.first_blocks = arena.take<std::uint32_t>(image.row_entries);
    batch.upper_bounds = arena.take<std::uint32_t>(image.row_entries);
    batch.tile_order = arena.take<std::uint32_t>(image.order_entries);
    batch.tile_bounds = arena.take<std::uint32_t>(image.order_entries);
    return arena.used();
  };
  grow(tables, lay_out_tables(nullptr));
  lay_out_tables(tables.data());
  const auto lay_out_candidates = [&](void* begin) {
    Arena arena(begin);
    batch.candidates = arena.take<Candidate>(std::size_t{queries} * capacity);
    batch.keys = arena.take<unsigned long long>(std::size_t{queries} * capacity);
    return arena.used();
  };
  grow(candidates, lay_out_candidates(nullptr));
  lay_out_candidates(candidates.data());
  const auto lay_out_answers = [&](void* begin) {
    Arena arena(begin);
    batch.answers = arena.take<Answer>(queries);
    batch.hits = arena.take<unsigned long long>(std::size_t{queries} * settings.k);
    return arena.used();
  };
  grow(answers, lay_out_answers(nullptr));
  lay_out_answers(answers.data());
  answer_list = batch.answers;
  hit_list = reinterpret_cast<const std::uint64_t*>(batch.hits);
  lay_out_answers(answers.device_data());

  batch.lengths = uploaded.lengths;
  batch.length_codes = uploaded.length_codes;
  batch.static_scores = uploaded.static_scores;
  batch.static_bounds = uploaded.static_bounds;
  batch.documents = static_cast<std::uint32_t>(index.index().counts().documents);
  batch.list_count = static_cast<std::uint32_t>(image.lists.size());
  batch.second_queries = static_cast<std::uint32_t>(image.second_queries.size());
  batch.and_queries = static_cast<std::uint32_t>(image.and_queries.size()) + batch.second_queries;
  batch.or_queries = static_cast<std::uint32_t>(image.or_queries.size());
  batch.state_count = queries;
  batch.table_stretch_count = static_cast<std::uint32_t>(image.table_stretches.size());
  batch.second_stretch_count = static_cast<std::uint32_t>(image.second_stretches.size());
  batch.and_stretch_count =
      static_cast<std::uint32_t>(image.and_stretches.size()) + batch.second_stretch_count;
  batch.most_tiles = image.most_tiles;
  batch.form = builder.form(settings);
  if (!image.lists.empty()) {
    batch.c0 = image.lists[0].c0;
    batch.c1 = image.lists[0].c1;
  }

  const CurrentDevice current(index.device());
  if (image_bytes > 0) {
    check_cuda(cudaMemcpyAsync(uploads.data(), staging.data(), image_bytes, cudaMemcpyHostToDevice,
                               stream.handle()),
               "cudaMemcpyAsync of a batch");
  }
  check_cuda(cudaMemsetAsync(cleared.data(), 0, cleared_bytes, stream.handle()),
             "cudaMemsetAsync of a batch's state");
  const CodecKind codec = index.index().settings().codec.kind;
  launch_and_chunks(batch, codec, stream.handle());
  if (batch.or_queries > 0) {
    launch_find_tile_blocks(batch, stream.handle());
    launch_order_tiles(batch, stream.handle());
    launch_or_tiles(batch, codec, stream.handle());
  }
  launch_finish(batch, codec, settings.k, stream.handle());
}

SearchResult GpuSearcher::State::read_answer(std::size_t state, const Answer& answer) const {
  SearchResult result;
  result.hits.resize(answer.hits);
  const std::uint64_t* const keys = hit_list + state * settings.k;
  for (std::uint32_t i = 0; i < answer.hits; ++i) {
    result.hits[i] = {kNone - static_cast<std::uint32_t>(keys[i]),
                      std::bit_cast<float>(static_cast<std::uint32_t>(keys[i] >> 32))};
  }
  result.matches = std::max<std::uint64_t>(answer.matches, answer.hits);
  result.fell_back_to_or =
      settings.mode == QueryMode::kAndOr && (answer.fell_back != 0 || answer.hits == 0);
  return result;
}

void GpuSearcher::State::finish(std::span<const PlannedQuery> plans,
                                std::vector<SearchResult>& results) {
  stream.synchronize();
  auto next_cpu = image.cpu_queries.begin();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool too_long = next_cpu != image.cpu_queries.end() && *next_cpu == i;
    if (too_long) ++next_cpu;
    if (!too_long && answer_list[i].overflow == 0) {
      results.push_back(read_answer(i, answer_list[i]));
      ++statistics.gpu_queries;
      continue;
    }
    if (!cpu) cpu.emplace(index.index());
    results.push_back(cpu->run(plans[i], settings));
    ++statistics.cpu_queries;
    if (!too_long) ++statistics.candidates_lost;
  }
}

GpuSearcher::GpuSearcher(const GpuIndex& index, const GpuAblation& ablation)
    : state_(std::make_unique<State>(index, ablation)) {}
GpuSearcher::~GpuSearcher() = default;
GpuSearcher::GpuSearcher(GpuSearcher&&) noexcept = default;
GpuSearcher& GpuSearcher::operator=(GpuSearcher&&) noexcept = default;

std::vector<SearchResult> GpuSearcher::run(std::span<const PlannedQuery> plans,
                                           const SearchSettings& settings) {
  settings.validate();
  std::vector<SearchResult> results;
  results.reserve(plans.size());
  while (!plans.empty()) {
    const std::size_t size = state_->batch_size(plans, settings.k);
    state_->start(plans.first(size), settings);
    state_->finish(plans.first(size), results);
    plans = plans.subspan(size);
  }
  return results;
}

void GpuSearcher::submit(std::span<const PlannedQuery> plans, const SearchSettings& settings) {
  settings.validate();
  if (state_->is_busy) {
    throw UsageError("a batch is under way; take its answers by wait() before the next submit()");
  }
  state_->submitted.assign(plans.begin(), plans.end());
  state_->settings = settings;
  state_->started = plans.empty() ? 0 : state_->batch_size(plans, settings.k);
  if (state_->started > 0) {
    state_->start(std::span(state_->submitted).first(state_->started), settings);
  }
  state_->is_busy = true;
}

std::vector<SearchResult> GpuSearcher::wait() {
  if (!state_->is_busy) throw UsageError("no batch is under way; start one by submit()");
  state_->is_busy = false;
  std::vector<SearchResult> results;
  results.reserve(state_->submitted.size());
  const std::span<const PlannedQuery> plans = state_->submitted;
  if (!plans.empty()) state_->finish(plans.first(state_->started), results);
  const SearchSettings settings = state_->settings;
  for (SearchResult& result : run(plans.subspan(state_->started), settings)) {
    results.push_back(std::move(result));
  }
  return results;
}

const GpuStatistics& GpuSearcher::statistics() const { return state_->statistics; }

}  // namespace warpdex
