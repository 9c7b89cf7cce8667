// An index in parts answers by messages as one index of all documents does.
#include "warpdex/parts.hpp"

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {
namespace {

class PartsTest : public testing::Test {
 protected:
  static constexpr std::size_t kParts = 3;

  void SetUp() override { build(test::word_documents(random_, 0, 900, 60, 40), {}); }

  /// One index of all documents, and one of each part.
  void build(const std::vector<Document>& documents, const Schema& schema) {
    servers_.clear();
    BuildOptions options = test::plain_build(folder_ / "one");
    options.schema = schema;
    const bool are_vectors = !documents[0].vector.empty();
    const auto read = [&](const std::vector<Document>& from) {
      return are_vectors ? vectors_from_memory(from) : documents_from_memory(from);
    };
    build_index(*read(documents), options);
    const std::size_t ends[] = {1, 400, documents.size()};
    for (std::size_t part = 0; part < kParts; ++part) {
      begins_[part] = part == 0 ? 0 : ends[part - 1];
      const std::vector<Document> some(documents.begin() + begins_[part],
                                       documents.begin() + ends[part]);
      options.output = path(part);
      build_index(*read(some), options);
      servers_.emplace_back(path(part), served_);
    }
  }

  /// Random queries in all modes, of all parts and of the one index.
  void expect_as_one(const AskParts& ask);
  /// The same of learned weights, which are held by blocks of documents.
  void expect_blocks_as_one();
  std::filesystem::path path(std::size_t part) const {
    return folder_ / ("part" + std::to_string(part));
  }
  AskParts ask() {
    return [this](const std::vector<PartMessage>& messages) {
      std::vector<PartReply> replies;
      for (const PartMessage& message : messages) {
        if (message.part == away_) {
          replies.push_back({.failure = "it is away"});
        } else {
          replies.push_back({.bytes = servers_[message.part].answer(message.bytes)});
        }
      }
      return replies;
    };
  }
  std::string some_text() {
    std::string text;
    for (std::size_t n = 1 + random_() % most_words_; n > 0; --n) {
      text += std::string(has_signs_ && random_() % 8 == 0 ? "+" : "") + "w" +
              std::to_string(random_() % 50) + " ";
    }
    return text;
  }

  std::mt19937_64 random_ = test::generator(11);
  test::TemporaryFolder folder_;
  std::size_t begins_[kParts] = {};
  SearcherOptions served_{.threads = 1};
  std::size_t most_words_ = 4;  ///< of a text
  bool has_signs_ = true;
  std::vector<PartServer> servers_;
  std::size_t away_ = kParts;
};

TEST_F(PartsTest, AnswersAsOneIndex) { expect_as_one(ask()); }

TEST_F(PartsTest, BlocksOfDocumentsAnswerAsOneIndex) { expect_blocks_as_one(); }

TEST_F(PartsTest, GpusAnswerByBlocksAsOneIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  served_.device = Device::kGpu;
  expect_blocks_as_one();
}

TEST_F(PartsTest, GpusAnswerAsOneIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  served_.device = Device::kGpu;
  build(test::word_documents(random_, 0, 900, 60, 40), {});
  expect_as_one(ask());
}

void PartsTest::expect_blocks_as_one() {
  std::vector<Document> documents(900);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = std::to_string(i);
    for (int word = 0; word < 50; ++word) {
      if (random_() % 3 != 0) continue;
      documents[i].vector.push_back(
          {"w" + std::to_string(word), static_cast<float>(1 + random_() % 255)});
    }
  }
  served_.document_blocks = true;
  most_words_ = 20;
  has_signs_ = false;
  build(documents, {});
  expect_as_one(ask());
}

void PartsTest::expect_as_one(const AskParts& ask) {
  const Searcher one(folder_ / "one");
  const PartedSearcher parts(kParts, ask);
  EXPECT_EQ(parts.documents(), one.documents());
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
    for (const std::uint32_t k : {1, 10, 1000}) {
      SearchOptions options;
      options.mode = mode;
      options.k = k;
      options.count = random_() % 2 == 0;
      std::vector<std::string> texts(33);
      for (std::string& text : texts) text = some_text();
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      const PartedBatch batch = parts.search(views, options);
      ASSERT_EQ(batch.answers.size(), texts.size());
      EXPECT_EQ(batch.searched, one.documents());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const Answer expected = one.search(texts[i], options);
        const PartedAnswer& answer = batch.answers[i];
        ASSERT_EQ(answer.hits.size(), expected.size()) << texts[i];
        EXPECT_TRUE(answer.is_complete);
        EXPECT_TRUE(!options.count || answer.matches == expected.matches) << texts[i];
        for (std::size_t rank = 0; rank < expected.size(); ++rank) {
          const PartedHit& hit = answer.hits[rank];
          EXPECT_EQ(begins_[hit.part] + hit.document, expected[rank].document());
          EXPECT_EQ(hit.score, expected[rank].score());
          EXPECT_EQ(hit.id, expected[rank].id());
        }
      }
    }
  }
}

