// Indexes with several text fields against the oracle, in whose collections a field's terms,
// lengths and counts are its own.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

using reference::Collection;

class TextFields : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Documents of 2 to 4 fields. Static scores are those of the first one.
  Collection draw_collection(std::uint64_t& vocabulary) {
    test::CollectionMaker maker(random_, GetParam());
    Collection collection = maker.make();
    vocabulary = maker.vocabulary();
    for (std::uint64_t more = 1 + test::below(random_, 3); more > 0; --more) {
      test::CollectionMaker other(random_, GetParam());
      collection.add_text(other.make());
      vocabulary = std::max(vocabulary, other.vocabulary());
    }
    return collection;
  }

  /// Terms of all fields.
  Query draw_query(const Collection& collection, std::uint64_t vocabulary, std::uint64_t terms) {
    Query query = test::random_query(random_, vocabulary, terms);
    test::give_weights(random_, query);
    for (QueryTerm& term : query.terms) {
      term.term = field_mark(test::below(random_, collection.texts())) + term.term;
    }
    return query;
  }

  test::Random random_ = test::generator(5700 + GetParam());
  test::SettingsMaker maker_{random_};
};

TEST_P(TextFields, AnswersAsTheOracle) {
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    const CodecSettings codec = codecs[(test::seed() + GetParam() + turn) % codecs.size()];
    std::uint64_t vocabulary = 0;
    const Collection collection = draw_collection(vocabulary);
    const test::TemporaryFolder folder(test::place_in_memory());
    test::write_index(collection, codec, folder / "index");
    EXPECT_EQ(verify_index(folder / "index").problems, std::vector<std::string>());
    const Index index = Index::open(folder / "index");
    CpuSearcher searcher(index);
    for (int round = 0; round < 32; ++round) {
      const SearchSettings settings = maker_.draw();
      std::vector<Query> queries;
      for (int i = 0; i < 5; ++i) {
        queries.push_back(draw_query(collection, vocabulary, maker_.draw_terms()));
      }
      const std::vector<SearchResult> results =
          test::search_on_cpu(index, queries, settings, maker_.draw_threads());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const std::string what =
            test::describe(collection.documents(), codec, settings, queries[i]);
        const test::Truth truth = test::find_truth(collection, queries[i], settings);
        ASSERT_EQ(test::judge(truth, results[i], settings), "") << what;
        ASSERT_EQ(test::judge(truth, searcher.search(queries[i], settings), settings), "")
            << "alone: " << what;
      }
    }
  }
}

/// Groups that are no terms with signs, so that a TreeSearcher answers: words that must be in one
/// of the fields. The oracle scores their terms, and the groups are told apart here.
TEST_P(TextFields, WordsInOneOfTheFieldsAnswerAsTheOracle) {
  std::uint64_t vocabulary = 0;
  const Collection collection = draw_collection(vocabulary);
  const test::TemporaryFolder folder(test::place_in_memory());
  test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  TreeSearcher searcher(Snapshot::open(folder / "index"));
  for (int i = 0; i < 40; ++i) {
    QueryNode tree{.kind = QueryNode::Kind::kBoolean};
    Query flat;
    std::vector<std::vector<std::string>> groups;
    for (std::uint64_t words = 2 + test::below(random_, 3); words > 0; --words) {
      const Query word = test::random_query(random_, vocabulary, 1);
      if (word.terms.empty()) continue;
      QueryNode group{.kind = QueryNode::Kind::kBoolean};
      groups.emplace_back();
      for (std::size_t field = 0; field < collection.texts(); ++field) {
        const std::string term = field_mark(field) + word.terms[0].term;
        const float weight = 0.5F * static_cast<float>(1 + field);
        group.should.push_back({.kind = QueryNode::Kind::kTerm, .boost = weight, .text = term});
        flat.terms.push_back({.term = term, .weight = weight});
        groups.back().push_back(term);
      }
      tree.must.push_back(std::move(group));
    }
    SearchSettings settings{.k = 20, .count = true, .scorer = {}};
    const reference::Ranking all = reference::rank(collection, flat, settings);
    std::vector<reference::RankedDocument> wanted;
    for (const reference::RankedDocument& document : all.documents) {
      const auto has = [&](const std::string& term) {
        return std::ranges::any_of(collection.postings(term), [&](const auto& posting) {
          return posting.document == document.document;
        });
      };
      if (std::ranges::all_of(groups,
                              [&](const auto& group) { return std::ranges::any_of(group, has); })) {
        wanted.push_back(document);
      }
    }
    const SearchResult found = searcher.search(tree, settings).result;
    if (groups.empty()) continue;
    ASSERT_EQ(found.matches, wanted.size()) << reference::describe(flat);
    ASSERT_EQ(found.hits.size(), std::min<std::size_t>(settings.k, wanted.size()));
    for (std::size_t rank = 0; rank < found.hits.size(); ++rank) {
      EXPECT_NEAR(found.hits[rank].score, wanted[rank].score,
                  wanted[rank].tolerance + 1e-5 * wanted[rank].score);
    }
  }
}

constexpr std::array<std::uint64_t, 7> kTextSizes{1, 31, 128, 1'000, 4'097, 20'000, 40'000};
INSTANTIATE_TEST_SUITE_P(Sizes, TextFields, testing::ValuesIn(kTextSizes));

}  // namespace
}  // namespace warpdex
