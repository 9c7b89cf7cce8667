// Lists with other docIDs, against the documents that the index was built of.
#include "rewrite/renumbered_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/storage/removed_rows.hpp"

namespace warpdex::rewrite {
namespace {

constexpr std::uint32_t kDocuments = 1'037;

class RenumberedIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random = test::generator(849);
    std::vector<Document> documents = test::random_documents(random, kDocuments, 300, 40);
    lists_ = test::invert(documents).lists;
    test::build_from_memory(std::move(documents), test::options_for(folder_ / "index"));
    index_.emplace(Index::open(folder_ / "index"));
    new_docids_.resize(kDocuments);
    std::iota(new_docids_.begin(), new_docids_.end(), 0U);
  }

  /// Reads all lists. They must be those of the documents, with these docIDs.
  void expect_lists(RenumberedIndex& source, const std::vector<std::uint32_t>& new_docids) const {
    for (const auto& [name, list] : lists_) {
      ASSERT_NE(source.next_name(), nullptr);
      ASSERT_EQ(*source.next_name(), name);
      std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
      for (const auto& [document, frequency] : list) {
        const std::uint32_t docid = new_docids[document];
        if (docid != RenumberedIndex::kGone) wanted.emplace_back(docid, frequency);
      }
      std::sort(wanted.begin(), wanted.end());
      Postings read{{7}, {8}};  // of another source
      source.read(source.take(), read);
      ASSERT_EQ(read.docids.size(), 1 + wanted.size());
      ASSERT_EQ(read.frequencies.size(), 1 + wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_EQ(std::pair(read.docids[1 + i], read.frequencies[1 + i]), wanted[i]) << name;
      }
    }
    EXPECT_EQ(source.next_name(), nullptr);
  }

  test::TemporaryFolder folder_;
  test::Lists lists_;
  std::optional<Index> index_;
  std::vector<std::uint32_t> new_docids_;
};

TEST_F(RenumberedIndexTest, DocumentsMayFollowThoseOfAnotherIndex) {
  RenumberedIndex source(*index_, {});
  source.set_first(5'000);
  for (std::uint32_t& docid : new_docids_) docid += 5'000;
  expect_lists(source, new_docids_);
}

TEST_F(RenumberedIndexTest, RemovedDocumentsAreLeftOut) {
  std::mt19937_64 random = test::generator(850);
  RemovedRowsBuilder removed(kDocuments, {});
  std::uint32_t left = 100;
  for (std::uint32_t document = 0; document < kDocuments; ++document) {
    const bool is_removed = random() % 3 == 0;
    if (is_removed) removed.add(document);
    new_docids_[document] = is_removed ? RenumberedIndex::kGone : left++;
  }
  RenumberedIndex source(*index_, RemovedRows(removed.words()));
  EXPECT_EQ(source.removed().words().size(), removed.words().size());
  source.set_new_docids(new_docids_, true);
  expect_lists(source, new_docids_);
}

TEST_F(RenumberedIndexTest, DocumentsMayComeInAnyOrder) {
  std::mt19937_64 random = test::generator(851);
  std::shuffle(new_docids_.begin(), new_docids_.end(), random);
  RenumberedIndex source(*index_, {});
  source.set_new_docids(new_docids_, false);
  expect_lists(source, new_docids_);
}

}  // namespace
}  // namespace warpdex::rewrite
