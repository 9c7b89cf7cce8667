// The list cache's policy, without a GPU: a model that knows only the rules watches random traffic.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/query/gpu/list_space.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kUnit = ListSpace::kAlignment;

TEST(ListSpace, HoldsWhatFits) {
  ListSpace space({10 * kUnit});
  EXPECT_EQ(space.capacity(), 10 * kUnit);
  EXPECT_FALSE(space.pin(1));
  EXPECT_TRUE(space.insert(1, 4 * kUnit));
  EXPECT_TRUE(space.insert(2, 6 * kUnit - 1));
  EXPECT_EQ(space.pinned_bytes(), 10 * kUnit);
  EXPECT_FALSE(space.insert(3, 1)) << "all is pinned";
  space.unpin(1);
  EXPECT_TRUE(space.find(1).has_value()) << "only what is needed goes";
  EXPECT_TRUE(space.insert(3, 1));
  EXPECT_FALSE(space.find(1).has_value());
  EXPECT_TRUE(space.find(2).has_value());
  EXPECT_EQ(space.lists(), 2U);
}

TEST(ListSpace, AListLiesInOneSlab) {
  ListSpace space({4 * kUnit, 3 * kUnit + 17, 0});
  EXPECT_EQ(space.capacity(), 7 * kUnit);
  EXPECT_EQ(space.largest_slab(), 4 * kUnit);
  EXPECT_FALSE(space.insert(1, 5 * kUnit));
  EXPECT_TRUE(space.insert(1, 4 * kUnit));
  EXPECT_TRUE(space.insert(2, 3 * kUnit));
  EXPECT_NE(space.find(1)->slab, space.find(2)->slab);
  EXPECT_FALSE(ListSpace({}).insert(1, 1));
}

TEST(ListSpace, WhatIsUsedOftenStays) {
  ListSpace space({8 * kUnit});
  for (ListSpace::Id list = 0; list < 8; ++list) {
    ASSERT_TRUE(space.insert(list, kUnit));
    space.unpin(list);
  }
  for (int use = 0; use < 5; ++use) {
    ASSERT_TRUE(space.pin(3));
    space.unpin(3);
  }
  for (ListSpace::Id list = 100; list < 107; ++list) {
    ASSERT_TRUE(space.insert(list, kUnit));
    space.unpin(list);
  }
  EXPECT_TRUE(space.find(3).has_value());
  for (ListSpace::Id list = 200; list < 400; ++list) {
    ASSERT_TRUE(space.insert(list, kUnit));
    space.unpin(list);
  }
  EXPECT_FALSE(space.find(3).has_value()) << "old uses fade";
}

TEST(ListSpace, WhatIsWantedStaysBeforeWhatWasUsed) {
  ListSpace space({4 * kUnit});
  for (ListSpace::Id list = 0; list < 4; ++list) {
    ASSERT_TRUE(space.insert(list, kUnit));
    space.unpin(list);
  }
  space.want(2, 1);
  for (const ListSpace::Id list : {0U, 1U, 3U}) {
    ASSERT_TRUE(space.pin(list));
    space.unpin(list);
  }
  for (ListSpace::Id list = 10; list < 13; ++list) ASSERT_TRUE(space.insert(list, kUnit));
  EXPECT_TRUE(space.find(2).has_value());
  EXPECT_TRUE(space.insert(13, kUnit)) << "but makes room where there is no other";
  EXPECT_FALSE(space.find(2).has_value());
  space.want(2, -1);
}

/// Lists in the space and what the rules say of them.
class Model {
 public:
  explicit Model(std::vector<std::size_t> slabs) : slabs_(std::move(slabs)), space_(slabs_) {}

  void step(std::mt19937_64& random) {
    const auto list = static_cast<ListSpace::Id>(random() % 60);
    switch (random() % 4) {
      case 0: return insert(list, random);
      case 1: return pin(list);
      case 2: return unpin(list);
      default: break;
    }
    if (space_.find(list) && pins_[list] == 0 && random() % 8 == 0) space_.remove(list);
  }

