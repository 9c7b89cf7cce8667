// Names of metrics.
#include "warpdex/vector/metric.hpp"

#include <array>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

constexpr std::array<Metric, 3> kMetrics{Metric::kL2, Metric::kInnerProduct, Metric::kCosine};

}  // namespace

std::string_view metric_name(Metric metric) {
  switch (metric) {
    case Metric::kL2: return "l2";
    case Metric::kInnerProduct: return "ip";
    case Metric::kCosine: break;
  }
  return "cosine";
}

Metric metric_from_name(std::string_view name) {
  for (const Metric metric : kMetrics) {
    if (metric_name(metric) == name) return metric;
  }
  throw UsageError("there is no metric '" + std::string(name) + "'; choose l2, ip or cosine");
}

}  // namespace warpdex::vector
