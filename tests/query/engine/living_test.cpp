// An index that documents came to and went from answers as one that is built at once of what is
// live, to the bit: documents, order, scores, counts.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDimension = 7;

BuildOptions options_for(const fs::path& output, CodecKind codec = CodecKind::kPfor) {
  BuildOptions options;
  options.output = output;
  options.analyzer = "whitespace";
  options.codec.kind = codec;
  options.threads = 1;
  options.stored_fields = {"text", "note"};
  const bool are_halves = codec == CodecKind::kPfor;
  options.vectors =
      vector::RowSettings{are_halves                     ? vector::Metric::kL2
                          : codec == CodecKind::kBitpack ? vector::Metric::kCosine
                                                         : vector::Metric::kInnerProduct,
                          are_halves ? vector::Store::kHalf : vector::Store::kFloat, kDimension};
  return options;
}

/// An index, and beside it what is live in it, in order.
class Living {
 public:
  Living(std::uint64_t stream, CodecKind codec, bool weights)
      : random_(test::generator(stream)), codec_(codec), weights_(weights) {
    for (int i = 0; i < 300; ++i) live_.push_back(new_document());
    build(index(), live_);
    open();
  }

  fs::path index() const { return folder_ / "index"; }
  const std::vector<Document>& live() const { return live_; }
  std::mt19937_64& random() { return random_; }
  void open() { writer_ = std::make_unique<LivingIndex>(index()); }
  void close() { writer_.reset(); }
  void commit() { writer_->commit(); }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  void add() {
    std::vector<Document> documents(1 + below(below(8) == 0 ? 300 : 6));
    for (Document& document : documents) document = new_document();
    live_.insert(live_.end(), documents.begin(), documents.end());
    EXPECT_EQ(add(std::move(documents)).updated, 0U);
  }

  void remove() {
    for (std::uint64_t count = 1 + below(6); count > 0 && !live_.empty(); --count) {
      const auto gone = live_.begin() + static_cast<std::ptrdiff_t>(below(live_.size()));
      EXPECT_TRUE(writer_->remove(gone->id));
      EXPECT_FALSE(writer_->remove(gone->id));
      live_.erase(gone);
    }
  }

  /// Some documents get another text, some beside are new.
  void update() {
    std::vector<Document> documents;
    for (std::uint64_t count = 1 + below(4); count > 0 && !live_.empty(); --count) {
      const auto old = live_.begin() + static_cast<std::ptrdiff_t>(below(live_.size()));
      documents.push_back(new_document());
      documents.back().id = old->id;
      live_.erase(old);
    }
    const std::uint64_t updated = documents.size();
    documents.push_back(new_document());
    live_.insert(live_.end(), documents.begin(), documents.end());
    EXPECT_EQ(add(std::move(documents), true).updated, updated);
  }

  void merge() { writer_->merge({.all = below(4) == 0, .memory = kMinBuildMemory, .threads = 1}); }

  void build(const fs::path& output, std::vector<Document> documents) const {
    const auto reader = weights_ ? vectors_from_memory(std::move(documents))
                                 : documents_from_memory(std::move(documents));
    build_index(*reader, options_for(output, codec_));
  }

  Query query() {
    Query query;
    for (std::uint64_t count = 1 + below(5); count > 0; --count) {
      const Occur occur = below(8) == 0   ? Occur::kMust
                          : below(8) == 0 ? Occur::kMustNot
                                          : Occur::kUnsigned;
      query.terms.push_back({word(), occur, below(4) == 0 ? 1.5F : 1.0F});
    }
    return query;
  }

  SearchSettings settings() {
    SearchSettings settings;
    settings.mode = static_cast<QueryMode>(below(3));
    settings.k = static_cast<std::uint32_t>(std::array{1U, 3U, 10U, 100U, 1000U}[below(5)]);
    settings.count = below(2) == 0;
    if (weights_) return settings;
    settings.scorer.kind = below(3) == 0 ? ScorerKind::kQueryLikelihood : ScorerKind::kBm25;
    settings.scorer.form = below(2) == 0 ? Bm25Form::kLucene : Bm25Form::kPisa;
    return settings;
  }

  std::vector<float> new_vector() {
    std::vector<float> vector(kDimension);
    for (float& component : vector) component = static_cast<float>(below(2000)) / 64 - 10;
    return vector;
  }

 private:
  AddReport add(std::vector<Document> documents, bool update = false) {
    const auto reader = weights_ ? vectors_from_memory(std::move(documents))
                                 : documents_from_memory(std::move(documents));
    AddOptions options{.update = update, .build = {}};
    options.build.threads = 1;
    return writer_->add(*reader, options);
  }

  std::string word() {
    const double uniform = static_cast<double>(below(1'000'000)) / 1e6;
    return "w" + std::to_string(static_cast<int>(std::pow(2000.0, uniform)));
  }

  Document new_document() {
    Document document{"d" + std::to_string(next_++), ""};
    for (std::uint64_t words = below(40); words > 0; --words) document.text += word() + " ";
    document.stored = {document.text, std::nullopt};
    if (below(3) == 0) document.stored[1] = word();
    document.embedding = new_vector();
    if (!weights_) return document;
    document.text.clear();
    std::set<std::string> terms;
    for (std::uint64_t words = 1 + below(20); words > 0; --words) terms.insert(word());
    for (const std::string& term : terms) {
      document.vector.push_back({term, static_cast<float>(1 + below(255))});
    }
    return document;
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
  std::mt19937_64 random_;
  CodecKind codec_;
  bool weights_;
  int next_ = 0;
  std::vector<Document> live_;
  std::unique_ptr<LivingIndex> writer_;
};

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

void run(std::uint64_t stream, CodecKind codec, bool weights, int operations) {
  Living living(stream, codec, weights);
  for (int i = 0; i < operations; ++i) {
    switch (living.below(16)) {
      case 0: living.merge(); break;
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

// Readers open the index and search it while it changes; each keeps what it opened.
TEST(Living, ReadersSearchWholeSnapshotsMeanwhile) {
  Living living(86, CodecKind::kPfor, false);
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
