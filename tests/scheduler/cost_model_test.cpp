// Cost models: fits find what samples were made of, stored models come back the same, and damaged
// ones are refused.
#include "warpdex/scheduler/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cost/model_fit.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/scheduler/calibration.hpp"

namespace warpdex {
namespace {

constexpr auto kSum = static_cast<std::size_t>(Feature::kSum);
constexpr auto kTerms = static_cast<std::size_t>(Feature::kTerms);

/// Samples whose sums spread over five powers of ten.
std::vector<Sample> random_samples(std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> power(1, 6);
  std::vector<Sample> samples(count);
  for (std::size_t i = 0; i < count; ++i) {
    samples[i].features[0] = 1;
    samples[i].features[kTerms] = static_cast<double>(1 + random() % 8);
    samples[i].features[kSum] = std::pow(10, power(random));
    samples[i].group = static_cast<std::uint32_t>(i);
  }
  return samples;
}

double noise(std::mt19937_64& random, double size) {
  return 1 + size * (static_cast<double>(random() % 2'001) / 1'000 - 1);
}

TEST(ModelFit, FindsTheWeightsOfALinearCost) {
  std::mt19937_64 random = test::generator(870);
  std::vector<Sample> samples = random_samples(random, 500);
  for (Sample& sample : samples) {
    sample.time = 5 + 2 * sample.features[kTerms] + 0.003 * sample.features[kSum];
  }
  const Features weights = fit_weights(samples);
  EXPECT_NEAR(weights[0], 5, 0.05);
  EXPECT_NEAR(weights[kTerms], 2, 0.02);
  EXPECT_NEAR(weights[kSum], 0.003, 3e-5);
  EXPECT_LT(cross_validate(samples, ModelKind::kLinear).mean, 0.01);
  for (Sample& sample : samples) sample.time *= noise(random, 0.2);
  const RelativeError error = cross_validate(samples, ModelKind::kLinear);
  EXPECT_NEAR(error.mean, 0.1, 0.03);  // the mean of the noise's size
  EXPECT_GT(error.p95, error.mean);
  EXPECT_EQ(error.samples, samples.size());
}

TEST(ModelFit, NoWorkIsPredictedToSaveTime) {
  std::mt19937_64 random = test::generator(871);
  std::vector<Sample> samples = random_samples(random, 300);
  for (Sample& sample : samples) {
    sample.time = 1'000 + 0.01 * sample.features[kSum] - 50 * sample.features[kTerms];
  }
  for (const double weight : fit_weights(samples)) EXPECT_GE(weight, 0);
}

TEST(ModelFit, ATreeFindsWhatALineCannot) {
  std::mt19937_64 random = test::generator(872);
  std::vector<Sample> samples = random_samples(random, 2'000);
  for (Sample& sample : samples) {
    const double sum = sample.features[kSum];
    sample.time = sum < 10'000 ? 10 + 0.05 * sum : 2'000 + 1e-4 * sum;
  }
  const RelativeError tree = cross_validate(samples, ModelKind::kTree);
  const RelativeError linear = cross_validate(samples, ModelKind::kLinear);
  EXPECT_LT(tree.mean, 0.1);
  EXPECT_LT(tree.mean, linear.mean / 3);
}

// Noise may look like a branch; the branches that are kept must not cost precision.
TEST(ModelFit, ATreeOfALinearCostIsAsGoodAsALine) {
  std::mt19937_64 random = test::generator(877);
  std::vector<Sample> samples = random_samples(random, 1'000);
  for (Sample& sample : samples) {
    sample.time = (5 + 0.003 * sample.features[kSum]) * noise(random, 0.1);
  }
  const RelativeError tree = cross_validate(samples, ModelKind::kTree);
  const RelativeError linear = cross_validate(samples, ModelKind::kLinear);
  EXPECT_LT(tree.mean, 1.1 * linear.mean);
}

TEST(ModelFit, AProductOfPowersIsFound) {
  std::mt19937_64 random = test::generator(873);
  std::vector<Sample> samples = random_samples(random, 1'000);
  for (Sample& sample : samples) {
    sample.time = 0.2 * std::sqrt(sample.features[kSum]) * (1 + sample.features[kTerms]);
  }
  const ModelTree::Node leaf = fit_product(samples);
  EXPECT_TRUE(leaf.is_product);
  EXPECT_NEAR(leaf.weights[kSum], 0.5, 0.03);
  EXPECT_NEAR(leaf.weights[kTerms], 1, 0.05);
  EXPECT_LT(cross_validate(samples, ModelKind::kTree).mean, 0.05);
  for (Sample& sample : samples) sample.time *= noise(random, 0.2);
  EXPECT_NEAR(cross_validate(samples, ModelKind::kTree).mean, 0.1, 0.05);
}

TEST(ModelFit, FewSamplesMakeALeafThatStaysNearThem) {
  std::mt19937_64 random = test::generator(876);
  std::vector<Sample> samples = random_samples(random, 30);
  for (Sample& sample : samples) sample.time = 7 * noise(random, 0.1);
  const ModelTree tree = fit_tree(samples);
  ASSERT_EQ(tree.nodes.size(), 1U);
  Features far{};
  far.fill(1e12);
  EXPECT_LT(tree.predict(far), 40);
  EXPECT_GT(tree.predict({}), 5);
  EXPECT_TRUE(fit_tree({}).empty());
}

TEST(ModelFit, BatchesHaveABase) {
  std::mt19937_64 random = test::generator(874);
  std::vector<Sample> batches;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Sample batch{.time = 60, .group = i};
    for (const Sample& one : random_samples(random, 16 + random() % 200)) {
      for (std::size_t f = 0; f < kFeatures; ++f) batch.features[f] += one.features[f];
      batch.time += 0.5 + 1e-5 * one.features[kSum];
    }
    batches.push_back(batch);
  }
  double base = 0;
  const Features weights = fit_weights(batches, &base);
  EXPECT_NEAR(base, 60, 3);
  EXPECT_NEAR(weights[kSum], 1e-5, 1e-6);
  EXPECT_LT(cross_validate_batches(batches).mean, 0.02);
}

/// A small index, queries over it, and measurements that follow a rule.
class CalibrationTest : public testing::Test {
 protected:
  void SetUp() override {
    test::CollectionMaker maker(random_, 3'000);
    test::write_index(maker.make(), {}, folder_ / "index");
    snapshot_.emplace(Snapshot::open(folder_ / "index"));
    for (int i = 0; i < 300; ++i) {
      SearchSettings settings;
      settings.mode = i % 2 == 0 ? QueryMode::kOr : QueryMode::kAnd;
      queries_.push_back({plan_query(*snapshot_, test::random_query(random_, maker.vocabulary(),
                                                                    1 + random_() % 5)),
                          settings});
      const auto sum = features_of(*snapshot_, queries_.back().plan, settings)[kSum];
      MeasuredCost& cost = measured_.queries.emplace_back();
      cost.cpu = static_cast<float>(4 + 0.01 * sum);
      cost.gpu_alone = 70;
      if (i % 6 > 1) continue;
      cost.cpu_idle = 0.6F * cost.cpu;  // of a third of the queries
      cost.gpu_idle = 84;
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
      MeasuredBatch batch;
      for (std::uint32_t j = 0; j < 16 + i % 3 * 16; ++j) {
        batch.queries.push_back(2 * static_cast<std::uint32_t>(random_() % 150) + i % 2);
      }
      batch.time = 50 + 2 * static_cast<double>(batch.queries.size());
      measured_.batches.push_back(std::move(batch));
    }
  }

  test::Random random_ = test::generator(875);
  test::TemporaryFolder folder_;
  std::optional<Snapshot> snapshot_;
  std::vector<PlannedSearch> queries_;
  CostMeasurements measured_;
};

TEST_F(CalibrationTest, PredictsWhatWasMeasured) {
  const Calibration calibration = calibrate(*snapshot_, queries_, measured_, {});
  EXPECT_EQ(calibration.errors.size(), 2U * (2 + 2 + 3));
  for (const PredictionError& error : calibration.errors) {
    if (error.model == "tree") continue;  // products follow costs that are linear only nearly
    EXPECT_LT(error.mean, 0.05) << error.query_class << ' ' << error.what;
  }
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const Features features = features_of(*snapshot_, queries_[i].plan, queries_[i].settings);
    const JobCost cost = calibration.model.predict(query_class(queries_[i].settings), features);
    if (features[kTerms] == 0) {
      EXPECT_EQ(cost.cpu, 0.5F);
      continue;
    }
    EXPECT_NEAR(cost.cpu, measured_.queries[i].cpu, 0.1F * measured_.queries[i].cpu);
    EXPECT_NEAR(cost.cpu_at(1), cost.cpu, 1e-3);
    EXPECT_NEAR(cost.cpu_at(0), 0.6F * cost.cpu, 1e-3F * cost.cpu);
    EXPECT_NEAR(cost.gpu_alone, 84, 6);
    EXPECT_NEAR(cost.gpu_share, 2, 0.4);
    EXPECT_NEAR(cost.gpu_base, 50, 10);
  }
}

// A machine that is held up while it should be idle must not make predictions far too long.
TEST_F(CalibrationTest, TimesOfAnIdleMachineAreBelievedUpToAFactor) {
  for (MeasuredCost& cost : measured_.queries) {
    if (cost.cpu_idle == 0) continue;
    cost.cpu_idle = 3 * cost.cpu;
    cost.gpu_idle = 6 * cost.gpu_alone;
  }
  const CostModel model = calibrate(*snapshot_, queries_, measured_, {}).model;
  for (const PlannedSearch& query : queries_) {
    const ClassModels& models = model.models(query_class(query.settings));
    EXPECT_EQ(models.cpu_idle, 1.5);
    EXPECT_EQ(models.gpu_idle, 1.5);
  }
}

TEST_F(CalibrationTest, AStoredModelComesBack) {
  const CostModel model = calibrate(*snapshot_, queries_, measured_, {}).model;
  const std::string json = cost_model_to_json(model, *snapshot_);
  const CostModel read = cost_model_from_json(json, "costs");
  EXPECT_EQ(cost_model_to_json(read, *snapshot_), json);
  const std::filesystem::path file = cost_file_of(folder_ / "index");
  EXPECT_EQ(file, folder_ / "index.costs.json");
  EXPECT_EQ(cost_file_of(folder_.path().string() + "/index/"), file);
  EXPECT_EQ(cost_model_to_json(load_cost_model(*snapshot_), *snapshot_),
            cost_model_to_json(CostModel{}, *snapshot_));  // there is none
  test::write_file(file, json);
  EXPECT_EQ(cost_model_to_json(load_cost_model(*snapshot_), *snapshot_), json);
  test::CollectionMaker maker(random_, 50);
  test::write_index(maker.make(), {}, folder_ / "other");
  const Snapshot other = Snapshot::open(folder_ / "other");
  test::write_file(cost_file_of(other.folder()), json);  // of an index that was replaced
  EXPECT_EQ(cost_model_to_json(load_cost_model(other), other),
            cost_model_to_json(CostModel{}, other));
}

TEST_F(CalibrationTest, DamagedModelsAreRefused) {
  const std::string json =
      cost_model_to_json(calibrate(*snapshot_, queries_, measured_, {}).model, *snapshot_);
  EXPECT_THROW(cost_model_from_json("", "costs"), FormatError);
  EXPECT_THROW(cost_model_from_json("[]", "costs"), FormatError);
  EXPECT_THROW(cost_model_from_json("[1.2345678901234567e-335]", "costs"), FormatError);
  for (int i = 0; i < 2'000; ++i) {
    std::string damaged = json;
    damaged.resize(damaged.size() - random_() % 3);
    damaged[random_() % damaged.size()] = "0123456789{}[]\"a,:-"[random_() % 19];
    try {
      const CostModel model = cost_model_from_json(damaged, "costs");
      Features features{};
      features.fill(1e3);
      for (std::size_t c = 0; c < kQueryClasses; ++c) {
        EXPECT_GT(model.predict(c, features).cpu, 0);
      }
    } catch (const FormatError&) {
    }
  }
}

TEST_F(CalibrationTest, MeasuresEveryQueryAndBatch) {
  const std::vector<PlannedSearch> few(queries_.begin(), queries_.begin() + 12);
  CpuEngine engine(*snapshot_, {.threads = 1});
  MeasureSettings settings;
  settings.cpu_threads = 1;
  settings.batch_sizes = {3, 5};
  settings.batches = 4;
  settings.idle_queries = 2;
  const CostMeasurements measured = measure_costs(*snapshot_, &engine, few, settings);
  ASSERT_EQ(measured.queries.size(), few.size());
  std::size_t idle = 0;
  for (const MeasuredCost& cost : measured.queries) {
    idle += cost.cpu_idle > 0 && cost.gpu_idle > 0 ? 1 : 0;
    EXPECT_GT(cost.cpu, 0);
    EXPECT_GE(cost.cpu_mean, cost.cpu / 3);  // one of three times is no less than the median
    EXPECT_GT(cost.gpu_alone, 0);
  }
  EXPECT_EQ(measured.batches.size(), 2U * 2U * 4U);
  for (const MeasuredBatch& batch : measured.batches) {
    EXPECT_GT(batch.time, 0);
    for (const std::uint32_t query : batch.queries) {
      EXPECT_EQ(query % 2, batch.queries[0] % 2);  // one class
    }
  }
  EXPECT_EQ(idle, 2U * 2U);  // two of each class
  EXPECT_TRUE(measure_costs(*snapshot_, nullptr, few, settings).batches.empty());
}

TEST(Features, LogarithmsAreThoseOfTheLibrary) {
  std::mt19937_64 random = test::generator(876);
  std::uniform_real_distribution<double> power(-8, 15);
  Features features{};
  features[0] = 1;
  for (int round = 0; round < 10'000; ++round) {
    for (std::size_t i = 1; i < kFeatures; ++i) {
      features[i] = std::pow(10, power(random));
    }
    if (round < 4) features.fill(round == 0 ? 0 : std::ldexp(1.0, round * 20) - 1);
    const Features logs = logs_of(features);
    EXPECT_EQ(logs[0], features[0]);
    for (std::size_t i = 1; i < kFeatures; ++i) {
      const double expected = std::log1p(features[i]);
      ASSERT_NEAR(logs[i], expected, 1e-6 * std::max(1.0, expected)) << features[i];
    }
  }
}

TEST(Features, OfAQueryAreItsLists) {
  reference::Collection collection;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string_view> terms{"all"};
    if (i % 2 == 0) terms.push_back("half");
    if (i % 20 == 0) terms.push_back("few");
    collection.add_document(terms);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Snapshot index = Snapshot::open(folder / "index");
  const PlannedQuery plan = plan_query(index, {"", {{"all"}, {"few"}, {"half"}}});
  SearchSettings settings;
  settings.k = 100;
  // The list of "half" alone; that of "few" is too short to be one of the GPU's.
  const auto has_list = [&](std::size_t segment, const PostingsEntry& list) {
    EXPECT_EQ(segment, 0U);
    EXPECT_GE(list.document_frequency, 128U);
    return list.document_frequency == 200;
  };
  const Features features = features_of(index, plan, settings, has_list);
  const auto value = [&](Feature feature) { return features[static_cast<std::size_t>(feature)]; };
  EXPECT_EQ(value(Feature::kConstant), 1);
  EXPECT_EQ(value(Feature::kTerms), 3);
  EXPECT_EQ(value(Feature::kShortest), 20);
  EXPECT_EQ(value(Feature::kSecondShortest), 200);
  EXPECT_EQ(value(Feature::kSum), 620);
  EXPECT_EQ(value(Feature::kProbes), 40);
  EXPECT_EQ(value(Feature::kBlocks), 1 + 2 + 4);
  EXPECT_EQ(value(Feature::kRootOfK), 10);
  EXPECT_EQ(value(Feature::kKTerms), 300);
  EXPECT_EQ(value(Feature::kLongest), 400);
  EXPECT_EQ(value(Feature::kK), 100);
  EXPECT_EQ(value(Feature::kMatches), 10);        // half of 20
  EXPECT_EQ(value(Feature::kFirstMatches), 20);   // there are not 100
  EXPECT_EQ(value(Feature::kEssentialLists), 2);  // "all" scores little
  EXPECT_EQ(value(Feature::kLongestEssential), 200);
  EXPECT_NEAR(value(Feature::kCandidates), 210, 1e-9);  // all but 0.95 * 0.5 of them
  EXPECT_NEAR(value(Feature::kTouchedBlocks), 7, 1e-6);
  EXPECT_EQ(value(Feature::kShortestOther), 400);
  EXPECT_GT(value(Feature::kProbedBlocks), 1 + 1 + 3);
  EXPECT_LT(value(Feature::kProbedBlocks), 7);
  const PostingsEntry& missing = plan.terms[2].entry;
  EXPECT_EQ(missing.document_frequency, 400U);
  EXPECT_EQ(value(Feature::kMissingBytes),
            static_cast<double>(missing.docid_bytes) + missing.frequency_bytes);
  EXPECT_EQ(features_of(index, plan, settings)[static_cast<std::size_t>(Feature::kMissingBytes)],
            0);
  PlannedQuery unknown = plan;
  unknown.misses_unsigned = true;
  settings.mode = QueryMode::kAnd;
  EXPECT_EQ(features_of(index, unknown, settings)[kTerms], 0);  // it can match nothing
  settings.mode = QueryMode::kOr;
  EXPECT_EQ(features_of(index, unknown, settings)[kTerms], 3);
  const Features none = features_of(index, {}, settings);
  EXPECT_EQ(none[kSum], 0);
  EXPECT_EQ(CostModel{}.predict(query_class(settings), none).gpu_can, false);
}

TEST(RoughCosts, FollowTheGpusSize) {
  DeviceInfo small;
  small.multiprocessors = 33;
  Features features{};
  features[static_cast<std::size_t>(Feature::kTerms)] = 3;
  features[static_cast<std::size_t>(Feature::kSum)] = 1e8;
  for (std::size_t i = 0; i < kQueryClasses; ++i) {
    const JobCost usual = CostModel().predict(i, features);
    const JobCost slow = CostModel(gpu_speed(small)).predict(i, features);
    EXPECT_GT(slow.gpu_share, 3.5F * usual.gpu_share);
    EXPECT_LT(slow.gpu_share, 4.5F * usual.gpu_share);
    EXPECT_EQ(slow.cpu, usual.cpu);
  }
}

}  // namespace
}  // namespace warpdex
