// An index that documents came to and went from answers as one that is built at once of what is
// live, to the bit: documents, order, scores, counts.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/query/engine/living_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex {
namespace {

using test::Living;

/// Names in the place of docIDs.
struct NamedAnswer {
  std::vector<std::pair<std::string, float>> hits;
  std::uint64_t matches = 0;
  bool fell_back_to_or = false;
  bool operator==(const NamedAnswer&) const = default;
};

template <class Searched>
NamedAnswer answer(const Searched& searched, CpuSearcher& searcher, const Query& query,
                   const SearchSettings& settings) {
  const SearchResult result = searcher.search(query, settings);
  NamedAnswer named{{}, settings.count ? result.matches : 0, result.fell_back_to_or};
  for (const Hit& hit : result.hits) {
    named.hits.emplace_back(searched.document_name(hit.document), hit.score);
  }
  return named;
}

/// Answers with words and vectors, by every fusion, with names.
std::vector<std::vector<std::pair<std::string, float>>> hybrid_answers(
    const Snapshot& snapshot, HybridSearcher& searcher, const Query& query,
    const std::vector<float>& vector, const SearchSettings& settings) {
  std::vector<std::vector<std::pair<std::string, float>>> answers;
  const auto add = [&](const std::vector<SearchResult>& results) {
    auto& named = answers.emplace_back();
    for (const Hit& hit : results.front().hits) {
      named.emplace_back(snapshot.document_name(hit.document), hit.score);
    }
  };
  for (const Fusion fusion : {Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                              Fusion::kFilter, Fusion::kNeighbors}) {
    add(searcher.search({&query, 1}, vector, settings, {.fusion = fusion, .depth = 50}));
  }
  add(searcher.nearest(vector, settings.k));
  return answers;
}

void expect_as_anew(Living& living, int queries) {
  const test::TemporaryFolder folder(test::place_in_memory());
  living.build(folder / "anew", living.live());
  const Index anew = Index::open(folder / "anew");
  const Snapshot snapshot = Snapshot::open(living.index());
  EXPECT_EQ(snapshot.documents(), anew.counts().documents);
  EXPECT_EQ(snapshot.statistics().documents, anew.counts().documents);
  EXPECT_EQ(snapshot.statistics().tokens, anew.counts().tokens);
  StoredReader stored(snapshot);
  for (const Document& document : living.live()) {
    const auto docid = snapshot.find_document(document.id);
    ASSERT_TRUE(docid) << document.id;
    ASSERT_EQ(stored.read(*docid), document.stored) << document.id;
  }
  const Snapshot whole = Snapshot::open(folder / "anew");
  HybridSearcher wanted_hybrid(whole, 1);
  HybridSearcher found_hybrid(snapshot, 1);
  for (int i = 0; i < queries; i += 5) {
    const Query query = living.query();
    const SearchSettings settings = living.settings();
    const std::vector<float> vector = living.new_vector();
    ASSERT_EQ(hybrid_answers(snapshot, found_hybrid, query, vector, settings),
              hybrid_answers(whole, wanted_hybrid, query, vector, settings))
        << reference::describe(query) << " " << reference::describe(settings) << ", "
        << snapshot.segments().size() << " segments";
  }
  CpuSearcher wanted(anew);
  CpuSearcher found(snapshot);
  for (int i = 0; i < queries; ++i) {
    const Query query = living.query();
    const SearchSettings settings = living.settings();
    ASSERT_EQ(answer(snapshot, found, query, settings), answer(anew, wanted, query, settings))
        << reference::describe(query) << " " << reference::describe(settings) << ", "
        << snapshot.segments().size() << " segments";
  }
}

/// After all is merged into one segment, its bytes are those of the index built anew.
void expect_same_bytes(const Living& living) {
  const test::TemporaryFolder folder(test::place_in_memory());
  living.build(folder / "anew", living.live());
  const Index anew = Index::open(folder / "anew");
  const Index merged = Index::open(living.index());
  ASSERT_EQ(anew.section_infos().size(), merged.section_infos().size());
  for (std::size_t i = 0; i < anew.section_infos().size(); ++i) {
    const SectionInfo& wanted = anew.section_infos()[i];
    EXPECT_EQ(merged.section_infos()[i].name, wanted.name);
    EXPECT_EQ(merged.section_infos()[i].checksum, wanted.checksum) << wanted.name;
  }
}

void run(std::uint64_t stream, CodecKind codec, bool weights, int operations,
         bool in_background = false, bool has_static = false, std::size_t fields = 1) {
  Living living(stream, codec, weights, 300, has_static, fields);
  if (in_background) living.merge_in_background();
  for (int i = 0; i < operations; ++i) {
    switch (living.below(16)) {
      case 0: in_background ? living.finish_merges() : living.merge(); break;
      case 1:
        living.commit();
        living.close();
        living.open();
        break;
      case 2:
      case 3:
      case 4: living.update(); break;
      case 5:
      case 6:
      case 7:
      case 8:
      case 9: living.remove(); break;
      default: living.add();
    }
    if (living.below(10) != 0) continue;
    living.commit();
    expect_as_anew(living, 25);
    ASSERT_FALSE(testing::Test::HasFailure()) << "operation " << i;
  }
  living.commit();
  expect_as_anew(living, 100);
  const VerifyReport report = verify_index(living.index());
  EXPECT_TRUE(report.ok()) << report.problems[0];
  living.close();
  LivingIndex(living.index()).merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
  {
    LivingIndex last(living.index());
    last.merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
    last.commit();
  }
  expect_as_anew(living, 100);
  expect_same_bytes(living);
  EXPECT_TRUE(verify_index(living.index()).ok());
}

TEST(Living, AThousandRandomOperationsAnswerAsAnew) { run(81, CodecKind::kPfor, false, 1000); }

TEST(Living, OtherCodecsAnswerAsAnew) {
  run(82, CodecKind::kBitpack, false, 100);
  run(83, CodecKind::kRice, false, 100);
  run(84, CodecKind::kPforBlock, false, 100);
}

TEST(Living, WeightsAnswerAsAnew) { run(85, CodecKind::kPfor, true, 200); }

TEST(Living, ASegmentWithoutLiveDocuments) {
  Living living(79, CodecKind::kPfor, false);
  living.add_some(200);
  living.commit();
  living.add_some(100);
  living.commit();
  living.empty_segment(1, 300, 200);
  EXPECT_EQ(Snapshot::open(living.index()).segments().size(), 3U);
  expect_as_anew(living, 50);
  EXPECT_TRUE(verify_index(living.index()).ok());
  living.add_some(1);
  living.commit();
  EXPECT_EQ(Snapshot::open(living.index()).segments().size(), 3U);
  expect_as_anew(living, 20);
}

TEST(Living, StaticScoresAnswerAsAnew) {
  run(89, CodecKind::kPfor, false, 150, false, true);
  run(90, CodecKind::kBitpack, true, 100, false, true);
}

TEST(Living, TextFieldsAnswerAsAnew) {
  run(92, CodecKind::kPfor, false, 150, false, true, 2);
  run(93, CodecKind::kBitpack, false, 100, false, false, 3);
}

TEST(Living, MergesInTheBackgroundAnswerAsAnew) {
  run(87, CodecKind::kPfor, false, 400, true);
  run(88, CodecKind::kBitpack, true, 100, true);
}

// Readers open the index and search it while it changes; each keeps what it opened.
TEST(Living, ReadersSearchWholeSnapshotsMeanwhile) {
  Living living(86, CodecKind::kPfor, false);
  living.merge_in_background();
  std::atomic<bool> ended = false;
  std::atomic<int> searches = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!ended) {
        const Snapshot snapshot = Snapshot::open(living.index());
        CpuEngine engine(snapshot, {.threads = 1});
        SearchSettings settings;
        settings.count = true;
        settings.k = kMaxK;
        const PlannedQuery plan = plan_query(snapshot, Query{"", {{"w1"}, {"w2"}, {"w3"}}});
        const SearchResult result = engine.run({&plan, 1}, settings).result(0);
        EXPECT_EQ(result.hits.size(), result.matches);
        for (const Hit& hit : result.hits) {
          EXPECT_EQ(snapshot.find_document(snapshot.document_name(hit.document)), hit.document);
        }
        ++searches;
      }
    });
  }
  const std::shared_ptr<void> end(nullptr, [&ended](void*) { ended = true; });  // also on a throw
  for (int i = 0; i < 60 || searches < 50; ++i) {
    living.add();
    living.remove();
    living.update();
    if (i % 7 == 0) living.merge();
    living.commit();
  }
}

}  // namespace
}  // namespace warpdex
