// How near two vectors are.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpdex::vector {

/// What a search compares vectors by.
enum class Metric : std::uint8_t {
  kL2,            ///< squared Euclidean distance; smaller is nearer
  kInnerProduct,  ///< inner product; larger is nearer
  kCosine,        ///< inner product of the vectors scaled to length 1; larger is nearer
};

/// "l2", "ip" or "cosine".
std::string_view metric_name(Metric metric);

/// The metric of that name; throws UsageError, which lists the names, for another.
Metric metric_from_name(std::string_view name);

/// Whether a larger value means nearer.
constexpr bool larger_is_nearer(Metric metric) { return metric != Metric::kL2; }

}  // namespace warpdex::vector
