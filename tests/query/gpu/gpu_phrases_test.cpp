// Exact phrases on the GPU: the answers are those of TreeSearcher over the same snapshot, to the
// bit, and that one's are a plain matcher's (tree/phrase_test.cpp).
#include "warpdex/query/gpu/gpu_phrases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tests/query/gpu/gpu_support.hpp"
#include "tests/query/gpu/phrase_collection.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

using test::PhraseCollection;

constexpr std::array kEveryCodec = {CodecKind::kBitpack, CodecKind::kRice, CodecKind::kPfor,
                                    CodecKind::kPforBlock};

std::string text_of(const QueryNode& phrase) {
  std::string text;
  for (std::size_t i = 0; i < phrase.texts.size(); ++i) {
    text += phrase.texts[i] + "@" + std::to_string(phrase.positions[i]) + " ";
  }
  return text;
}

/// What is on the GPU of an index that changes.
class UploadedPhrases {
 public:
  GpuPhrases& open(const Snapshot& snapshot) {
    phrases_.reset();
    lists_ = lists_ ? lists_->next(snapshot) : GpuSnapshot(snapshot, resources_);
    positions_ = positions_ ? positions_->next(*lists_) : GpuPositions(*lists_);
    phrases_.emplace(*positions_, 2);
    return *phrases_;
  }
  const GpuPositions& positions() const { return *positions_; }

 private:
  Resources resources_;
  std::optional<GpuSnapshot> lists_;
  std::optional<GpuPositions> positions_;
  std::optional<GpuPhrases> phrases_;
};

/// Returns how many documents were found.
std::size_t expect_as_cpu(GpuPhrases& gpu, const std::vector<QueryNode>& phrases,
                          const SearchSettings& settings) {
  std::vector<const QueryNode*> trees;
  for (const QueryNode& phrase : phrases) {
    EXPECT_TRUE(is_exact_phrase(phrase));
    trees.push_back(&phrase);
  }
  TreeSearcher cpu(gpu.snapshot());
  const std::vector<std::optional<SearchResult>> found = gpu.search(trees, settings);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    const std::string what = text_of(phrases[i]) + ", k " + std::to_string(settings.k) +
                             ", scorer " + std::to_string(static_cast<int>(settings.scorer.kind)) +
                             (settings.documents != nullptr ? ", filtered" : "") + ", phrase " +
                             std::to_string(i) + " of " + std::to_string(phrases.size());
    const SearchResult wanted = cpu.search(phrases[i], settings).result;
    EXPECT_TRUE(found[i].has_value()) << what;
    if (!found[i]) return hits;
    const auto [of_gpu, of_cpu] = std::ranges::mismatch(found[i]->hits, wanted.hits);
    EXPECT_TRUE(found[i]->hits == wanted.hits)
        << what << ": hit " << of_gpu - found[i]->hits.begin() << " of " << found[i]->hits.size()
        << " and " << wanted.hits.size() << "; document "
        << (of_cpu == wanted.hits.end() ? 0 : of_cpu->document) << " is wanted";
    if (settings.count) {
      EXPECT_EQ(found[i]->matches, wanted.matches) << what;
    }
    EXPECT_GE(found[i]->matches, found[i]->hits.size()) << what;
    if (testing::Test::HasFailure()) return hits;
    hits += wanted.hits.size();
  }
  return hits;
}

/// A filter that lets one document of so many through.
DocumentFilter one_of(std::uint64_t many, PhraseCollection& collection, const Snapshot& snapshot) {
  vector::RowFilter documents(snapshot.docid_end());
  for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
    const std::size_t segment = snapshot.segment_of(i);
    const auto& [index, first] = snapshot.segments()[segment];
    if (collection.below(many) == 0 && !index->removed().contains(i - first)) documents.add(i);
  }
  return filter_of(snapshot, documents);
}

/// Batches of random phrases, some of them filtered.
std::size_t expect_as_cpu(GpuPhrases& gpu, PhraseCollection& collection, std::size_t batches,
                          std::size_t largest) {
  std::size_t hits = 0;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    std::vector<QueryNode> phrases;
    for (std::size_t i = batch % 3 == 0 ? 1 : 1 + collection.below(largest); i > 0; --i) {
      phrases.push_back(collection.phrase());
    }
    SearchSettings settings = collection.settings();
    const DocumentFilter filter = one_of(2, collection, gpu.snapshot());
    if (batch % 2 == 1) settings.documents = &filter;
    hits += expect_as_cpu(gpu, phrases, settings);
    EXPECT_FALSE(testing::Test::HasFailure()) << "batch " << batch;
    if (testing::Test::HasFailure()) break;
  }
  return hits;
}

