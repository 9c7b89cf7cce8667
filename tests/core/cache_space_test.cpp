// The policy of a cache's space, without a GPU: a model that knows only the rules watches random
// traffic.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/cache/cache_space.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kUnit = CacheSpace::kAlignment;
using Lists = std::vector<CacheSpace::Id>;

bool any_can_go(CacheSpace::Id) { return true; }

void use(CacheSpace& space, CacheSpace::Id list, int times) {
  for (int i = 0; i < times; ++i) space.use(list);
}

TEST(CacheSpace, HoldsWhatFits) {
  CacheSpace space({10 * kUnit});
  EXPECT_EQ(space.capacity(), 10 * kUnit);
  EXPECT_FALSE(space.find(1).has_value());
  EXPECT_TRUE(space.insert(1, 4 * kUnit));
  EXPECT_TRUE(space.insert(2, 6 * kUnit - 1));
  EXPECT_FALSE(space.insert(3, 1));
  EXPECT_TRUE(space.find(1).has_value());
  EXPECT_EQ(space.items(), 2U);
  space.remove(1);
  EXPECT_FALSE(space.find(1).has_value());
  EXPECT_TRUE(space.insert(3, 0)) << "a list of no bytes has a place, too";
  EXPECT_EQ(space.items(), 2U);
}

TEST(CacheSpace, AListLiesInOneSlab) {
  CacheSpace space({4 * kUnit, 3 * kUnit + 17, 0});
  EXPECT_EQ(space.capacity(), 7 * kUnit);
  EXPECT_EQ(space.largest_slab(), 4 * kUnit);
  Lists evicted;
  use(space, 1, 100);
  EXPECT_FALSE(space.insert(1, 5 * kUnit));
  EXPECT_FALSE(space.insert_by_evicting(1, 5 * kUnit, any_can_go, evicted));
  EXPECT_TRUE(space.insert(1, 4 * kUnit));
  EXPECT_TRUE(space.insert(2, 3 * kUnit));
  EXPECT_NE(space.find(1)->slab, space.find(2)->slab);
  EXPECT_FALSE(CacheSpace({}).insert(1, 1));
  EXPECT_FALSE(CacheSpace({}).insert_by_evicting(1, 1, any_can_go, evicted));
  EXPECT_TRUE(evicted.empty());
}

TEST(CacheSpace, OnlyWhatIsWorthFarMorePushesOut) {
  CacheSpace space({4 * kUnit});
  ASSERT_TRUE(space.insert(1, 4 * kUnit));
  use(space, 1, 4);  // one a unit
  Lists evicted;
  use(space, 2, 2);
  EXPECT_FALSE(space.insert_by_evicting(2, kUnit, any_can_go, evicted))
      << "twice as much does not do";
  use(space, 2, 1);
  EXPECT_FALSE(space.insert_by_evicting(
      2, kUnit, [](CacheSpace::Id) { return false; }, evicted));
  EXPECT_TRUE(space.insert_by_evicting(2, kUnit, any_can_go, evicted));
  EXPECT_EQ(evicted, Lists{1});
  EXPECT_FALSE(space.find(1).has_value());
  EXPECT_EQ(space.heat(1), 4) << "it is remembered";
  EXPECT_FALSE(space.insert_by_evicting(1, 4 * kUnit, any_can_go, evicted));
  EXPECT_TRUE(space.insert(3, 3 * kUnit)) << "what is left of its place is free";
}

TEST(CacheSpace, TheWindowThatLosesLeastGoes) {
  CacheSpace space({8 * kUnit});
  for (CacheSpace::Id list = 0; list < 8; ++list) {
    ASSERT_TRUE(space.insert(list, kUnit));
    use(space, list, list == 4 || list == 5 ? 1 : 2);
  }
  Lists evicted;
  use(space, 100, 20);
  ASSERT_TRUE(space.insert_by_evicting(100, 2 * kUnit, any_can_go, evicted));
  EXPECT_EQ(evicted, (Lists{4, 5}));
  evicted.clear();
  use(space, 101, 20);
  ASSERT_TRUE(space.insert_by_evicting(
      101, 2 * kUnit, [](CacheSpace::Id list) { return list != 1 && list != 3; }, evicted));
  EXPECT_EQ(evicted, (Lists{6, 7}));
}

TEST(CacheSpace, OldUsesFade) {
  CacheSpace space({kUnit});
  ASSERT_TRUE(space.insert(1, kUnit));
  use(space, 1, 100);
  use(space, 2, 1);
  for (std::uint64_t i = 0; i < CacheSpace::kHalfLife - 101; ++i) space.use(3);
  EXPECT_EQ(space.heat(1), 50);
  for (int i = 0; i < 7; ++i) {
    for (std::uint64_t use = 0; use < CacheSpace::kHalfLife; ++use) space.use(3);
  }
  EXPECT_LT(space.heat(1), 1);
  EXPECT_GT(space.heat(1), 0);
  EXPECT_EQ(space.heat(2), 0) << "what is not in and cold is forgotten";
  Lists evicted;
  use(space, 4, 1);
  EXPECT_TRUE(space.insert_by_evicting(4, kUnit, any_can_go, evicted));
}

/// Lists in the space and what the rules say of them.
class Model {
 public:
  explicit Model(std::vector<std::size_t> slabs) : slabs_(std::move(slabs)), space_(slabs_) {}

  void step(std::mt19937_64& random) {
    const auto list = static_cast<CacheSpace::Id>(random() % 60);
    switch (random() % 8) {
      case 0: return insert(list, random);
      case 1: return insert_by_evicting(list, random);
      case 2: return remove(list);
      default: break;
    }
    space_.use(list);
    heats_[list] += 1;
    ASSERT_EQ(space_.heat(list), heats_[list]);
  }

