// Commits of a stored folder: segments are kept without copies, new ones and removals come beside
// them, and a commit that dies leaves the state before it or after it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/packed_file.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/segment_files.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/core/storage/target.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t kRows = 100;

std::string to_json(const StoredSegments& stored) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_member(writer, "format", std::string("warpdex"));
  write_segments(writer, stored);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

StoredSegments read_stored(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.size());
  check_manifest_checksum(text);
  const rapidjson::Document document = parse_manifest(text);
  return read_stored_segments(ManifestObject(document));
}

/// What a reader finds: for each segment its number and its removed rows. Checks all bytes.
struct Found {
  std::uint64_t commit = 0;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> removed;
};

Found read_all(const fs::path& target) {
  return open_stored(target, [](const Folder& folder) {
    const StoredSegments stored = read_stored(folder);
    Found found{stored.commit, {}, {}};
    for (const SegmentInfo& segment : stored.segments) {
      const SegmentView view(folder, segment);
      for (const SectionView& section : view.sections()) EXPECT_TRUE(section.intact());
      EXPECT_EQ(view.section("number").as<std::uint64_t>(1)[0], segment.number);
      EXPECT_EQ(count_named(segment.counts, "rows"), kRows);
      found.numbers.push_back(segment.number);
      found.removed.push_back(count_removed(view.removed_rows(kRows).words()));
    }
    return found;
  });
}

/// A writer of such folders, which holds the target's lock.
class Writer {
 public:
  explicit Writer(const fs::path& target)
      : target_(resolve_target(target)), lock_(std::make_shared<TargetLock>(target_)) {
    clear_leftovers(target_);
    if (fs::exists(target_)) stored_ = read_stored(*Folder::find(target_));
  }

  /// Adds a segment whose sections hold so many bytes together.
  void add(std::uint64_t bytes, std::uint64_t small_bytes = kSmallSegmentBytes) {
    commit([&](ReplacementFolder& folder) {
      for (const SegmentInfo& segment : stored_.segments) folder.keep(segment);
      SegmentFiles files(folder, stored_.next_segment, small_bytes);
      SectionWriter number(files, "number");
      SectionWriter filling(files, "filling");
      SectionWriter none(files, "none");
      number.append_value(stored_.next_segment);
      const std::vector<std::uint8_t> piece(1000, 7);
      for (std::uint64_t i = 0; i < bytes; i += piece.size()) filling.append(piece);
      stored_.segments.push_back(files.finish());
      stored_.segments.back().counts = {{"rows", kRows}};
      ++stored_.next_segment;
    });
  }

  /// Adds segments that were written to another folder, one of one file and one of several.
  void add_from_beside() {
    auto beside = std::make_unique<ReplacementFolder>(target_, lock_);
    std::vector<SegmentInfo> added;
    for (const std::uint64_t small_bytes : {kSmallSegmentBytes, std::uint64_t{0}}) {
      SegmentFiles files(*beside, stored_.next_segment, small_bytes);
      SectionWriter number(files, "number");
      number.append_value(stored_.next_segment++);
      added.push_back(files.finish());
      added.back().counts = {{"rows", kRows}};
    }
    ReplacementFolder folder(target_, lock_, false);
    for (const SegmentInfo& segment : stored_.segments) folder.keep(segment);
    for (const SegmentInfo& segment : added) folder.take(*beside, segment);
    beside.reset();
    stored_.segments.insert(stored_.segments.end(), added.begin(), added.end());
    ++stored_.commit;
    folder.commit(to_json(stored_));
  }

  /// Removes a row of the first segment.
  void remove(std::uint64_t row) {
    commit([&](ReplacementFolder& folder) {
      SegmentInfo& changed = stored_.segments.front();
      const SegmentView view(*Folder::find(target_), changed);
      RemovedRowsBuilder rows(kRows, view.removed_rows(kRows));
      rows.add(row);
      changed.removals.reset();
      for (const SegmentInfo& segment : stored_.segments) folder.keep(segment);
      const std::string file = removals_file(changed.number, stored_.commit + 1);
      const std::vector<NamedBytes> sections{
          {std::string(kRemovedRows),
           {reinterpret_cast<const std::uint8_t*>(rows.words().data()),
            rows.words().size() * sizeof(std::uint64_t)}}};
      const PackedFile packed = pack_sections(file, sections);
      folder.write(file, packed.bytes);
      changed.removals = {file, packed.sections, {{"rows", rows.count()}}};
    });
  }

  /// Drops the first segment.
  void drop() {
    commit([&](ReplacementFolder& folder) {
      stored_.segments.erase(stored_.segments.begin());
      for (const SegmentInfo& segment : stored_.segments) folder.keep(segment);
    });
  }

 private:
  template <class Change>
  void commit(const Change& change) {
    ReplacementFolder folder(target_, lock_);
    change(folder);
    ++stored_.commit;
    folder.commit(to_json(stored_));
  }

  fs::path target_;
  std::shared_ptr<TargetLock> lock_;
  StoredSegments stored_;
};

