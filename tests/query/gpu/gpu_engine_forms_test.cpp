// Every form of every kernel of the GPU engine against the oracle: codecs, kinds of scores, modes
// and signs, with and without static scores. Few enough for compute-sanitizer, as all tests named
// Small; those named Tiny for its racecheck, which takes far longer.
#include <algorithm>
#include <string>

#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

struct Form {
  CodecSettings codec;
  ScorerKind kind;
  bool has_statics;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const CodecSettings& codec : test::all_codecs()) {
    for (const ScorerKind kind :
         {ScorerKind::kBm25, ScorerKind::kQueryLikelihood, ScorerKind::kImpact,
          ScorerKind::kBm25Plus, ScorerKind::kJelinekMercer, ScorerKind::kPl2,
          ScorerKind::kBm25Lucene}) {
      forms.push_back({codec, kind, forms.size() % 2 == 0});  // every kind and codec meets both
    }
  }
  return forms;
}

std::string form_name(const testing::TestParamInfo<Form>& info) {
  static constexpr const char* kNames[] = {"Bm25",          "Likelihood", "Impacts",   "Bm25Plus",
                                           "JelinekMercer", "Pl2",        "Bm25Lucene"};
  std::string name = reference::describe(info.param.codec).substr(6);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + kNames[static_cast<int>(info.param.kind)];
}

class GpuForms : public testing::TestWithParam<Form> {
 protected:
  /// Of a query that is too long to be looked up in lists that are decoded once.
  static constexpr std::uint32_t kManyTerms = gpu::kMaxSearchedLists + 1;

  static std::string many_terms() {
    std::string terms;
    for (std::uint32_t i = 0; i < kManyTerms; ++i) terms += " m" + std::to_string(i);
    return terms;
  }

  /// Raw lists, long ones, frequent ones, dense ones, over more than a tile and a bit.
  static Collection make(Random& random, std::uint32_t documents, bool has_statics) {
    Collection collection = test::make_documents(random, documents, has_statics);
    test::add_list(collection, "one", {documents - 1}, random);
    test::add_list(collection, "two", {gpu::kTileDocuments - 1, gpu::kTileDocuments}, random);
    for (const std::uint32_t size : {127U, 128U, 129U, 255U, 256U, 257U, 1023U, 1025U}) {
      test::add_list(collection, 's' + std::to_string(size), test::spread(documents, size), random);
    }
    for (std::uint32_t i = 0; i < kManyTerms; ++i) {
      test::add_list(collection, 'm' + std::to_string(i), test::spread(documents, 20 + i), random);
    }
    test::add_list(collection, "dense", test::run(gpu::kTileDocuments - 700, 1'500), random);
    test::add_list(collection, "frequent", test::scatter(random, documents, 3'000), random);
    test::add_list(collection, "everywhere", test::scatter(random, documents, 9'000), random);
    return collection;
  }

  /// Judges the answers to all queries, by each of the settings.
  static void check(std::uint32_t documents, const std::vector<Query>& queries,
                    const std::vector<SearchSettings>& all_settings) {
    Random random = test::generator(600);
    const test::TemporaryFolder folder;
    const Collection collection = test::write_index_of(
        make(random, documents, GetParam().has_statics), GetParam().kind == ScorerKind::kImpact,
        GetParam().codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const SearchSettings& settings : all_settings) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries, settings), "");
    }
  }
};

class GpuSmall : public GpuForms {
 protected:
  static std::vector<Query> queries() {
    return test::queries_from(
        {"", "one", "two unknown", "s127", "s128 s129", "s255 dense two", "frequent everywhere",
         "everywhere", "frequent frequent s1025 dense", "+s1023 everywhere -dense",
         "+everywhere +frequent s257 -two", "everywhere -frequent", "-dense",
         "s127 s128 s129 s255 s256 s257 dense", "two one s127", many_terms()});
  }
};

TEST_P(GpuSmall, AnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  // k1 of 0: all documents of a term score the same, so that far more survive than are asked for.
  const ScorerSettings usual{.kind = GetParam().kind};
  const ScorerSettings ties{.kind = GetParam().kind, .k1 = 0};
  std::vector<SearchSettings> settings;
  for (const QueryMode mode : test::kAllModes) {
    settings.push_back(test::settings_of(mode, 3, false, usual));
    settings.push_back(test::settings_of(mode, 300, true, usual));
    settings.push_back(test::settings_of(mode, 10, false, ties));
    settings.push_back(test::settings_of(mode, 2'000, false, usual));
  }
  check(2 * gpu::kTileDocuments + 40, queries(), settings);
}

// Where queries are long, tiles are added up from lists that are decoded once.
TEST_P(GpuSmall, LongQueriesAnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const std::string all =
      "one two s127 s128 s129 s255 s256 s257 s1023 s1025 dense frequent everywhere";
  const ScorerSettings usual{.kind = GetParam().kind};
  check(2 * gpu::kTileDocuments + 40, test::queries_from({all, all + " dense two two"}),
        {test::settings_of(QueryMode::kOr, 3, false, usual),
         test::settings_of(QueryMode::kOr, 2'000, false, usual)});
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuSmall, testing::ValuesIn(all_forms()), form_name);

/// A mode a test: by the deeper forms of `pfor`, racecheck takes minutes for each.
class GpuTiny : public GpuForms {
 protected:
  static void check_mode(QueryMode mode, std::uint32_t k, bool count) {
    const ScorerSettings usual{.kind = GetParam().kind};
    check(gpu::kTileDocuments + 1'040,
          test::queries_from({"one s129 frequent", "s257 s257 frequent -dense", "everywhere",
                              "s127 s257 dense frequent", "+everywhere frequent s1025 -dense"}),
          {test::settings_of(mode, k, count, usual)});
  }
};

TEST_P(GpuTiny, OrAnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  check_mode(QueryMode::kOr, 3, false);
}

TEST_P(GpuTiny, AndAnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  check_mode(QueryMode::kAnd, 300, true);
}

TEST_P(GpuTiny, AndOrAnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  check_mode(QueryMode::kAndOr, 300, false);
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuTiny, testing::ValuesIn(all_forms()), form_name);

}  // namespace
}  // namespace warpdex
