// Answers of a reordered index: by the oracle's judgement over its own order, and beside the index
// in the order before: the same scores to the bit, of the same documents but for ties at the end.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex {
namespace {

using test::CollectionMaker;

Index reorder(const std::filesystem::path& from, const std::filesystem::path& to) {
  RewriteOptions options;
  options.input = from;
  options.output = to;
  options.memory = kMinBuildMemory;
  options.threads = 2;
  reorder_index(options, {});
  return Index::open(to);
}

/// Empty if two answers are the same but for documents of the last score.
std::string compare(const Index& one, const SearchResult& a, const Index& other,
                    const SearchResult& b, const SearchSettings& settings) {
  if (a.hits.size() != b.hits.size()) return "other numbers of hits";
  if (a.fell_back_to_or != b.fell_back_to_or) return "only one fell back to or";
  if (settings.count && a.matches != b.matches) return "other numbers of matches";
  if (a.hits.empty()) return {};
  const bool is_cut = a.hits.size() == settings.k;
  const float last = a.hits.back().score;
  std::set<std::string_view> names;
  std::set<std::string_view> other_names;
  for (std::size_t i = 0; i < a.hits.size(); ++i) {
    if (a.hits[i].score != b.hits[i].score) return "another score at " + std::to_string(i);
    if (is_cut && a.hits[i].score == last) continue;
    names.insert(one.document_name(a.hits[i].document));
    other_names.insert(other.document_name(b.hits[i].document));
  }
  return names == other_names ? "" : "other documents";
}

class Reordered : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Reordered, AnswersAsBefore) {
  auto random = test::generator(800 + GetParam());
  const test::TemporaryFolder folder(test::place_in_memory());
  test::SettingsMaker draw(random);
  for (const bool as_impacts : {false, true}) {
    CollectionMaker maker(random, GetParam());
    const CodecSettings codec = test::all_codecs()[random() % test::all_codecs().size()];
    test::write_index_of(maker.make(), as_impacts, codec, folder / "index");
    const Index before = Index::open(folder / "index");
    const Index after = reorder(folder / "index", folder / "reordered");
    ASSERT_THAT(verify_index(folder / "reordered").problems, testing::IsEmpty());
    const reference::Collection collection = test::collection_of(after);
    std::vector<Query> queries;
    for (int i = 0; i < 12; ++i) {
      queries.push_back(test::random_query(random, maker.vocabulary(), draw.draw_terms()));
    }
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {10U, 1000U}) {
        SearchSettings settings = draw.draw();
        settings.mode = mode;
        settings.k = k;
        const auto old_answers = test::search_on_cpu(before, queries, settings, 1);
        const auto new_answers = test::search_on_cpu(after, queries, settings, 1);
        const SearchSettings meant = test::meant_settings(after, settings);
        for (std::size_t i = 0; i < queries.size(); ++i) {
          const std::string what = test::describe(GetParam(), codec, settings, queries[i]);
          ASSERT_EQ(compare(before, old_answers[i], after, new_answers[i], settings), "") << what;
          ASSERT_EQ(
              test::judge(test::find_truth(collection, queries[i], meant), new_answers[i], meant),
              "")
              << what;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Reordered,
                         testing::Values(0, 1, 2, 31, 32, 33, 127, 128, 129, 3000, 20'000));

}  // namespace
}  // namespace warpdex
