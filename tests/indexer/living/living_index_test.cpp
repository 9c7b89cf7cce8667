// What an index that changes does, and what it refuses.
#include "warpdex/indexer/living/living_index.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "build/segment_build.hpp"
#include "format/manifest.hpp"
#include "living/merge_policy.hpp"
#include "tests/indexer/living/living_fixture.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using test::LivingIndexTest;
using test::one_thread;
using test::reader_of;
using test::Texts;
namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(LivingIndexTest, AddsDeletesUpdatesAndMerges) {
  build({{"a", "x y"}, {"b", "y"}, {"c", "z z"}});
  LivingIndex index(index_);
  EXPECT_EQ(index.add(*reader_of({{"d", "x"}, {"e", ""}}), one_thread()).documents, 2U);
  EXPECT_THAT(names(), testing::ElementsAre("a", "b", "c"));  // not committed
  EXPECT_TRUE(index.remove("b"));
  EXPECT_TRUE(index.remove("d"));  // of the same commit
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("a", "c", "e"));
  EXPECT_EQ(index.add(*reader_of({{"a", "new"}, {"f", "y"}}), one_thread(true)).updated, 1U);
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("c", "e", "a", "f"));
  EXPECT_TRUE(verify_index(index_).ok());
  EXPECT_EQ(Snapshot::open(index_).segments().size(), 3U);
  const MergeReport report = index.merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
  EXPECT_EQ(report.segments, 1U);
  EXPECT_EQ(report.dropped_documents, 3U);
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("c", "e", "a", "f"));
  EXPECT_FALSE(Index::open(index_).find("w"));
  EXPECT_TRUE(Index::open(index_).find("new"));
}

TEST_F(LivingIndexTest, HasRoomForSoManyDocumentsInAll) {
  BuildOptions options = one_thread().build;
  options.analyzer = "whitespace";
  build::Progress progress(options.on_progress);
  const auto build_beside = [&](std::uint64_t documents, const Texts& texts) {
    IndexSettings settings;
    settings.analyzer = options.analyzer;
    IndexWriter writer(index_, settings);
    const build::Admission admission{[](const std::string&) { return ""; }, {}, documents};
    return build::build_segment(*reader_of(texts), options, &admission, settings, writer, progress)
        .documents;
  };
  EXPECT_EQ(build_beside(kMaxDocuments - 2, {{"a", "x"}, {"b", "y"}}), 2U);
  EXPECT_THAT(complaint<InputError>([&] {
                build_beside(kMaxDocuments - 2, {{"a", "x"}, {"b", "y"}, {"c", "z"}});
              }),
              HasSubstr("3: an index holds at most 2147483647 documents, and deleted ones"));
}

