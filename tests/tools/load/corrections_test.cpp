// What becomes of predictions that are too long, in simulated loads.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "load/simulator.hpp"
#include "tests/support.hpp"

namespace warpdex::tools {
namespace {

/// A class of queries whose times on the CPU differ much, as those of text queries do, about the
/// GPU's. Predictions are right up to a factor for each processor.
std::vector<SimulatedQuery> unlike_queries(float cpu_factor, float gpu_factor) {
  std::mt19937_64 random = test::generator(848);
  std::lognormal_distribution<float> times(std::log(60.0F), 1);
  std::vector<SimulatedQuery> queries;
  for (int i = 0; i < 3'000; ++i) {
    const JobCost measured{times(random), 53, 3, true, 50};
    JobCost predicted = measured;
    predicted.cpu *= cpu_factor;
    predicted.gpu_alone *= gpu_factor;
    predicted.gpu_share *= gpu_factor;
    predicted.gpu_base *= gpu_factor;
    queries.push_back({predicted, measured});
  }
  return queries;
}

/// The mean latency of the second half of a load that leaves the machine mostly idle.
double late_mean(const std::vector<SimulatedQuery>& queries) {
  SimulatorSettings settings;
  settings.cpu_threads = 4;
  const auto arrivals = arrival_times(ArrivalKind::kPoisson, 1'000, 10, 21);
  const std::vector<LoadOutcome> outcomes = simulate_load(queries, arrivals, settings);
  double sum = 0;
  for (std::size_t i = outcomes.size() / 2; i < outcomes.size(); ++i) {
    sum += static_cast<double>(outcomes[i].latency);
  }
  return sum / static_cast<double>(outcomes.size() - outcomes.size() / 2);
}

// Some queries still go to that processor, and each run corrects the whole class.
TEST(Corrections, APredictionThatIsTooLongForOneProcessorIsCorrected) {
  const double right = late_mean(unlike_queries(1, 1));
  for (const float factor : {2.0F, 4.0F, 8.0F}) {
    EXPECT_LT(late_mean(unlike_queries(factor, 1)), 1.03 * right) << factor;
    EXPECT_LT(late_mean(unlike_queries(1, factor)), 1.03 * right) << factor;
  }
}

}  // namespace
}  // namespace warpdex::tools
