// Many builds of one target, and searches that open it while it is replaced.
#include <atomic>
#include <thread>

#include "tests/indexer/replacement_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using test::documents_of;
using test::entries;
using test::write_small_index;

TEST(RacesForAnIndex, OneBuildWinsAndTheOthersAreTold) {
  const test::TemporaryFolder folder(test::place_in_memory());
  std::atomic<int> built{0};
  std::atomic<int> told{0};
  std::vector<std::thread> builders;
  for (int thread = 0; thread < 8; ++thread) {
    builders.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        try {
          write_small_index(folder / "index", 1 + round % 7);
          ++built;
        } catch (const IoError& error) {
          EXPECT_THAT(error.what(), testing::HasSubstr("is being written by"));
          ++told;
        }
      }
    });
  }
  for (std::thread& builder : builders) builder.join();
  EXPECT_EQ(built + told, 800);
  EXPECT_GT(built, 8);
  EXPECT_TRUE(verify_index(folder / "index").ok());
  EXPECT_EQ(entries(folder.path()), 1U);
}

/// Opens the index all the time while `replace` is called, `rounds` times.
void expect_that_all_open(const fs::path& index, int rounds, const std::function<void()>& replace) {
  std::atomic<bool> is_done{false};
  std::atomic<int> opened{0};
  std::vector<std::thread> searches;
  for (int i = 0; i < 3; ++i) {
    searches.emplace_back([&] {
      while (!is_done) {
        try {
          const Index found = Index::open(index);
          const auto documents = static_cast<std::uint32_t>(found.counts().documents);
          EXPECT_EQ(found.lengths().size(), documents);
          EXPECT_EQ(found.document_name(documents - 1), "name-" + std::to_string(documents - 1));
          ++opened;
        } catch (const Error& error) {
          ADD_FAILURE() << error.what();
        }
      }
    });
  }
  for (int round = 0; round < rounds; ++round) replace();
  is_done = true;
  for (std::thread& search : searches) search.join();
  EXPECT_GT(opened, 1000);
}

TEST(RacesForAnIndex, EverySearchOpensOneOrTheOther) {
  const test::TemporaryFolder folder(test::place_in_memory());
  write_small_index(folder / "index", 33);
  int documents = 0;
  expect_that_all_open(folder / "index", 600, [&] {
    documents = documents % 50 + 1;
    write_small_index(folder / "index", documents);
  });
}

// As a build does where folders cannot be exchanged.
TEST(RacesForAnIndex, EverySearchWaitsWhileTheIndexIsAside) {
  const test::TemporaryFolder folder(test::place_in_memory());
  write_small_index(folder / "index", 33);
  const fs::path aside = folder / ".index.building-living-old";
  expect_that_all_open(folder / "index", 1500, [&] {
    fs::rename(folder / "index", aside);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    fs::rename(aside, folder / "index");
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  });
}

}  // namespace
}  // namespace warpdex