  /// No list lies over another or leaves its slab, and none has moved.
  void check() {
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> by_place;
    for (CacheSpace::Id list = 0; list < 60; ++list) {
      const auto place = space_.find(list);
      ASSERT_EQ(place.has_value(), in_.count(list) == 1);
      if (!place) continue;
      ASSERT_EQ(std::make_pair(place->slab, place->offset), in_[list].place);
      by_place[in_[list].place] = in_[list].bytes;
    }
    ASSERT_EQ(space_.items(), in_.size());
    std::pair<std::uint32_t, std::size_t> end{0, 0};
    for (const auto& [place, bytes] : by_place) {
      ASSERT_GE(place, end);
      ASSERT_EQ(place.second % kUnit, 0U);
      end = {place.first, place.second + bytes};
      ASSERT_LE(end.second, slabs_[place.first]);
    }
  }

  CacheSpace& space() { return space_; }

 private:
  struct In {
    std::size_t bytes;
    std::pair<std::uint32_t, std::size_t> place;
  };

  static std::size_t draw_bytes(std::mt19937_64& random) {
    return 1 + random() % (random() % 4 == 0 ? 20 * kUnit : 3 * kUnit);
  }
  static double units(std::size_t bytes) {
    return static_cast<double>((bytes + kUnit - 1) / kUnit);
  }

  void note(CacheSpace::Id list, std::size_t bytes) {
    const CacheSpace::Place place = space_.find(list).value();
    in_[list] = {bytes, {place.slab, place.offset}};
  }

  void insert(CacheSpace::Id list, std::mt19937_64& random) {
    const std::size_t bytes = draw_bytes(random);
    if (in_.count(list) == 0 && space_.insert(list, bytes)) note(list, bytes);
  }

  void insert_by_evicting(CacheSpace::Id list, std::mt19937_64& random) {
    if (in_.count(list) == 1) return;
    const std::size_t bytes = draw_bytes(random);
    const auto stays = static_cast<CacheSpace::Id>(2 + random() % 5);
    Lists evicted;
    const bool is_in = space_.insert_by_evicting(
        list, bytes, [&](CacheSpace::Id other) { return other % stays != 0; }, evicted);
    ASSERT_TRUE(is_in || evicted.empty());
    for (const CacheSpace::Id other : evicted) {
      ASSERT_NE(other % stays, 0U);
      ASSERT_EQ(in_.count(other), 1U);
      ASSERT_GT(heats_[list] / units(bytes), 2 * heats_[other] / units(in_[other].bytes));
      in_.erase(other);
    }
    if (is_in) note(list, bytes);
  }

  void remove(CacheSpace::Id list) {
    if (in_.erase(list) == 1) space_.remove(list);
  }

  std::vector<std::size_t> slabs_;
  CacheSpace space_;
  std::map<CacheSpace::Id, In> in_;
  std::map<CacheSpace::Id, double> heats_;
};

TEST(CacheSpace, KeepsItsRulesUnderRandomTraffic) {
  std::mt19937_64 random = test::generator(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::size_t> slabs;
    for (std::uint64_t i = 0; i <= random() % 3; ++i) slabs.push_back(random() % (40 * kUnit));
    Model model(slabs);
    for (int step = 0; step < 4'000; ++step) {
      ASSERT_NO_FATAL_FAILURE(model.step(random));
      if (step % 16 == 0) {
        ASSERT_NO_FATAL_FAILURE(model.check());
      }
    }
    ASSERT_NO_FATAL_FAILURE(model.check());
    if (model.space().largest_slab() == 0) continue;
    Lists evicted;
    use(model.space(), 1'000, 1'000'000 / 16);
    ASSERT_TRUE(
        model.space().insert_by_evicting(1'000, model.space().largest_slab(), any_can_go, evicted))
        << "what is hot enough gets a whole slab";
  }
}

/// A log over lists of Zipf's law and of many sizes, query by query and over and over.
class RepeatedLog {
 public:
  RepeatedLog(std::size_t lists, std::size_t queries, std::mt19937_64& random) {
    for (std::size_t i = 0; i < lists; ++i) {
      sizes_.push_back(kUnit + random() % (std::size_t{1} << (8 + random() % 12)));
      bytes_ += sizes_.back();
    }
    for (std::size_t i = 0; i < queries; ++i) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      log_.push_back(static_cast<CacheSpace::Id>(std::pow(static_cast<double>(lists), u)) - 1);
    }
  }

  std::size_t bytes() const { return bytes_; }

  struct Pass {
    std::size_t hits = 0;
    std::size_t moves = 0;
  };
  Pass run(CacheSpace& space) const {
    Pass pass;
    Lists evicted;
    for (const CacheSpace::Id list : log_) {
      space.use(list);
      if (space.find(list)) {
        ++pass.hits;
      } else if (space.insert(list, sizes_[list]) ||
                 space.insert_by_evicting(list, sizes_[list], any_can_go, evicted)) {
        ++pass.moves;
      }
    }
    return pass;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<CacheSpace::Id> log_;
  std::size_t bytes_ = 0;
};

TEST(CacheSpace, InALogThatIsRepeatedNothingMovesInTheEnd) {
  std::mt19937_64 random = test::generator(8);
  for (const std::size_t lists : {30, 300, 3'000}) {
    const RepeatedLog log(lists, 2'000, random);
    CacheSpace space({log.bytes() / 3});
    RepeatedLog::Pass pass;
    for (int i = 0; i < 40; ++i) pass = log.run(space);
    EXPECT_EQ(pass.moves, 0U) << lists << " lists";
    EXPECT_GT(pass.hits, 1'000U) << lists << " lists";
  }
}

}  // namespace
}  // namespace warpdex
