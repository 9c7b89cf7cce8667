// Shards that refuse and parts that are missing: nothing of it is silent, and the bounds hold.
// Parts that changed answer as an index of what is live in them.
#include "warpdex/query/shards/shard.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/local_parts.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::shards {
namespace {

/// Documents with words by Zipf's law and a year. Their vectors have the same words.
class DocumentMaker {
 public:
  explicit DocumentMaker(test::Random& random) : random_(random) {}

  std::string word() {
    const double uniform = static_cast<double>(test::below(random_, 1'000'000)) / 1e6;
    return "w" + std::to_string(static_cast<int>(std::pow(800.0, uniform)));
  }

  std::vector<Document> draw(std::size_t count) {
    std::vector<Document> documents(count);
    for (Document& document : documents) {
      document.id = "d" + std::to_string(next_++);
      for (std::uint64_t words = test::below(random_, 30); words > 0; --words) {
        document.text += word() + " ";
      }
      document.vector = {{word() + "x", 1.0F}, {word(), 1.0F + static_cast<float>(next_ % 255)}};
      document.values = {{static_cast<std::int64_t>(next_ % 100)}};
    }
    return documents;
  }

  Query query() {
    Query query;
    for (std::uint64_t count = 1 + test::below(random_, 4); count > 0; --count) {
      const Occur occur = test::chance(random_, 10)   ? Occur::kMust
                          : test::chance(random_, 10) ? Occur::kMustNot
                                                      : Occur::kUnsigned;
      query.terms.push_back({word(), occur});
    }
    return query;
  }

 private:
  test::Random& random_;
  int next_ = 0;
};

/// Parts that documents came to and went from, and an index of all that is live.
class ChangedParts : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) make_part(folder_ / std::to_string(i));
    build(folder_ / "whole", live_, CodecKind::kPfor);
  }

  void build(const std::filesystem::path& output, std::vector<Document> documents,
             CodecKind codec) const {
    BuildOptions options;
    options.output = output;
    options.codec.kind = codec;
    options.analyzer = "whitespace";
    options.schema.fields = {{.name = "year", .type = FieldType::kInt}};
    options.threads = 1;
    build_index(*reader_of(std::move(documents)), options);
  }

  static std::unique_ptr<DocumentReader> reader_of(std::vector<Document> documents) {
    return GetParam() ? vectors_from_memory(std::move(documents))
                      : documents_from_memory(std::move(documents));
  }

  /// Of several segments, with removed documents.
  void make_part(const std::filesystem::path& place) {
    std::vector<Document> documents = maker_.draw(400);
    build(place, documents, CodecKind::kBitpack);
    LivingIndex index(place);
    for (int segment = 0; segment < 2; ++segment) {
      const std::vector<Document> more = maker_.draw(50 + test::below(random_, 400));
      index.add(*reader_of(more));
      documents.insert(documents.end(), more.begin(), more.end());
      index.commit();
    }
    std::erase_if(documents, [&](const Document& document) {
      return test::chance(random_, 20) && index.remove(document.id);
    });
    index.commit();
    live_.insert(live_.end(), documents.begin(), documents.end());
  }

  test::Random random_ = test::generator(7800 + (GetParam() ? 1 : 0));
  DocumentMaker maker_{random_};
  test::TemporaryFolder folder_{test::place_in_memory()};
  std::vector<Document> live_;
};

TEST_P(ChangedParts, AnswerAsTheOracleDoesForWhatIsLive) {
  const Index whole = Index::open(folder_ / "whole");
  const reference::Collection collection = test::collection_of(whole);
  test::LocalParts parts({Snapshot::open(folder_ / "0"), Snapshot::open(folder_ / "1"),
                          Snapshot::open(folder_ / "2")});
  EXPECT_GT(parts.snapshots()[0].segments().size(), 1U);
  EXPECT_GT(parts.snapshots()[0].removed_documents(), 0U);
  test::SettingsMaker settings_maker(random_);
  for (int i = 0; i < 200; ++i) {
    const Query query = maker_.query();
    const SearchSettings settings = settings_maker.draw();
    const MergedAnswer answer =
        parts.broker().search({&query, 1}, {&settings, 1}, {.wants_names = true}).answers[0];
    SearchResult found = parts.joined(answer);
    for (std::size_t rank = 0; rank < found.hits.size(); ++rank) {
      found.hits[rank].document = whole.find_document(answer.names[rank]).value();
    }
    const SearchSettings meant = test::meant_settings(whole, settings);
    const test::Truth truth = test::find_truth(collection, query, meant);
    ASSERT_EQ(test::judge(truth, found, meant), "")
        << test::describe(live_.size(), {}, settings, query);
  }
}

