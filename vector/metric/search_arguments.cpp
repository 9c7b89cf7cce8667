// Checks of arguments that the CPU and the GPU share.
#include "metric/search_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::metric {
namespace {

/// Objects to compare, or all.
std::size_t compared_objects(const MetricSearchSettings& settings, std::size_t objects,
                             std::size_t k) {
  if (!settings.share) return objects;
  if (!(*settings.share > 0 && *settings.share <= 1)) {
    throw UsageError("the share of objects that are compared is over 0 and at most 1, not " +
                     std::to_string(*settings.share));
  }
  const double count = std::ceil(*settings.share * static_cast<double>(objects));
  return std::min(objects, std::max(k, static_cast<std::size_t>(count)));
}

}  // namespace

SearchArguments nearest_arguments(std::size_t objects, std::size_t k,
                                  const MetricSearchSettings& settings) {
  if (k < 1 || objects < 1) {
    throw UsageError("ask for 1 or more of 1 object or more, not for " + std::to_string(k) +
                     " of " + std::to_string(objects));
  }
  const std::size_t found = std::min(k, objects);
  return {found, 0, compared_objects(settings, objects, found)};
}

SearchArguments within_arguments(std::size_t objects, float radius,
                                 const MetricSearchSettings& settings) {
  if (!(radius >= 0)) {
    throw UsageError("a radius is 0 or more, not " + std::to_string(radius));
  }
  return {0, radius, compared_objects(settings, objects, 0)};
}

void check_permutant_count(std::size_t objects, std::size_t permutants) {
  const std::size_t max = std::min(objects, kMaxPermutants);
  if (permutants >= 1 && permutants <= max) return;
  throw UsageError("an index of " + std::to_string(objects) +
                   (objects == 1 ? " object" : " objects") + " has from 1 to " +
                   std::to_string(max) + " permutants, not " + std::to_string(permutants));
}

void check_permutants(std::size_t objects, std::span<const std::uint32_t> permutants) {
  check_permutant_count(objects, permutants.size());
  for (const std::uint32_t object : permutants) {
    if (object >= objects) {
      throw UsageError("object " + std::to_string(object) + " cannot be a permutant: there are " +
                       std::to_string(objects) + " objects, counted from 0");
    }
  }
}

void check_permutations(std::size_t objects, std::size_t permutants,
                        const Permutations& permutations) {
  if (permutants == permutations.permutants && objects == permutations.objects) return;
  throw UsageError("permutations of " + std::to_string(permutations.objects) + " objects by " +
                   std::to_string(permutations.permutants) + " permutants are not those of " +
                   std::to_string(objects) + " by " + std::to_string(permutants));
}

}  // namespace warpdex::metric
