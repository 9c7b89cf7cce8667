// Chooses permutants and ranks them for each object.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

#include "metric/rank_row.hpp"
#include "metric/search_arguments.hpp"
#include "metric/shared_progress.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

constexpr std::array<Choice, 2> kChoices{Choice::kRandom, Choice::kFarthest};
constexpr std::array<RankDistance, 4> kRankDistances{RankDistance::kFootrule, RankDistance::kRho,
                                                     RankDistance::kTau, RankDistance::kBits};
/// Objects that a thread takes at once.
constexpr std::size_t kRunObjects = 1024;

/// Calls work(first, last) for all runs of objects.
void over_runs(std::size_t objects, std::size_t threads,
               const std::function<void(std::size_t, std::size_t)>& work) {
  parallel_for(threads, (objects + kRunObjects - 1) / kRunObjects,
               [&](std::size_t, std::size_t run) {
                 work(run * kRunObjects, std::min(objects, (run + 1) * kRunObjects));
               });
}

std::vector<std::uint32_t> choose_at_random(std::size_t objects, std::size_t count,
                                            std::mt19937_64& random) {
  std::vector<std::uint32_t> all(objects);
  std::iota(all.begin(), all.end(), 0U);
  // Not std::sample or a distribution: another standard library would choose others.
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(all[i], all[i + random() % (objects - i)]);
  }
  all.resize(count);
  return all;
}

std::vector<std::uint32_t> choose_farthest(const MetricSpace& space,
                                           const PermutationSettings& settings,
                                           std::mt19937_64& random,
                                           const MetricProgress& progress) {
  const std::size_t objects = space.size();
  SharedProgress told(progress, objects * settings.permutants);
  std::vector<float> nearest(objects, kNoLimit);
  std::vector<std::uint32_t> chosen{static_cast<std::uint32_t>(random() % objects)};
  while (chosen.size() < settings.permutants) {
    const std::uint32_t latest = chosen.back();
    over_runs(objects, settings.threads, [&](std::size_t first, std::size_t last) {
      const auto distance = space.from_object(latest);
      for (std::size_t i = first; i < last; ++i) {
        nearest[i] = std::min(nearest[i], distance->to(i));
      }
      told.add(last - first);
    });
    for (const std::uint32_t object : chosen) nearest[object] = -1;  // each once, though others tie
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    chosen.push_back(static_cast<std::uint32_t>(farthest - nearest.begin()));
  }
  return chosen;
}

}  // namespace

std::string_view choice_name(Choice choice) {
  return choice == Choice::kRandom ? "random" : "farthest";
}

Choice choice_from_name(std::string_view name) {
  for (const Choice choice : kChoices) {
    if (choice_name(choice) == name) return choice;
  }
  throw UsageError("permutants cannot be chosen by '" + std::string(name) +
                   "'; choose random or farthest");
}

std::string_view rank_distance_name(RankDistance distance) {
  switch (distance) {
    case RankDistance::kFootrule: return "footrule";
    case RankDistance::kRho: return "rho";
    case RankDistance::kTau: return "tau";
    case RankDistance::kBits: break;
  }
  return "bits";
}

RankDistance rank_distance_from_name(std::string_view name) {
  for (const RankDistance distance : kRankDistances) {
    if (rank_distance_name(distance) == name) return distance;
  }
  throw UsageError("permutations cannot be compared by '" + std::string(name) +
                   "'; choose footrule, rho, tau or bits");
}

std::vector<std::uint32_t> choose_permutants(const MetricSpace& space,
                                             const PermutationSettings& settings,
                                             const MetricProgress& progress) {
  check_permutant_count(space.size(), settings.permutants);
  std::mt19937_64 random(settings.seed);
  if (settings.choice == Choice::kFarthest) {
    return choose_farthest(space, settings, random, progress);
  }
  return choose_at_random(space.size(), settings.permutants, random);
}

std::vector<std::uint8_t> rank_permutants(const MetricSpace& space,
                                          std::span<const std::uint32_t> permutants,
                                          std::size_t threads, const MetricProgress& progress) {
  check_permutants(space.size(), permutants);
  const std::size_t count = permutants.size();
  const std::size_t row_bytes = rank_stride(count) * rank_bytes(count);
  std::vector<std::uint8_t> ranks(space.size() * row_bytes);
  SharedProgress told(progress, std::uint64_t{space.size()} * count);
  over_runs(space.size(), threads, [&](std::size_t first, std::size_t last) {
    // From the permutants, which are prepared once for many objects.
    std::vector<float> distances((last - first) * count);
    for (std::size_t p = 0; p < count; ++p) {
      const auto distance = space.from_object(permutants[p]);
      for (std::size_t i = first; i < last; ++i) {
        distances[(i - first) * count + p] = distance->to(i);
      }
      told.add(last - first);
    }
    RankRow row(count);
    for (std::size_t i = first; i < last; ++i) {
      row.set({distances.data() + (i - first) * count, count});
      std::memcpy(ranks.data() + i * row_bytes, row.bytes().data(), row_bytes);
    }
  });
  return ranks;
}

}  // namespace warpdex::metric