TEST_F(LivingIndexTest, AllDocumentsMayGo) {
  build({{"a", "x y"}, {"b", "y"}});
  {
    LivingIndex index(index_);
    EXPECT_TRUE(index.remove("a"));
    EXPECT_TRUE(index.remove("b"));
    index.add(*reader_of({{"c", "x"}}), one_thread());
    EXPECT_TRUE(index.remove("c"));
    index.commit();
    EXPECT_THAT(names(), testing::IsEmpty());
    EXPECT_TRUE(verify_index(index_).ok());
    EXPECT_THAT(complaint<UsageError>([&] { Index::open(index_); }), HasSubstr("add some first"));
  }
  LivingIndex index(index_);
  index.merge({.all = true});
  index.add(*reader_of({{"a", "x"}}), one_thread());
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(LivingIndexTest, RefusesWhatDoesNotFit) {
  build({{"a", "x y"}, {"b", "y"}});
  LivingIndex index(index_);
  EXPECT_THAT(complaint<IoError>([&] { LivingIndex second(index_); }),
              HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(complaint<BadDocument>([&] {
                index.add(*reader_of({{"n", "x"}, {"a", "x"}}), one_thread());
              }),
              HasSubstr("<memory>:2: the index holds a document with the id 'a' already"));
  EXPECT_THAT(complaint<BadDocument>([&] {
                index.add(*reader_of({{"n", "x"}, {"n", "y"}}), one_thread());
              }),
              HasSubstr("<memory>:2: a document with the id 'n' came before, at <memory>:1;"));
  EXPECT_FALSE(index.remove("n"));
  EXPECT_TRUE(index.remove("a"));
  EXPECT_FALSE(index.remove("a"));
  EXPECT_THAT(complaint<UsageError>([&] {
                index.add(*vectors_from_memory({{"v", "", {{"x", 1}}}}), one_thread());
              }),
              HasSubstr("sparse vectors were given"));
  AddOptions statics = one_thread();
  statics.build.static_scores = "scores";
  EXPECT_THAT(complaint<UsageError>([&] {
                index.add(*reader_of({{"n", "x"}}), statics);
              }),
              HasSubstr("has no static scores"));
  EXPECT_THROW(index.merge({.all = true, .memory = 1}), UsageError);
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("b"));
}

TEST_F(LivingIndexTest, RefusesImpactsOfBm25AndWhatIsNoIndex) {
  build({{"a", "x y"}}, [](BuildOptions& options) { options.impacts = ImpactSettings{}; });
  EXPECT_THAT(complaint<UsageError>([&] { LivingIndex index(index_); }),
              HasSubstr("holds impacts of BM25"));
  EXPECT_THAT(complaint<IoError>([&] { LivingIndex index(folder_ / "none"); }),
              HasSubstr("there is no index"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(LivingIndexTest, WithoutAForwardIndexStatisticsCountRemovedDocuments) {
  build({{"a", "x y"}, {"b", "y"}, {"c", "y z"}},
        [](BuildOptions& options) { options.forward = false; });
  LivingIndex index(index_);
  index.remove("c");
  index.commit();
  EXPECT_EQ(Snapshot::open(index_).statistics().documents, 3U);
  EXPECT_EQ(Snapshot::open(index_).documents(), 2U);
  EXPECT_THAT(names(), testing::ElementsAre("a", "b"));
  EXPECT_TRUE(verify_index(index_).ok());
  index.merge({.all = true});
  index.commit();
  EXPECT_EQ(Snapshot::open(index_).statistics().documents, 2U);
  EXPECT_EQ(Snapshot::open(index_).statistics().tokens, 3U);
}

/// Turns an index without a forward index into what version 2 wrote.
void make_version_2(const fs::path& index) {
  Manifest manifest = manifest_from_json(test::read_file(index / kManifestName));
  SegmentInfo& segment = manifest.stored.segments.at(0);
  const IndexCounts counts = counts_of(segment);
  for (std::size_t i = section::kAll.size(); i < segment.sections.size(); ++i) {
    fs::remove(index / segment.place / segment.sections[i].name);
  }
  segment.sections.resize(section::kAll.size());
  segment.counts.clear();
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_member(writer, "format", std::string("warpdex"));
  write_member(writer, "version", std::uint64_t{2});
  writer.Key("codec");
  writer.StartObject();
  write_member(writer, "name", std::string("pfor"));
  write_member(writer, "pfor_levels", std::uint64_t{manifest.settings.codec.pfor_levels});
  write_member(writer, "block_size", std::uint64_t{128});
  writer.EndObject();
  write_member(writer, "analyzer", manifest.settings.analyzer.name);
  write_member(writer, "fields", manifest.settings.fields);
  write_member(writer, "static_scores", false);
  writer.Key("impacts");
  writer.Null();
  writer.Key("counts");
  writer.StartObject();
  for (const auto& [name, value] : named_counts(counts)) write_member(writer, name.c_str(), value);
  writer.EndObject();
  write_segments(writer, manifest.stored.segments);
  writer.EndObject();
  test::write_file(index / kManifestName, with_checksum({buffer.GetString(), buffer.GetSize()}));
}

TEST_F(LivingIndexTest, TakesIndexesOfVersion2) {
  build({{"a", "x y"}, {"b", "y"}}, [](BuildOptions& options) {
    options.forward = false;
    options.codec.kind = CodecKind::kPfor;
  });
  make_version_2(index_);
  EXPECT_EQ(Index::open(index_).counts().documents, 2U);
  EXPECT_TRUE(verify_index(index_).ok());
  LivingIndex index(index_);
  index.add(*reader_of({{"a", "x"}, {"c", "z"}}), one_thread(true));
  index.remove("b");
  index.commit();
  EXPECT_THAT(names(), testing::ElementsAre("a", "c"));
  EXPECT_TRUE(verify_index(index_).ok());
  index.merge({.all = true});
  index.commit();
  EXPECT_EQ(Index::open(index_).counts().documents, 2U);
}

TEST(MergePolicy, KeepsFewSegments) {
  std::mt19937_64 random = test::generator(92);
  std::vector<SegmentSize> segments;
  std::uint64_t written = 0;
  std::uint64_t added = 0;
  std::size_t most = 0;
  for (int i = 0; i < 5000; ++i) {
    segments.push_back({1 + random() % 1000, 0});
    added += segments.back().live;
    while (const auto range = choose_merge(segments)) {
      SegmentSize merged;
      for (std::size_t j = 0; j < range->count; ++j) merged.live += segments[range->first + j].live;
      written += merged.live;
      const auto first = segments.begin() + static_cast<std::ptrdiff_t>(range->first);
      segments.erase(first, first + static_cast<std::ptrdiff_t>(range->count));
      segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(range->first), merged);
    }
    most = std::max(most, segments.size());
  }
  EXPECT_LT(most, 60U);
  EXPECT_LT(written, 8 * added);
}

TEST(MergePolicy, RewritesWhatIsMostlyRemoved) {
  EXPECT_FALSE(choose_merge({}));
  const std::vector<SegmentSize> some{{100, 10}, {90, 46}};
  const auto range = choose_merge(some);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 1U);
  EXPECT_EQ(range->count, 1U);
  EXPECT_FALSE(choose_merge(std::vector<SegmentSize>{{100, 10}, {90, 45}}));
}

}  // namespace
}  // namespace warpdex
