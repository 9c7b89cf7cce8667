// Tests of the metrics' names.
#include "warpdex/vector/metric.hpp"

#include <gmock/gmock.h>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

TEST(Metric, NamesComeBack) {
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    EXPECT_EQ(metric_from_name(metric_name(metric)), metric);
  }
}

TEST(Metric, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    metric_from_name("euclid");
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("l2, ip or cosine"));
  }
}

}  // namespace
}  // namespace warpdex::vector
