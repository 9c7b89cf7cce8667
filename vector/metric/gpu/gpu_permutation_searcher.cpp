// Cuts a search into blocks of queries that fit into scratch memory.
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "flat/gpu/flat_data.hpp"
#include "metric/gpu/search_block.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::metric {
namespace {

constexpr std::size_t kMaxQueries = 1024;                       ///< of a block
constexpr std::size_t kMaxBlockAnswers = std::size_t{1} << 21;  ///< in page-locked memory

/// How a search is cut into blocks.
struct Cut {
  std::size_t queries;
  std::size_t band_words;
};

}  // namespace

struct GpuPermutationSearcher::State {
  State(const ObjectsView& view, std::span<const std::uint32_t> permutants,
        const Permutations& permutations, Resources& resources, std::size_t memory)
      : objects(view, permutants, permutations, resources, memory),
        space(make_space(view)),
        pool(objects.memory(), objects.device()) {}

  Matches search(const QueryObjects& queries, const MetricSearch& search);
  /// What a search asks for; codes of permutations are made when they are first needed.
  MetricSearch wanted(const SearchArguments& arguments, RankDistance compare);

  GpuObjects objects;
  std::unique_ptr<ObjectSpace> space;
  vector::WorkspacePool pool;
  std::once_flag has_codes;
  std::optional<DeviceRankCodes> codes;

 private:
  std::size_t bytes_for(const MetricSearch& search, const QueryImage& image, const Cut& cut) const;
  /// As many queries as fit, or one.
  Cut fitting(const MetricSearch& search, const QueryImage& image, std::size_t bytes) const;
};

std::size_t GpuPermutationSearcher::State::bytes_for(const MetricSearch& search,
                                                     const QueryImage& image,
                                                     const Cut& cut) const {
  Arena arena(nullptr);
  arena.take<std::uint8_t>(image.bytes());
  SearchBlock(objects, search, cut.queries, cut.band_words).lay_out(arena);
  return arena.used();
}

Cut GpuPermutationSearcher::State::fitting(const MetricSearch& search, const QueryImage& image,
                                           std::size_t bytes) const {
  const std::size_t by_answers = kMaxBlockAnswers / std::max<std::size_t>(1, search.arguments.k);
  Cut cut{std::clamp<std::size_t>(std::min(image.count(), by_answers), 1, kMaxQueries), 0};
  if (image.has_long()) {
    cut.band_words = wanted_band_words(objects.on_gpu());
    if (bytes_for(search, image, {1, cut.band_words}) > bytes) {
      cut.band_words = needed_band_words(objects.on_gpu());
    }
  }
  while (cut.queries > 1 && bytes_for(search, image, cut) > bytes) {
    cut.queries = (cut.queries + 1) / 2;
  }
  return cut;
}

Matches GpuPermutationSearcher::State::search(const QueryObjects& queries,
                                              const MetricSearch& search) {
  const CurrentDevice current(objects.device());
  QueryImage image(objects, *space, queries);
  Matches matches(image.count());
  if (image.count() == 0) return matches;
  const std::size_t memory = pool.memory();
  const std::size_t selection =
      search.is_range() ? 0 : vector::selection_room(search.arguments.k, memory);
  const std::size_t room = std::min(memory - std::min(memory, selection), vector::kMaxScratch);
  const std::size_t wanted = bytes_for(search, image, fitting(search, image, room));
  const std::size_t needed = bytes_for(search, image, fitting(search, image, 0));
  const auto workspace = pool.take(std::min(needed, wanted), wanted, selection);
  const Cut cut = fitting(search, image, workspace->scratch.size());
  Arena arena(workspace->scratch.data());
  image.send(workspace->pinned_bytes(image.bytes()), arena.take<std::uint8_t>(image.bytes()),
             workspace->stream);
  SearchBlock block(objects, search, cut.queries, cut.band_words);
  block.lay_out(arena);
  for (std::size_t first = 0; first < image.count(); first += cut.queries) {
    block.run(image, first, std::min(cut.queries, image.count() - first), *workspace);
    if (search.is_range()) {
      block.fetch_within(*workspace, matches.data() + first);
    } else {
      block.fetch_nearest(*workspace, matches.data() + first);
    }
  }
  return matches;
}

MetricSearch GpuPermutationSearcher::State::wanted(const SearchArguments& arguments,
                                                   RankDistance compare) {
  if (compare != RankDistance::kBits) return {arguments, compare};
  const CurrentDevice current(objects.device());
  std::call_once(has_codes,
                 [&] { codes.emplace(objects.ranks(), objects.memory(), objects.device()); });
  return {arguments, compare, &*codes};
}

GpuPermutationSearcher::GpuPermutationSearcher(const ObjectsView& objects,
                                               std::span<const std::uint32_t> permutants,
                                               const Permutations& permutations,
                                               Resources& resources,
                                               const GpuMetricSettings& settings) {
  check_permutations(objects.objects, permutants.size(), permutations);
  state_ = std::make_unique<State>(objects, permutants, permutations, resources, settings.memory);
}
GpuPermutationSearcher::~GpuPermutationSearcher() = default;
GpuPermutationSearcher::GpuPermutationSearcher(GpuPermutationSearcher&&) noexcept = default;
GpuPermutationSearcher& GpuPermutationSearcher::operator=(GpuPermutationSearcher&&) noexcept =
    default;

Matches GpuPermutationSearcher::nearest(const QueryObjects& queries, std::size_t k,
                                        const MetricSearchSettings& settings) const {
  const SearchArguments arguments = nearest_arguments(state_->objects.on_gpu().count, k, settings);
  return state_->search(queries, state_->wanted(arguments, settings.compare));
}

Matches GpuPermutationSearcher::within(const QueryObjects& queries, float radius,
                                       const MetricSearchSettings& settings) const {
  const SearchArguments arguments =
      within_arguments(state_->objects.on_gpu().count, radius, settings);
  return state_->search(queries, state_->wanted(arguments, settings.compare));
}

}  // namespace warpdex::metric