  /// No list lies over another or leaves its slab, and what is pinned has not moved.
  void check() {
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> by_place;
    std::size_t pinned = 0;
    for (const auto& [list, bytes] : sizes_) {
      const auto place = space_.find(list);
      if (pins_[list] > 0) {
        ASSERT_TRUE(place.has_value());
        ASSERT_EQ(std::make_pair(place->slab, place->offset), places_[list]);
        pinned += (bytes + kUnit - 1) / kUnit * kUnit;
      }
      if (place) by_place[{place->slab, place->offset}] = bytes;
    }
    ASSERT_EQ(space_.pinned_bytes(), pinned);
    ASSERT_EQ(space_.lists(), by_place.size());
    std::pair<std::uint32_t, std::size_t> end{0, 0};
    for (const auto& [place, bytes] : by_place) {
      ASSERT_GE(place, end);
      ASSERT_EQ(place.second % kUnit, 0U);
      end = {place.first, place.second + bytes};
      ASSERT_LE(end.second, slabs_[place.first]);
    }
  }

  void unpin_all() {
    for (auto& [list, pins] : pins_) {
      for (; pins > 0; --pins) space_.unpin(list);
    }
  }

  ListSpace& space() { return space_; }

 private:
  void insert(ListSpace::Id list, std::mt19937_64& random) {
    if (space_.find(list)) return;
    const std::size_t bytes = 1 + random() % (random() % 4 == 0 ? 20 * kUnit : 3 * kUnit);
    if (!space_.insert(list, bytes)) return;
    sizes_[list] = bytes;
    pins_[list] = 1;
    places_[list] = {space_.find(list)->slab, space_.find(list)->offset};
  }

  void pin(ListSpace::Id list) {
    const bool was_in = space_.find(list).has_value();
    ASSERT_EQ(space_.pin(list), was_in);
    if (!was_in) return;
    ++pins_[list];
    places_[list] = {space_.find(list)->slab, space_.find(list)->offset};
  }

  void unpin(ListSpace::Id list) {
    if (pins_[list] == 0) return;
    space_.unpin(list);
    --pins_[list];
  }

  std::vector<std::size_t> slabs_;
  ListSpace space_;
  std::map<ListSpace::Id, std::size_t> sizes_;
  std::map<ListSpace::Id, int> pins_;
  std::map<ListSpace::Id, std::pair<std::uint32_t, std::size_t>> places_;
};

TEST(ListSpace, KeepsItsRulesUnderRandomTraffic) {
  std::mt19937_64 random = test::generator(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::size_t> slabs;
    for (std::uint64_t i = 0; i <= random() % 3; ++i) slabs.push_back(random() % (40 * kUnit));
    Model model(slabs);
    for (int step = 0; step < 2'000; ++step) {
      model.step(random);
      if (step % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(model.check());
      }
    }
    model.unpin_all();
    ASSERT_NO_FATAL_FAILURE(model.check());
    if (model.space().largest_slab() == 0) continue;
    ASSERT_TRUE(model.space().insert(1'000, model.space().largest_slab()))
        << "with nothing pinned, a list as large as a slab fits";
  }
}

/// Uses per insertion when 2,000 queries draw lists of Zipf's law, as the policy sees them.
TEST(ListSpace, ALogThatRepeatsItselfHitsMoreThanAScanWould) {
  std::mt19937_64 random = test::generator(8);
  std::vector<ListSpace::Id> log;
  for (int i = 0; i < 2'000; ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    log.push_back(static_cast<ListSpace::Id>(std::pow(1'000.0, u)) - 1);
  }
  ListSpace space({100 * 16 * kUnit});  // a tenth of the lists
  int hits = 0;
  for (int pass = 0; pass < 3; ++pass) {
    hits = 0;
    for (const ListSpace::Id list : log) {
      if (space.pin(list)) {
        ++hits;
      } else {
        ASSERT_TRUE(space.insert(list, 16 * kUnit));
      }
      space.unpin(list);
    }
  }
  EXPECT_GT(hits, 1'000);  // the hundred most frequent lists are two thirds of the log
}

}  // namespace
}  // namespace warpdex::gpu
