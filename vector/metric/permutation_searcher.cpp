// Ranks objects by their permutations, and compares the first of them by the true distance.
#include <algorithm>
#include <mutex>
#include <optional>

#include "metric/rank_codes.hpp"
#include "metric/rank_kernels.hpp"
#include "metric/rank_row.hpp"
#include "metric/search_arguments.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

constexpr std::size_t kMaxBins = 1 << 14;
/// Rows that are compared at once, so that what comes of them stays in the first cache.
constexpr std::size_t kRun = 2048;

/// The matches of one query.
class Collector {
 public:
  /// k of 0: all within the radius.
  Collector(std::size_t k, float radius) : k_(k), limit_(k == 0 ? radius : kNoLimit) {}

  /// Objects may come in any order.
  void take(std::uint32_t object, DistanceFrom& query) {
    const Match match{object, query.to(object, limit_)};
    if (match.distance > limit_) return;
    if (k_ == 0) {
      matches_.push_back(match);
    } else if (matches_.size() < k_) {
      matches_.push_back(match);
      std::push_heap(matches_.begin(), matches_.end(), is_before);
    } else if (is_before(match, matches_.front())) {
      std::pop_heap(matches_.begin(), matches_.end(), is_before);
      matches_.back() = match;
      std::push_heap(matches_.begin(), matches_.end(), is_before);
    }
    if (k_ != 0 && matches_.size() == k_) limit_ = matches_.front().distance;
  }

  std::vector<Match> finish() {
    std::sort(matches_.begin(), matches_.end(), is_before);
    return std::move(matches_);
  }

 private:
  std::size_t k_;
  float limit_;
  std::vector<Match> matches_;
};

/// What one thread works in.
class Ranking {
 public:
  /// `codes` are for kBits alone.
  Ranking(std::span<const std::uint32_t> permutants, const Permutations& permutations,
          RankDistance compare, const RankCodes* codes)
      : permutants_(permutants),
        permutations_(permutations),
        compare_(compare),
        codes_(codes),
        row_(permutants.size()),
        to_permutants_(permutants.size()),
        apart_(permutations.objects) {
    const std::uint64_t largest = largest_rank_distance(compare, permutants.size());
    while (largest >> shift_ >= kMaxBins) ++shift_;
    bins_.resize((largest >> shift_) + 1);
  }

  /// Gives the `count` objects whose permutations are the most similar to the query's, ties by
  /// object: first those that are certainly so, then those of the last bin.
  template <class Take>
  void most_similar(DistanceFrom& query, std::size_t count, const Take& take) {
    compare_all(query);
    std::fill(bins_.begin(), bins_.end(), 0U);
    for (const std::uint32_t value : apart_) ++bins_[bin(value)];
    std::size_t border = 0;
    std::size_t before = 0;
    while (border + 1 < bins_.size() && before + bins_[border] < count) before += bins_[border++];
    tied_.clear();
    for (std::size_t i = 0; i < apart_.size(); ++i) {
      const std::size_t own = bin(apart_[i]);
      if (own < border) take(static_cast<std::uint32_t>(i));
      if (own == border) tied_.push_back(static_cast<std::uint32_t>(i));
    }
    const std::size_t left = std::min(count - before, tied_.size());
    if (shift_ > 0) {
      std::nth_element(tied_.begin(), tied_.begin() + static_cast<std::ptrdiff_t>(left),
                       tied_.end(), [&](std::uint32_t a, std::uint32_t b) {
                         return apart_[a] != apart_[b] ? apart_[a] < apart_[b] : a < b;
                       });
    }
    for (std::size_t i = 0; i < left; ++i) take(tied_[i]);
  }

 private:
  /// Damaged ranks may be farther apart than any.
  std::size_t bin(std::uint32_t value) const {
    return std::min<std::size_t>(value >> shift_, bins_.size() - 1);
  }