/// What the oracle finds, of the documents that pass.
TEST_P(ChangedParts, FiltersArePartOfTheQuestion) {
  const Index whole = Index::open(folder_ / "whole");
  const reference::Collection collection = test::collection_of(whole);
  test::LocalParts parts({Snapshot::open(folder_ / "0"), Snapshot::open(folder_ / "1"),
                          Snapshot::open(folder_ / "2")});
  for (int i = 0; i < 50; ++i) {
    const Query query = maker_.query();
    const auto limit = static_cast<std::int64_t>(test::below(random_, 100));
    const SearchSettings settings = test::meant_settings(whole, {.k = 20, .scorer = {}});
    const BrokerSettings how{.filter = "year < " + std::to_string(limit), .wants_names = true};
    const MergedAnswer answer = parts.broker().search({&query, 1}, {&settings, 1}, how).answers[0];
    std::vector<std::pair<std::string, float>> wanted;
    for (const Hit& hit : test::find_truth(collection, query, settings).float_ranking) {
      const std::int64_t year = std::get<std::int64_t>(live_[hit.document].values[0][0]);
      if (year >= limit || wanted.size() == settings.k) continue;
      wanted.emplace_back(live_[hit.document].id, hit.score);
    }
    ASSERT_EQ(answer.hits.size(), wanted.size());
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      EXPECT_EQ(answer.names[rank], wanted[rank].first);
      EXPECT_EQ(answer.hits[rank].score, wanted[rank].second);
    }
  }
  const Query query = maker_.query();
  const SearchSettings settings;
  EXPECT_THROW(parts.broker().search({&query, 1}, {&settings, 1}, {.filter = "year <"}),
               InputError);
}