/// Of each part a replica that answers, one that fails and one that answers nonsense.
TEST_F(PartsTest, ReplicasAnswerAsOneIndex) {
  const auto set = std::make_shared<ReplicaSet>(kParts, ReplicaSettings{.rest = 0},
                                                std::shared_ptr<ReplicaCounters>(), fault_of_copy);
  const std::vector<std::string> names{"bad", "nonsense", "well"};
  std::atomic<bool> lack_version = false;
  set->take({kParts, names});
  std::thread sender([&] {
    std::uint64_t sent = 0;
    while (const auto call = set->next(sent)) {
      sent = call->number;
      if (lack_version || call->name == "bad") {
        set->failed(sent, "it is bad", lack_version);
      } else {
        set->answered(sent, call->name == "nonsense" ? "nonsense"
                                                     : servers_[call->part].answer(*call->bytes));
      }
    }
  });
  const auto in = [](int seconds) {
    return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  };
  {
    const SearchTime time(in(600));
    expect_as_one(ask_replicas(set));
    EXPECT_FALSE(time.is_version_gone());
    const PartedSearcher parts(kParts, ask_replicas(set));
    lack_version = true;
    EXPECT_THROW(parts.search(std::vector<std::string_view>{"w0"}), IoError);
    EXPECT_TRUE(time.is_version_gone());
    const SearchTime inner(in(600));
    EXPECT_FALSE(inner.is_version_gone());
  }
  EXPECT_THROW(PartedSearcher(kParts, ask_replicas(set)), UsageError);
  set->close();
  sender.join();
}

TEST_F(PartsTest, FindsPhrasesInFieldsWithPositions) {
  std::vector<Document> documents = test::word_documents(random_, 0, 900, 20, 40);
  for (Document& document : documents) {
    document.texts = {document.text, document.text};
    document.text.clear();
  }
  build(documents, parse_schema(R"({"fields": {
      "plain": {"type": "text"}, "placed": {"type": "text", "positions": true}}})"));
  const Searcher one(folder_ / "one");
  const PartedSearcher parts(kParts, ask());
  SearchOptions options;
  options.syntax = QuerySyntax::kLucene;
  std::size_t found = 0;
  for (int i = 0; i < 30; ++i) {
    const std::string words = "\"w" + std::to_string(random_() % 9) + " w" +
                              std::to_string(random_() % 9) + "\"~" + std::to_string(i % 3);
    const std::string text = "placed:" + words;
    const Answer expected = one.search(text, options);
    const std::vector<std::string_view> texts{text};
    const PartedAnswer answer = parts.search(texts, options).answers[0];
    ASSERT_EQ(answer.hits.size(), expected.size()) << text;
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      EXPECT_EQ(answer.hits[rank].id, expected[rank].id());
      EXPECT_EQ(answer.hits[rank].score, expected[rank].score());
    }
    found += expected.size();
    const std::string plain = "plain:" + words;
    const std::vector<std::string_view> refused{plain};
    EXPECT_THROW(parts.search(refused, options), InputError);
  }
  EXPECT_GT(found, 0U);
}

TEST_F(PartsTest, FallBackOverFieldsAsOneIndex) {
  std::vector<Document> documents = test::word_documents(random_, 0, 900, 90, 12);
  for (Document& document : documents) {
    document.texts = {document.text, "w" + std::to_string(random_() % 60)};
    document.text.clear();
  }
  build(documents, parse_schema(R"({"fields": {"a": {"type": "text"}, "b": {"type": "text"}}})"));
  const Searcher one(folder_ / "one");
  const PartedSearcher parts(kParts, ask());
  std::size_t fallen_back = 0;
  for (int round = 0; round < 80; ++round) {
    SearchOptions options{.k = round % 2 == 0 ? 10U : 100U, .mode = QueryMode::kAndOr};
    options.and_or_min = static_cast<std::uint32_t>(random_() % 30);
    options.count = random_() % 2 == 0;
    if (random_() % 3 == 0) options.searched.fields = {{"a"}};
    if (random_() % 3 == 0) options.filter = "NOT id IN [d1, d3, d500]";
    const std::string text = some_text();
    const std::vector<std::string_view> texts{text};
    const Answer expected = one.search(text, options);
    const PartedAnswer answer = parts.search(texts, options).answers[0];
    ASSERT_EQ(answer.fell_back_to_or, expected.fell_back_to_or) << text;
    ASSERT_EQ(answer.hits.size(), expected.size()) << text;
    EXPECT_TRUE(answer.is_complete);
    EXPECT_TRUE(!options.count || answer.matches == expected.matches) << text;
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      EXPECT_EQ(answer.hits[rank].id, expected[rank].id());
      EXPECT_EQ(answer.hits[rank].score, expected[rank].score());
    }
    fallen_back += answer.fell_back_to_or ? 1 : 0;
  }
  EXPECT_GT(fallen_back, 10U);
  EXPECT_LT(fallen_back, 70U);
}

TEST_F(PartsTest, SaysWhatIsMissing) {
  const PartedSearcher parts(kParts, ask());
  const std::vector<std::string_view> texts{"w0 w1"};
  away_ = 1;
  EXPECT_THROW(parts.search(texts), IoError);
  const PartedBatch batch = parts.search(texts, {}, true);
  ASSERT_EQ(batch.missing.size(), 1);
  EXPECT_EQ(batch.missing[0].part, 1);
  EXPECT_EQ(batch.missing[0].reason, "it is away");
  EXPECT_EQ(batch.searched, parts.documents() - 399);
  for (const PartedHit& hit : batch.answers[0].hits) EXPECT_NE(hit.part, 1);
  EXPECT_THROW(PartedSearcher(kParts, ask()), IoError);
}

TEST_F(PartsTest, RefusesWhatPartsCannotBeAsked) {
  const PartedSearcher parts(kParts, ask());
  const std::vector<std::string_view> texts{"w0"};
  SearchOptions shown;
  shown.fields = {"text"};
  EXPECT_THROW(parts.search(texts, shown), UsageError);
  SearchOptions none;
  none.k = 0;
  EXPECT_THROW(parts.search(texts, none), UsageError);
  EXPECT_THROW(PartedSearcher(0, ask()), UsageError);
}

TEST_F(PartsTest, TellsFaultsOfOneCopyFromThoseOfAll) {
  EXPECT_NE(fault_of_copy("no message"), "");
  EXPECT_NE(fault_of_copy(servers_[0].answer("no message")), "");
}

}  // namespace
}  // namespace warpdex