  void compare_all(DistanceFrom& query) {
    for (std::size_t p = 0; p < permutants_.size(); ++p) {
      to_permutants_[p] = query.to(permutants_[p]);
    }
    row_.set(to_permutants_);
    if (codes_ != nullptr) {
      return codes_->compare(codes_->query_words(row_.bytes().data()), apart_.data());
    }
    const std::size_t row_bytes = row_.bytes().size();
    for (std::size_t i = 0; i < apart_.size(); i += kRun) {
      compare_ranks(compare_, {row_.bytes().data(), row_.order().data()},
                    static_cast<const std::uint8_t*>(permutations_.ranks) + i * row_bytes,
                    permutants_.size(), std::min(kRun, apart_.size() - i), apart_.data() + i);
    }
  }

  std::span<const std::uint32_t> permutants_;
  const Permutations& permutations_;
  RankDistance compare_;
  const RankCodes* codes_;
  RankRow row_;
  std::vector<float> to_permutants_;
  std::vector<std::uint32_t> apart_;  ///< of each object
  std::vector<std::uint32_t> bins_;   ///< objects by how far apart
  std::vector<std::uint32_t> tied_;
  std::size_t shift_ = 0;
};

}  // namespace

/// Made when they are first needed.
struct PermutationSearcher::Codes {
  const RankCodes* of(const Permutations& permutations, RankDistance compare) {
    if (compare != RankDistance::kBits) return nullptr;
    std::call_once(once, [&] { codes.emplace(permutations); });
    return &*codes;
  }

  std::once_flag once;
  std::optional<RankCodes> codes;
};

PermutationSearcher::PermutationSearcher(const MetricSpace& space,
                                         std::span<const std::uint32_t> permutants,
                                         const Permutations& permutations)
    : space_(space),
      permutants_(permutants),
      permutations_(permutations),
      codes_(std::make_shared<Codes>()) {
  check_permutations(space.size(), permutants.size(), permutations);
}

namespace {

Matches run(const MetricSpace& space, std::span<const std::uint32_t> permutants,
            const Permutations& permutations, const RankCodes* codes, std::size_t queries,
            const PrepareQuery& prepare, const SearchArguments& search,
            const MetricSearchSettings& settings) {
  Matches matches(queries);
  const std::size_t threads =
      std::min(std::max<std::size_t>(queries, 1),
               settings.threads == 0 ? default_threads() : settings.threads);
  std::vector<std::unique_ptr<Ranking>> rankings(threads);
  parallel_for(threads, queries, [&](std::size_t thread, std::size_t q) {
    const std::unique_ptr<DistanceFrom> query = prepare(q);
    Collector collector(search.k, search.radius);
    if (search.compared == space.size()) {
      for (std::size_t i = 0; i < space.size(); ++i) {
        collector.take(static_cast<std::uint32_t>(i), *query);
      }
    } else {
      auto& ranking = rankings[thread];
      if (!ranking) {
        ranking = std::make_unique<Ranking>(permutants, permutations, settings.compare, codes);
      }
      ranking->most_similar(*query, search.compared,
                            [&](std::uint32_t object) { collector.take(object, *query); });
    }
    matches[q] = collector.finish();
  });
  return matches;
}

}  // namespace

Matches PermutationSearcher::nearest(std::size_t queries, const PrepareQuery& prepare,
                                     std::size_t k, const MetricSearchSettings& settings) const {
  const SearchArguments search = nearest_arguments(space_.size(), k, settings);
  return run(space_, permutants_, permutations_, codes_->of(permutations_, settings.compare),
             queries, prepare, search, settings);
}

Matches PermutationSearcher::within(std::size_t queries, const PrepareQuery& prepare, float radius,
                                    const MetricSearchSettings& settings) const {
  const SearchArguments search = within_arguments(space_.size(), radius, settings);
  return run(space_, permutants_, permutations_, codes_->of(permutations_, settings.compare),
             queries, prepare, search, settings);
}

}  // namespace warpdex::metric
