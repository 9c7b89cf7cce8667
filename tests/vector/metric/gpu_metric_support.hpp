// What tests of the permutation index on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/metric/gpu_permutation_searcher.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

using Strings = std::vector<std::string>;

class GpuMetric : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

/// What there is in the GPU's memory for all tests.
inline Resources& gpu_resources() {
  static Resources shared;
  return shared;
}

/// Texts of up to `length` letters of the alphabet.
inline Strings draw_texts(std::mt19937_64& random, std::size_t count, std::size_t length,
                          const Strings& alphabet) {
  Strings texts(count);
  for (std::string& text : texts) {
    for (std::size_t i = random() % (length + 1); i > 0; --i) {
      text += alphabet[random() % alphabet.size()];
    }
  }
  return texts;
}

inline QueryObjects as_queries(const Strings& texts) { return {{texts.begin(), texts.end()}, {}}; }

inline void expect_same(const Matches& found, const Matches& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t q = 0; q < found.size(); ++q) {
    ASSERT_EQ(found[q].size(), expected[q].size()) << what << ", query " << q;
    for (std::size_t i = 0; i < found[q].size(); ++i) {
      ASSERT_EQ(found[q][i].object, expected[q][i].object)
          << what << ", query " << q << ", place " << i;
      ASSERT_EQ(found[q][i].distance, expected[q][i].distance)
          << what << ", query " << q << ", place " << i;
    }
  }
}

/// Objects with permutants and ranks, searched on both sides.
class BothSides {
 public:
  BothSides(const Objects& objects, std::size_t permutants, std::size_t memory = 0)
      : objects_(objects),
        space_(make_space(objects_.view())),
        permutants_(choose_permutants(*space_, {.permutants = permutants})),
        ranks_(rank_permutants(*space_, permutants_)),
        cpu_(*space_, permutants_, permutations()),
        gpu_(objects_.view(), permutants_, permutations(), gpu_resources(), {.memory = memory}) {}

  const GpuPermutationSearcher& gpu() const { return gpu_; }

  void expect_nearest(const QueryObjects& queries, std::size_t k,
                      const MetricSearchSettings& settings, const std::string& what) const {
    expect_same(gpu_.nearest(queries, k, settings),
                cpu_.nearest(queries.size(objects_.view().settings), prepare(queries), k, settings),
                what + ", k " + std::to_string(k));
  }
  void expect_within(const QueryObjects& queries, float radius,
                     const MetricSearchSettings& settings, const std::string& what) const {
    expect_same(
        gpu_.within(queries, radius, settings),
        cpu_.within(queries.size(objects_.view().settings), prepare(queries), radius, settings),
        what + ", radius " + std::to_string(radius));
  }

 private:
  Permutations permutations() const {
    return {objects_.view().objects, permutants_.size(), ranks_.data()};
  }
  PrepareQuery prepare(const QueryObjects& queries) const {
    return [this, &queries](std::size_t q) {
      const std::size_t dimension = objects_.view().settings.dimension;
      return queries.texts.empty()
                 ? space_->from_vector(queries.vectors.subspan(q * dimension, dimension))
                 : space_->from_text(queries.texts[q]);
    };
  }

  const Objects& objects_;
  std::unique_ptr<ObjectSpace> space_;
  std::vector<std::uint32_t> permutants_;
  std::vector<std::uint8_t> ranks_;
  PermutationSearcher cpu_;
  GpuPermutationSearcher gpu_;
};

}  // namespace warpdex::metric
