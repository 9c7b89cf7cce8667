// Adds the shares of both halves up by document, those of the text first.
#include "warpdex/query/hybrid/fusion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr double kRankConstant = 60;

constexpr std::array<std::pair<std::string_view, Fusion>, 5> kNames{
    {{"rrf", Fusion::kReciprocalRank},
     {"convex", Fusion::kConvex},
     {"rerank", Fusion::kRerank},
     {"filter", Fusion::kFilter},
     {"neighbors", Fusion::kNeighbors}}};

/// The sums of documents, in the order in which they came; found again by a hash table.
class Sums {
 public:
  /// For up to `documents` of them.
  explicit Sums(std::size_t documents)
      : slots_(std::bit_ceil(2 * documents + 1), kFree), mask_(slots_.size() - 1) {
    sums_.reserve(documents);
  }

  void add(std::uint32_t document, double share) {
    std::size_t slot = (std::uint64_t{document} * 0x9E3779B97F4A7C15U >> 32) & mask_;
    while (slots_[slot] != kFree && sums_[slots_[slot]].document != document) {
      slot = (slot + 1) & mask_;
    }
    if (slots_[slot] == kFree) {
      slots_[slot] = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({document, 0});
    }
    sums_[slots_[slot]].sum += share;
  }

  /// The k best, best first, equal ones by docID.
  std::vector<Hit> best(std::size_t k) const {
    std::vector<Hit> hits;
    hits.reserve(sums_.size());
    for (const Sum& one : sums_) hits.push_back({one.document, static_cast<float>(one.sum)});
    const auto end = hits.begin() + static_cast<std::ptrdiff_t>(std::min(k, hits.size()));
    if (end != hits.end()) std::nth_element(hits.begin(), end, hits.end(), comes_first);
    hits.erase(end, hits.end());
    std::sort(hits.begin(), hits.end(), comes_first);
    return hits;
  }

 private:
  struct Sum {
    std::uint32_t document;
    double sum;
  };
  static constexpr std::uint32_t kFree = ~0U;

  static bool comes_first(const Hit& a, const Hit& b) {
    return a.score > b.score || (a.score == b.score && a.document < b.document);
  }

  std::vector<std::uint32_t> slots_;  ///< places in sums_
  std::size_t mask_;
  std::vector<Sum> sums_;
};

void add_ranks(std::span<const Hit> hits, double weight, Sums& sums) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    sums.add(hits[i].document, 2 * weight / (kRankConstant + static_cast<double>(i + 1)));
  }
}

/// Larger ones are better. What a product of large components overflows to is the end of all
/// floats.
double finite_score(const Hit& hit, double sign) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const double score = sign * static_cast<double>(hit.score);
  return std::isnan(score) ? -kMost : std::clamp(score, -kMost, kMost);
}

/// Scores from `least` on in steps of 1 / (best - least).
void add_scores(std::span<const Hit> hits, double sign, double least, double weight, Sums& sums) {
  if (hits.empty()) return;
  const double range = finite_score(hits.front(), sign) - least;
  for (const Hit& hit : hits) {
    const double above = finite_score(hit, sign) - least;
    sums.add(hit.document, weight * (range > 0 ? above / range : 1));
  }
}

}  // namespace

Fusion fusion_from_name(std::string_view name) {
  const auto known = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  if (known != kNames.end()) return known->second;
  throw UsageError("there is no fusion '" + std::string(name) +
                   "'; choose rrf, convex, rerank, filter or neighbors");
}

bool scores_are_distances(Fusion fusion, vector::Metric metric) {
  const bool by_vectors = fusion == Fusion::kRerank || fusion == Fusion::kFilter;
  return by_vectors && !vector::larger_is_nearer(metric);
}

void FusionSettings::validate() const {
  if (!(weight >= 0 && weight <= 1)) {
    throw UsageError("the weight of the text half is from 0 to 1");
  }
  if (depth < 1 || depth > kMaxK) {
    throw UsageError("the depth of a fusion is from 1 to " + std::to_string(kMaxK));
  }
  if (probes < 1) throw UsageError("a search of lists probes 1 or more; set probes");
}

std::vector<Hit> fuse(std::span<const Hit> text, std::span<const Hit> vectors,
                      vector::Metric metric, const FusionSettings& settings, std::uint32_t k) {
  const double weight = static_cast<double>(settings.weight);
  Sums sums(text.size() + vectors.size());
  if (settings.fusion == Fusion::kReciprocalRank) {
    add_ranks(text, weight, sums);
    add_ranks(vectors, 1 - weight, sums);
  } else {
    const double sign = vector::larger_is_nearer(metric) ? 1 : -1;
    add_scores(text, 1, 0, weight, sums);
    const double least = vectors.empty() ? 0 : finite_score(vectors.back(), sign);
    add_scores(vectors, sign, least, 1 - weight, sums);
  }
  return sums.best(k);
}

}  // namespace warpdex
