// Changes go to a journal and back, and what is damaged in it is told from what was cut off.
#include "warpdex/indexer/living/change_journal.hpp"

#include <gmock/gmock.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr JournalBase kFollowed{7, 0x1234};

/// A change as a test compares it; of a removal, the id alone.
struct Change {
  bool is_put = false;
  Document document;
};

bool operator==(const Change& a, const Change& b) {
  const Document& x = a.document;
  const Document& y = b.document;
  return a.is_put == b.is_put && x.id == y.id && x.text == y.text && x.vector == y.vector &&
         x.stored == y.stored && x.embedding == y.embedding && x.embeddings == y.embeddings;
}

using Changes = std::vector<Change>;

std::string random_bytes(std::mt19937_64& random) {
  std::string text(random() % 40, ' ');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

Change random_change(std::mt19937_64& random) {
  Change change{random() % 3 != 0, {"d" + std::to_string(random() % 100)}};
  if (!change.is_put) return change;
  change.document.text = random_bytes(random);
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    auto& value = change.document.stored.emplace_back();
    if (random() % 2 == 0) value = random_bytes(random);
  }
  change.document.embedding.resize(random() % 4, 0.5F);
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    change.document.embeddings.emplace_back(random() % 4, 0.25F);
  }
  for (std::uint64_t left = random() % 3; left > 0; --left) {
    change.document.vector.push_back({random_bytes(random), static_cast<float>(random() % 9)});
  }
  return change;
}

void append_change(const Change& change, ChangeJournal& to) {
  if (change.is_put) {
    to.put(change.document);
  } else {
    to.remove(change.document.id);
  }
}

ChangeVisitor visitor_of_all(Changes& changes) {
  return {[&](Document&& document) {
            changes.push_back({true, std::move(document)});
          },
          [&](std::string_view id) {
            changes.push_back({false, {std::string(id)}});
          }};
}

Changes changes_in(const std::string& bytes, const JournalBase& base = kFollowed) {
  Changes changes;
  read_changes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "x", base,
               visitor_of_all(changes));
  return changes;
}

Changes first_changes(const Changes& changes, std::size_t count) {
  return {changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(count)};
}

class ChangeJournalTest : public testing::Test {
 protected:
  /// Makes changes and syncs them in three parts.
  void write_three_parts() {
    ChangeJournal journal(folder_.path(), kFollowed);
    for (int part = 0; part < 3; ++part) {
      for (std::uint64_t left = 1 + random_() % 4; left > 0; --left) {
        changes_.push_back(random_change(random_));
        append_change(changes_.back(), journal);
      }
      journal.sync();
      counts_.push_back(changes_.size());
      ends_.push_back(fs::file_size(file_));
    }
    bytes_ = test::read_file(file_);
  }

  std::mt19937_64 random_ = test::generator(31);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path file_ = folder_ / "journal";
  Changes changes_;
  std::vector<std::size_t> counts_;   ///< of changes, after each part
  std::vector<std::uintmax_t> ends_;  ///< of each part in the file
  std::string bytes_;
};

TEST_F(ChangeJournalTest, ChangesComeBackInOrder) {
  for (int round = 0; round < 30; ++round) {
    ChangeJournal journal(folder_.path(), kFollowed);
    for (int i = 0; i < 10; ++i) {
      changes_.push_back(random_change(random_));
      append_change(changes_.back(), journal);
      if (random_() % 4 == 0) journal.sync();
    }
    Changes found;
    journal.for_each(visitor_of_all(found));
    ASSERT_EQ(found, changes_);
    if (round % 3 == 0) {
      changes_ = fs::exists(file_) ? changes_in(test::read_file(file_)) : Changes();  // not synced
      continue;
    }
    journal.sync();
    EXPECT_EQ(journal.waiting(), 0U);
    ASSERT_EQ(changes_in(test::read_file(file_)), changes_);
  }
}

TEST_F(ChangeJournalTest, MakesNoFileBeforeAChangeIsSynced) {
  ChangeJournal journal(folder_.path(), kFollowed);
  journal.sync();
  journal.remove("d");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  journal.sync();
  EXPECT_TRUE(fs::exists(file_));
}

TEST_F(ChangeJournalTest, WhatWasCutOffIsTheEnd) {
  write_three_parts();
  for (std::size_t size = 64; size <= bytes_.size(); ++size) {
    const Changes found = changes_in(bytes_.substr(0, size));
    ASSERT_EQ(found, first_changes(changes_, found.size()));
    for (std::size_t part = 0; part < 3; ++part) {
      ASSERT_TRUE(size < ends_[part] || found.size() >= counts_[part]);
    }
  }
  EXPECT_THROW(changes_in(bytes_.substr(0, 63)), FormatError);
  EXPECT_THROW(changes_in(""), FormatError);
}

TEST_F(ChangeJournalTest, WhatWasSyncedAndIsDamagedIsRefused) {
  write_three_parts();
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random_() % 8));
    if (at < ends_[1]) {
      ASSERT_THROW(changes_in(damaged), FormatError) << "byte " << at;
      continue;
    }
    // What the last sync() wrote may not have come to its end.
    const Changes found = changes_in(damaged);
    ASSERT_GE(found.size(), counts_[1]);
    ASSERT_EQ(found, first_changes(changes_, found.size()));
  }
}

TEST_F(ChangeJournalTest, GoesOnBehindWhatWasCutOff) {
  write_three_parts();
  for (std::size_t size = ends_[1]; size <= bytes_.size(); ++size) {
    test::write_file(file_, bytes_.substr(0, size));
    Changes expected = changes_in(bytes_.substr(0, size));
    const Change more = random_change(random_);
    ChangeJournal journal(folder_.path(), kFollowed);
    append_change(more, journal);
    journal.sync();
    expected.push_back(more);
    ASSERT_EQ(changes_in(test::read_file(file_)), expected) << size;
  }
}

TEST_F(ChangeJournalTest, RecordsInATextAreNoRecords) {
  ChangeJournal journal(folder_.path(), kFollowed);
  journal.remove("first");
  journal.sync();
  journal.remove("second");
  journal.sync();
  // The copy of a journal, cut off in its last record: what was cut off was never synced.
  journal.put({"copy", test::read_file(file_)});
  journal.sync();
  const std::string bytes = test::read_file(file_);
  for (std::size_t cut = 1; cut < 100; ++cut) {
    EXPECT_EQ(changes_in(bytes.substr(0, bytes.size() - cut)).size(), 2U);
  }
}

TEST_F(ChangeJournalTest, FollowsOneCommitOnly) {
  write_three_parts();
  EXPECT_THROW(changes_in(bytes_, {8, 0x1234}), FormatError);
  EXPECT_THROW(changes_in(bytes_, {7, 0x1235}), FormatError);
  EXPECT_THROW(ChangeJournal(folder_.path(), {8, 0x1234}), FormatError);
}

TEST_F(ChangeJournalTest, ALaterVersionIsNoDamage) {
  write_three_parts();
  bytes_[8] = 2;
  EXPECT_THROW(changes_in(bytes_), VersionError);
}

TEST_F(ChangeJournalTest, AFileThatWasTakenAwayIsNoPlaceForChanges) {
  ChangeJournal journal(folder_.path(), kFollowed);
  journal.remove("first");
  journal.sync();
  fs::remove(file_);
  journal.remove("second");
  EXPECT_THROW(journal.sync(), IoError);
}

}  // namespace
}  // namespace warpdex