class GpuPhrasesOfCodecs : public testing::TestWithParam<CodecKind> {};

TEST_P(GpuPhrasesOfCodecs, TinyAreTheCpus) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5801, GetParam());
  UploadedPhrases uploaded;
  collection.build(300, 40);
  EXPECT_GT(expect_as_cpu(uploaded.open(collection.open()), collection, 4, 20), 0U);
  collection.add(150, 60);
  collection.remove(5);
  const GpuPositions* before = &uploaded.positions();
  const std::size_t memory = before->memory();
  GpuPhrases& more = uploaded.open(collection.open());
  EXPECT_GT(uploaded.positions().new_memory(), 0U);
  EXPECT_EQ(uploaded.positions().memory(), memory + uploaded.positions().new_memory());
  EXPECT_GT(expect_as_cpu(more, collection, 4, 20), 0U);
}

TEST_P(GpuPhrasesOfCodecs, TinyOfNoDocumentsFindNothing) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5803, GetParam());
  UploadedPhrases uploaded;
  collection.build(3, 40);
  collection.remove(1);
  EXPECT_EQ(expect_as_cpu(uploaded.open(collection.open()), collection, 4, 20), 0U);
}

TEST_P(GpuPhrasesOfCodecs, AreTheCpus) {
  WARPDEX_NEEDS_GPU();
  for (const std::size_t documents : {1, 127, 128, 129, 1000, 20'000}) {
    PhraseCollection collection(5802 + documents, GetParam());
    UploadedPhrases uploaded;
    collection.build(documents, documents > 1000 ? 30 : 100);
    for (int round = 0; round < 3; ++round) {
      const std::size_t hits = expect_as_cpu(uploaded.open(collection.open()), collection, 12, 200);
      EXPECT_TRUE(hits > 0 || documents == 1);
      ASSERT_FALSE(HasFailure()) << documents << " documents, round " << round;
      collection.add(std::array{1, 33, 500}[static_cast<std::size_t>(round)], 50);
      collection.remove(4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, GpuPhrasesOfCodecs, testing::ValuesIn(kEveryCodec));

/// A document with very many occurrences, positions far apart, and a word that each has once.
TEST(GpuPhrases, SmallHugeFrequencies) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5803, CodecKind::kBitpack);
  std::string huge;
  std::string far;
  for (int i = 0; i < 30'000; ++i) huge += i % 7 == 3 ? "b " : "a ";
  for (int i = 0; i < 70'000; ++i) far += i % 10'001 == 0 ? "a b c " : "z ";
  collection.add_text(huge);
  collection.add_text(far);
  collection.add_text("a b once");
  collection.build(200, 30);
  UploadedPhrases uploaded;
  GpuPhrases& gpu = uploaded.open(collection.open());
  const auto phrase_of = [](std::vector<std::string> words) {
    QueryNode node{.kind = QueryNode::Kind::kPhrase, .texts = std::move(words)};
    for (std::uint32_t i = 0; i < node.texts.size(); ++i) node.positions.push_back(i);
    return node;
  };
  const std::vector<QueryNode> phrases{
      phrase_of({"a", "a"}),           phrase_of({"a", "b"}),      phrase_of({"a", "a", "a", "b"}),
      phrase_of({"b", "a", "a", "a"}), phrase_of({"a", "b", "c"}), phrase_of({"b", "once"}),
      phrase_of({"b", "b"}),           phrase_of({"c", "z"}),      phrase_of({"once", "a"})};
  for (const std::uint32_t k : {1U, 10U, 1000U}) {
    for (const bool count : {false, true}) {
      SearchSettings settings;
      settings.k = k;
      settings.count = count;
      EXPECT_GT(expect_as_cpu(gpu, phrases, settings), 0U);
    }
  }
}

TEST(GpuPhrases, SmallStaticScores) {
  WARPDEX_NEEDS_GPU();
  for (const double largest : {0.01, 10.0}) {
    PhraseCollection collection(5806, CodecKind::kPfor);
    collection.set_static_scores(largest, 2000);
    collection.build(2000, 40);
    UploadedPhrases uploaded;
    GpuPhrases& gpu = uploaded.open(collection.open());
    EXPECT_GT(expect_as_cpu(gpu, collection, 12, 40), 0U);
  }
}

/// Many matches, of which few can enter the answer: thresholds rise.
TEST(GpuPhrases, ManyMatches) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5804, CodecKind::kBitpack);
  collection.build(100'000, 40);
  UploadedPhrases uploaded;
  GpuPhrases& gpu = uploaded.open(collection.open());
  std::vector<QueryNode> phrases;
  for (int i = 0; i < 300; ++i) phrases.push_back(collection.phrase());
  for (const std::uint32_t k : {1U, 10U, 1000U, 4000U}) {
    SearchSettings settings;
    settings.k = k;
    EXPECT_GT(expect_as_cpu(gpu, phrases, settings), 0U);
  }
}

/// More phrases than two batches take: a third one follows the first.
TEST(GpuPhrases, TinyManyBatches) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5806, CodecKind::kBitpack);
  collection.build(200, 40);
  UploadedPhrases uploaded;
  GpuPhrases& gpu = uploaded.open(collection.open());
  std::vector<QueryNode> phrases;
  for (int i = 0; i < 97; ++i) phrases.push_back(collection.phrase());
  std::vector<const QueryNode*> trees;
  for (std::size_t i = 0; i < 12'301; ++i) trees.push_back(&phrases[i % phrases.size()]);
  TreeSearcher cpu(gpu.snapshot());
  std::vector<SearchResult> wanted;
  for (const QueryNode& phrase : phrases) wanted.push_back(cpu.search(phrase, {}).result);
  std::size_t hits = 0;
  const std::vector<std::optional<SearchResult>> found = gpu.search(trees, {});
  for (std::size_t i = 0; i < trees.size(); ++i) {
    ASSERT_TRUE(found[i].has_value()) << i;
    ASSERT_EQ(found[i]->hits, wanted[i % phrases.size()].hits) << i;
    hits += found[i]->hits.size();
  }
  EXPECT_GT(hits, 0U);
}

TEST(IsExactPhrase, NoSlopNoAlternatives) {
  QueryNode phrase{.kind = QueryNode::Kind::kPhrase, .texts = {"a", "b"}, .positions = {0, 1}};
  EXPECT_TRUE(is_exact_phrase(phrase));
  phrase.slop = 1;
  EXPECT_FALSE(is_exact_phrase(phrase));
  phrase.slop = 0;
  phrase.positions = {0, 0};
  EXPECT_FALSE(is_exact_phrase(phrase));
  phrase.positions = {0, 2};
  phrase.boost = 0;
  EXPECT_FALSE(is_exact_phrase(phrase));
  phrase.boost = 2;
  EXPECT_TRUE(is_exact_phrase(phrase));
  for (std::uint32_t i = 2; i < kMaxGpuPhraseWords; ++i) {
    phrase.texts.push_back("c");
    phrase.positions.push_back(i + 1);
  }
  EXPECT_TRUE(is_exact_phrase(phrase));
  phrase.texts.push_back("c");
  phrase.positions.push_back(100);
  EXPECT_FALSE(is_exact_phrase(phrase));
}

// Shards, on two accounts of the same GPU.
TEST(GpuPhrases, OfShards) {
  WARPDEX_NEEDS_GPU();
  PhraseCollection collection(5805, CodecKind::kBitpack);
  collection.build(3'000, 60);
  for (int i = 0; i < 3; ++i) collection.add(400, 60);
  collection.remove(50);
  const Snapshot snapshot = collection.open();
  ASSERT_GT(snapshot.segments().size(), 2U);
  Resources one;
  Resources two;
  const std::vector<Resources*> gpus{&one, &two, &one};
  for (const std::size_t shards : {2U, 3U}) {
    const GpuGroup group(snapshot, std::span(gpus).first(shards), shards);
    std::vector<GpuPositions> positions;
    for (const GpuSnapshot& shard : group.replica(0)) positions.emplace_back(shard);
    GpuPhrases phrases(snapshot, positions, 2);
    EXPECT_GT(expect_as_cpu(phrases, collection, 8, 60), 0U);
  }
}

}  // namespace
}  // namespace warpdex