ino_t inode_of(const fs::path& file) {
  struct stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0) << file;
  return status.st_ino;
}

TEST(RemovedRows, AreCountedOnce) {
  RemovedRowsBuilder rows(130, {});
  EXPECT_TRUE(rows.add(129));
  EXPECT_FALSE(rows.add(129));
  EXPECT_TRUE(rows.add(0));
  EXPECT_THROW(rows.add(130), UsageError);
  EXPECT_EQ(rows.count(), 2U);
  RemovedRowsBuilder more(130, RemovedRows(rows.words()));
  EXPECT_FALSE(more.add(0));
  EXPECT_TRUE(more.add(64));
  EXPECT_EQ(more.count(), 3U);
  EXPECT_TRUE(RemovedRows(more.words()).contains(64));
  EXPECT_FALSE(RemovedRows(more.words()).contains(65));
  EXPECT_FALSE(RemovedRows().contains(65));
}

TEST(StoredCommit, KeepsAddsAndRemoves) {
  const test::TemporaryFolder place;
  const fs::path target = place / "stored";
  Writer writer(target);
  writer.add(10'000, 0);
  writer.add(10'000);
  writer.add(kSmallSegmentBytes + 1);
  EXPECT_TRUE(fs::exists(target / "segment-0/filling"));
  EXPECT_TRUE(fs::exists(target / "segment-1.packed"));
  EXPECT_TRUE(fs::exists(target / "segment-2/filling"));
  EXPECT_THAT(read_all(target).numbers, testing::ElementsAre(0, 1, 2));
  const ino_t filling = inode_of(target / "segment-0/filling");
  const ino_t packed = inode_of(target / "segment-1.packed");
  writer.remove(3);
  EXPECT_TRUE(fs::exists(target / "segment-0.removed-4"));
  writer.remove(99);
  EXPECT_FALSE(fs::exists(target / "segment-0.removed-4"));
  EXPECT_TRUE(fs::exists(target / "segment-0.removed-5"));
  EXPECT_THAT(read_all(target).removed, testing::ElementsAre(2, 0, 0));
  EXPECT_EQ(inode_of(target / "segment-0/filling"), filling);
  writer.drop();
  EXPECT_THAT(read_all(target).numbers, testing::ElementsAre(1, 2));
  EXPECT_EQ(inode_of(target / "segment-1.packed"), packed);
  EXPECT_EQ(read_all(target).commit, 6U);
  EXPECT_NO_THROW(check_replaceable(target));
}

TEST(StoredCommit, RefusesFilesThatAreNotListed) {
  const test::TemporaryFolder place;
  const fs::path target = place / "stored";
  Writer writer(target);
  writer.add(100);
  writer.add(100, 0);
  writer.remove(1);
  for (const std::string name : {"notes", "segment-0.removed-2", "segment-1/notes"}) {
    test::write_file(target / name, "mine");
    EXPECT_THROW(check_replaceable(target), UsageError);
    EXPECT_THROW(writer.remove(2), UsageError);
    EXPECT_EQ(test::read_file(target / name), "mine");
    fs::remove(target / name);
  }
  fs::create_directory(target / "segment-1/folder");
  EXPECT_THROW(check_replaceable(target), UsageError);
  fs::remove(target / "segment-1/folder");
  EXPECT_NO_THROW(check_replaceable(target));
}

TEST(StoredCommit, RefusesToReplaceAnIndexOfAnotherKind) {
  const test::TemporaryFolder place;
  Writer(place / "text").add(100);
  EXPECT_NO_THROW(check_replaceable(place / "text", kTextKind));
  EXPECT_NO_THROW(ReplacementFolder(place / "text", kTextKind));
  for (const std::string_view kind : {kVectorsKind, kMetricKind}) {
    EXPECT_THROW(check_replaceable(place / "text", kind), UsageError);
    EXPECT_THROW(ReplacementFolder(place / "text", kind), UsageError);
    // It comes while the other one is built.
    ReplacementFolder folder(place / "late", kind);
    fs::copy(place / "text", place / "late", fs::copy_options::recursive);
    EXPECT_THROW(folder.commit(to_json({})), UsageError);
    EXPECT_EQ(read_all(place / "late").numbers.size(), 1U);
    fs::remove_all(place / "late");
  }
}

// A newer version may list its files in another way.
TEST(StoredCommit, RefusesToReplaceAnIndexWhoseFilesItCannotName) {
  const test::TemporaryFolder place;
  const auto refusal = [&](const std::string& members) -> std::string {
    test::write_file(place / "stored/manifest.json",
                     "{\n  \"format\": \"warpdex\",\n" + members + "}");
    try {
      check_replaceable(place / "stored");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  fs::create_directory(place / "stored");
  const std::string odd = R"("version": 9, "segments": {"all": "elsewhere"})";
  for (const std::string kind : {"", R"("kind": "vectors", )", R"("kind": "metric", )"}) {
    EXPECT_THAT(refusal(kind + odd),
                testing::AllOf(testing::HasSubstr("is of version 9 of its format, and this program "
                                                  "reads version"),
                               testing::HasSubstr("use a newer Warpdex, or remove the folder or "
                                                  "choose another output")));
  }
  EXPECT_THAT(refusal(R"("kind": "images", )" + odd),
              testing::HasSubstr("of a kind that is not known, 'images'; use a newer Warpdex"));
  EXPECT_THAT(refusal(R"("version": 4, "segments": {})"), testing::HasSubstr("damaged"));
  EXPECT_EQ(refusal(R"("version": 9, "segments": [])"), "");
}

TEST(StoredCommit, RefusesATargetWithinAnotherIndex) {
  const test::TemporaryFolder place;
  const fs::path target = place / "stored";
  Writer writer(target);
  writer.add(100);
  fs::create_directory_symlink(target, place / "alias");
  for (const fs::path& inner :
       {target / "inner", target / "segment-0/inner", target / "a/b", place / "alias/inner"}) {
    EXPECT_THROW(ReplacementFolder{inner}, UsageError);
  }
  EXPECT_NO_THROW(check_replaceable(target));  // no folders or locks were left in it
  EXPECT_NO_THROW(ReplacementFolder{place / "beside"});
}

TEST(StoredCommit, TellsASecondWriterWhoHoldsTheTarget) {
  const test::TemporaryFolder place;
  const fs::path target = place / "stored";
  Writer writer(target);
  writer.add(100);
  try {
    Writer second(target);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("process " + std::to_string(::getpid())));
  }
  writer.add(100);
  EXPECT_THAT(read_all(target).numbers, testing::ElementsAre(0, 1));
}

TEST(StoredCommit, RefusesManifestsThatLeadElsewhere) {
  const std::string sections = R"("sections": [{"name": "a", "bytes": 1, "checksum": "00"}])";
  const auto complaint = [](const std::string& segments) {
    const rapidjson::Document document = parse_manifest("{\"segments\": [" + segments + "]}");
    try {
      read_stored_segments(ManifestObject(document));
      return std::string();
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(complaint(R"({"folder": "segment-0", )" + sections + "}"), "");
  EXPECT_THAT(complaint(R"({"folder": "..", )" + sections + "}"), HasSubstr("(folder)"));
  EXPECT_THAT(complaint(R"({"file": "/etc/passwd", )" + sections + "}"), HasSubstr("(file)"));
  EXPECT_THAT(
      complaint(R"({"folder": "a", )" + sections + R"(}, {"folder": "b", )" + sections + "}"),
      HasSubstr("one number"));
}

// A child commits on and on; it is killed at some moment, in the middle of one.
TEST(StoredCommit, SurvivesTwoHundredKills) {
  const test::TemporaryFolder place(test::place_in_memory());
  const fs::path target = place / "stored";
  Writer(target).add(1000, 0);
  std::mt19937_64 random = test::generator(72);
  std::uint64_t commits = 0;
  // On a slow machine, until enough commits came to their end, later and later.
  for (unsigned kill = 0; kill < 200 || (commits <= 100 && kill < 5'000); ++kill) {
    const std::uint64_t before = read_all(target).commit;
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        Writer writer(target);
        for (std::uint64_t i = 0;; ++i) {
          writer.add(i % 3 == 0 ? 0 : 2000, i % 2 == 0 ? 0 : kSmallSegmentBytes);
          writer.remove(i % kRows);
          writer.drop();
        }
      } catch (...) {
        ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000 * (1 + kill / 200)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed";
    const Found found = read_all(target);
    ASSERT_GE(found.commit, before);
    ASSERT_GE(found.numbers.size(), 1U);
    commits += found.commit - before;
    if (HasFailure()) return;
  }
  EXPECT_GT(commits, 100U) << "few commits came to their end";
  repair_target(target);
  EXPECT_EQ(std::distance(fs::directory_iterator(place.path()), fs::directory_iterator()), 1);
}

TEST(StoredCommit, TakesSegmentsFromAnotherFolder) {
  const test::TemporaryFolder place;
  const fs::path target = place / "stored";
  {
    Writer writer(target);
    writer.add(1000);
    writer.add_from_beside();
    EXPECT_THAT(read_all(target).numbers, testing::ElementsAre(0, 1, 2));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(place.path()), fs::directory_iterator()), 1);
}

// Readers open while a writer commits, and always find a whole state.
TEST(StoredCommit, ReadersFindWholeStates) {
  const test::TemporaryFolder place(test::place_in_memory());
  const fs::path target = place / "stored";
  Writer writer(target);
  writer.add(1000);
  std::atomic<bool> ended = false;
  std::atomic<int> reads = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!ended) {
        const Found found = read_all(target);
        EXPECT_GE(found.commit, last);
        last = found.commit;
        ++reads;
      }
    });
  }
  for (std::uint64_t i = 0; i < 100 || reads < 100; ++i) {
    writer.add(i % 3 * 1000, i % 2 == 0 ? 0 : kSmallSegmentBytes);
    writer.remove(i % kRows);
    writer.drop();
  }
  ended = true;
}

}  // namespace
}  // namespace warpdex