/// With a part that does not answer, what is said of it holds.
TEST_P(ChangedParts, APartThatIsMissingIsTold) {
  test::LocalParts parts({Snapshot::open(folder_ / "0"), Snapshot::open(folder_ / "1"),
                          Snapshot::open(folder_ / "2")});
  test::SettingsMaker settings_maker(random_);
  int complete = 0;
  for (int i = 0; i < 100 || (complete == 0 && i < 5'000); ++i) {
    const Query query = maker_.query();
    const SearchSettings settings = settings_maker.draw();
    parts.replace_replies({});
    const MergedAnswer whole = parts.broker().search({&query, 1}, {&settings, 1}).answers[0];
    const auto gone = static_cast<std::uint32_t>(test::below(random_, 3));
    parts.replace_replies([&](const PartMessage& message) {
      return PartReply{.bytes = {}, .failure = message.part == gone ? "timed out" : ""};
    });
    EXPECT_THROW(parts.broker().search({&query, 1}, {&settings, 1}), IoError);
    const MergedBatch batch =
        parts.broker().search({&query, 1}, {&settings, 1}, {.on_missing = OnMissing::kPartial});
    ASSERT_EQ(batch.coverage.missing.size(), 1U);
    EXPECT_EQ(batch.coverage.missing[0].part, gone);
    EXPECT_EQ(batch.coverage.missing[0].reason, "timed out");
    EXPECT_LT(batch.coverage.searched, batch.coverage.documents);
    EXPECT_TRUE(batch.coverage.has_whole_statistics);  // it was asked for these terms before
    const MergedAnswer& answer = batch.answers[0];
    EXPECT_LE(answer.matches, std::max(whole.matches, answer.matches));
    for (const GlobalHit& hit : answer.hits) EXPECT_NE(hit.part, gone);
    if (answer.fell_back_to_or != whole.fell_back_to_or) {
      EXPECT_FALSE(answer.is_complete);
      continue;
    }
    for (const GlobalHit& hit : whole.hits) {
      if (hit.part != gone) continue;
      EXPECT_LE(hit.score, answer.max_missing_score);
    }
    if (!answer.is_complete) continue;
    EXPECT_EQ(answer.hits, whole.hits);
    ++complete;
  }
  EXPECT_GT(complete, 0);
}

INSTANTIATE_TEST_SUITE_P(Weights, ChangedParts, testing::Bool());

class ShardOfFew : public testing::Test {
 protected:
  Snapshot build(const std::string& name, const std::string& analyzer = "whitespace") {
    BuildOptions options;
    options.output = folder_ / name;
    options.analyzer = analyzer;
    options.threads = 1;
    build_index(*documents_from_memory({{name + "1", "sea"}, {name + "2", "sea ship"}}), options);
    return Snapshot::open(options.output);
  }

  Failure::Kind failure_of(const std::string& message) {
    Shard shard(build("a"), {.threads = 1});
    return read_failure(shard.answer(message)).kind;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ShardOfFew, SaysWhyItDoesNotAnswer) {
  EXPECT_EQ(failure_of("no message"), Failure::Kind::kDamage);
  EXPECT_EQ(failure_of(write(TermsAnswer{})), Failure::Kind::kUsage);
  EXPECT_EQ(failure_of(write(TermsRequest{.version = 1})), Failure::Kind::kOtherVersion);
  const Snapshot part = build("a");
  SearchRequest request{
      .version = part_version(part), .queries = {{}}, .settings = {{.k = 0, .scorer = {}}}};
  EXPECT_EQ(failure_of(write(request)), Failure::Kind::kUsage);
  request.settings[0].k = 1;
  request.filter = "year <";
  EXPECT_EQ(failure_of(write(request)), Failure::Kind::kInput);
}

TEST_F(ShardOfFew, VersionsAreThoseOfTheContent) {
  const std::uint64_t version = part_version(build("a"));
  EXPECT_EQ(part_version(build("a")), version);
  EXPECT_NE(part_version(build("b")), version);
  LivingIndex index(folder_ / "a");
  index.remove("a1");
  index.commit();
  EXPECT_NE(part_version(Snapshot::open(folder_ / "a")), version);
}

TEST_F(ShardOfFew, PartsThatDoNotFitTogetherAreRefused) {
  EXPECT_THROW(test::LocalParts({build("a"), build("b", "english")}), UsageError);
}

TEST_F(ShardOfFew, APartOfAnotherVersionIsMissing) {
  test::LocalParts parts({build("a"), build("b")});
  Shard other(build("c"), {.threads = 1});
  parts.replace_replies([&](const PartMessage& message) {
    return PartReply{.bytes = message.part == 1 ? other.answer(message.bytes) : "", .failure = {}};
  });
  const Query query{.id = {}, .terms = {{"sea"}}};
  const SearchSettings settings;
  EXPECT_THROW(parts.broker().search({&query, 1}, {&settings, 1}), IoError);
  const MergedBatch batch =
      parts.broker().search({&query, 1}, {&settings, 1}, {.on_missing = OnMissing::kPartial});
  EXPECT_EQ(batch.answers[0].hits.size(), 2U);
  EXPECT_FALSE(batch.answers[0].is_complete);
  EXPECT_FALSE(batch.coverage.has_whole_statistics);
  EXPECT_TRUE(std::isinf(batch.answers[0].max_missing_score));
}

/// A part that lacks what was asked for is missing, and is not asked for ever.
TEST_F(ShardOfFew, AnswersAreWhole) {
  test::LocalParts parts({build("a"), build("b")});
  Shard same(build("b"), {.threads = 1});
  bool has_names = false;
  parts.replace_replies([&](const PartMessage& message) {
    if (message.part == 0 || kind_of(message.bytes) != MessageKind::kSearchRequest) {
      return PartReply{};
    }
    SearchAnswer answer = read_search_answer(same.answer(message.bytes));
    for (PartAnswer& query : answer.queries) {
      if (!has_names) query.names.clear();
      query.matches_are_exact = false;
    }
    return PartReply{.bytes = write(answer), .failure = {}};
  });
  const Query query{.id = {}, .terms = {{"sea"}, {"ship"}}};
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAndOr}) {
    const SearchSettings settings{.mode = mode, .scorer = {}};
    const MergedBatch batch = parts.broker().search(
        {&query, 1}, {&settings, 1}, {.wants_names = true, .on_missing = OnMissing::kPartial});
    ASSERT_EQ(batch.coverage.missing.size(), 1U);
    EXPECT_EQ(batch.coverage.missing[0].part, 1U);
    EXPECT_EQ(batch.answers[0].names.size(), batch.answers[0].hits.size());
    has_names = true;
  }
}

}  // namespace
}  // namespace warpdex::shards
