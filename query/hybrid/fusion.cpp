// Adds the shares of both halves up by document.
#include "warpdex/query/hybrid/fusion.hpp"

#include <algorithm>
#include <array>
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

struct Share {
  std::uint32_t document;
  double score;
};

void add_ranks(std::span<const Hit> hits, double weight, std::vector<Share>& shares) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    shares.push_back({hits[i].document, 2 * weight / (kRankConstant + static_cast<double>(i + 1))});
  }
}

/// Scores, larger ones better, from `least` on in steps of 1 / (best - least).
void add_scores(std::span<const Hit> hits, double sign, double least, double weight,
                std::vector<Share>& shares) {
  if (hits.empty()) return;
  const double range = sign * static_cast<double>(hits.front().score) - least;
  for (const Hit& hit : hits) {
    const double above = sign * static_cast<double>(hit.score) - least;
    shares.push_back({hit.document, weight * (range > 0 ? above / range : 1)});
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

void FusionSettings::validate() const {
  if (!(weight >= 0 && weight <= 1)) {
    throw UsageError("the weight of the text half is from 0 to 1");
  }
  if (depth < 1 || depth > kMaxK) {
    throw UsageError("the depth of a fusion is from 1 to " + std::to_string(kMaxK));
  }
}

std::vector<Hit> fuse(std::span<const Hit> text, std::span<const Hit> vectors,
                      vector::Metric metric, const FusionSettings& settings, std::uint32_t k) {
  const double weight = static_cast<double>(settings.weight);
  std::vector<Share> shares;
  if (settings.fusion == Fusion::kReciprocalRank) {
    add_ranks(text, weight, shares);
    add_ranks(vectors, 1 - weight, shares);
  } else {
    const double sign = vector::larger_is_nearer(metric) ? 1 : -1;
    add_scores(text, 1, 0, weight, shares);
    const double least = vectors.empty() ? 0 : sign * static_cast<double>(vectors.back().score);
    add_scores(vectors, sign, least, 1 - weight, shares);
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return a.document < b.document;  // of one document, text comes first
  });
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < shares.size();) {
    const std::uint32_t document = shares[i].document;
    double score = 0;
    for (; i < shares.size() && shares[i].document == document; ++i) score += shares[i].score;
    hits.push_back({document, static_cast<float>(score)});
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const Hit& a, const Hit& b) { return a.score > b.score; });
  hits.resize(std::min<std::size_t>(hits.size(), k));
  return hits;
}

}  // namespace warpdex
