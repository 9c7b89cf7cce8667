// Indexes with several text fields on the GPU. Each list scores by the lengths and the statistics
// of its field: against the oracle, in whose collections fields are apart, and where an index
// changed against the CPU, to the bit.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/layout/batch.hpp"
#include "gpu/layout/layout.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// A length in a field: the first is short, the second long, the others are mostly missing.
std::uint32_t draw_length(Random& random, std::size_t field) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  if (field == 0) return below(5) == 0 ? 0 : 1 + below(12);
  if (field == 1) return 1 + below(below(32) == 0 ? 40'000 : 1'000);
  return below(3) == 0 ? 1 + below(300) : 0;
}

/// The lists of a field: raw ones, long, frequent and dense ones, of documents that have the field,
/// as the last one has.
Collection make_field(Random& random, std::uint32_t documents, std::size_t field,
                      bool has_statics) {
  Collection text;
  for (std::uint32_t i = 0; i < documents; ++i) {
    const float score = has_statics ? static_cast<float>(random() % 40) / 16.0F : 0.0F;
    const std::uint32_t length = draw_length(random, field);
    text.add_document_of_length({}, i + 1 < documents ? length : 9, score);
  }
  const auto add = [&](const std::string& word, std::vector<std::uint32_t> docids) {
    std::erase_if(docids, [&](std::uint32_t docid) { return text.lengths()[docid] == 0; });
    test::add_list(text, word, docids, random);
  };
  add("one", {documents - 1});
  for (const std::uint32_t size : {127U, 128U, 129U, 257U, 1'025U}) {
    add('s' + std::to_string(size), test::spread(documents, size));
    add('t' + std::to_string(size), test::scatter(random, documents, 4 * size));
  }
  for (std::uint32_t i = 0; i < 40; ++i) {
    add('m' + std::to_string(i), test::spread(documents, 20 + i));
  }
  add("dense", test::run(documents / 2 - 700, 1'400));
  add("frequent", test::scatter(random, documents, 6'000));
  add("everywhere", test::scatter(random, documents, 14'000));
  return text;
}

Collection make_fields(Random& random, std::uint32_t documents, std::size_t fields,
                       bool has_statics) {
  Collection collection = make_field(random, documents, 0, has_statics);
  for (std::size_t field = 1; field < fields; ++field) {
    collection.add_text(make_field(random, documents, field, false));
  }
  return collection;
}

/// Queries of signed words, each word in all fields, of which some weigh more. "2:word" is in the
/// third field alone.
std::vector<Query> queries_in(std::size_t fields, const std::vector<std::string>& texts) {
  std::vector<Query> queries = test::queries_from(texts);
  for (Query& query : queries) {
    std::vector<QueryTerm> spread;
    for (const QueryTerm& term : query.terms) {
      const bool is_of_one = term.term.size() > 1 && term.term[1] == ':';
      const std::size_t only = is_of_one ? static_cast<std::size_t>(term.term[0] - '0') : 0;
      for (std::size_t field = 0; field < fields; ++field) {
        if (is_of_one && field != only % fields) continue;
        QueryTerm own = term;
        own.term = field_mark(field) + term.term.substr(is_of_one ? 2 : 0);
        if (term.occur != Occur::kMustNot) own.weight = field == 0 ? 2.F : 1.F;
        spread.push_back(own);
      }
    }
    query.terms = std::move(spread);
  }
  return queries;
}

/// So many words, each in one of the fields.
std::string many_words(std::uint32_t count) {
  std::string words;
  for (std::uint32_t i = 0; i < count; ++i) {
    words += ' ' + std::to_string(i % 3) + ":m" + std::to_string(i);
  }
  return words;
}

struct FieldForm {
  CodecSettings codec;
  ScorerKind kind;
  std::size_t fields;
  bool has_statics;
};

/// All codecs by BM25, which has kernels of its own, and by the others in turn.
std::vector<FieldForm> field_forms() {
  constexpr std::array kOthers{ScorerKind::kQueryLikelihood, ScorerKind::kBm25Plus,
                               ScorerKind::kJelinekMercer, ScorerKind::kPl2,
                               ScorerKind::kBm25Lucene};
  std::vector<FieldForm> forms;
  std::size_t turn = 0;
  for (const CodecSettings& codec : test::all_codecs()) {
    forms.push_back({codec, ScorerKind::kBm25, 2 + turn % 2, turn % 3 == 0});
    forms.push_back({codec, kOthers[turn % kOthers.size()], 3 - turn % 2, turn % 3 == 1});
    ++turn;
  }
  return forms;
}

std::string field_form_name(const testing::TestParamInfo<FieldForm>& info) {
  std::string name = reference::describe(info.param.codec).substr(6) + '_' +
                     std::string(scorer_name(info.param.kind));
  for (char& letter : name) {
    if (letter == '+') letter = 'p';
    if (letter == '-') letter = '_';
  }
  return name;
}

/// Judges the answers in all ways, and that the GPU gave them.
void expect_right(const FieldForm& form, std::uint32_t documents,
                  const std::vector<std::string>& texts,
                  const std::vector<SearchSettings>& all_settings) {
  Random random = test::generator(620);
  const test::TemporaryFolder folder;
  const Collection collection = make_fields(random, documents, form.fields, form.has_statics);
  test::write_index(collection, form.codec, folder / "index");
  test::UploadedIndex engine(folder / "index");
  const std::vector<Query> queries = queries_in(form.fields, texts);
  for (const SearchSettings& settings : all_settings) {
    ASSERT_EQ(test::judge_batch(collection, engine, queries, settings), "");
  }
  const GpuStatistics statistics = engine.searcher().statistics();
  EXPECT_GT(statistics.queries, 0U);
  EXPECT_EQ(statistics.unanswered_queries, 0U);
}

class GpuTextFields : public testing::TestWithParam<FieldForm> {};

TEST_P(GpuTextFields, AnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const ScorerSettings usual{.kind = GetParam().kind};
  std::vector<SearchSettings> settings;
  for (const QueryMode mode : test::kAllModes) {
    settings.push_back(test::settings_of(mode, 3, false, usual));
    settings.push_back(test::settings_of(mode, 300, true, usual));
    settings.push_back(test::settings_of(mode, 10, false, {.kind = usual.kind, .k1 = 0}));
    settings.push_back(test::settings_of(mode, 2'000, false, usual));
  }
  expect_right(GetParam(), 2 * gpu::kTileDocuments + 40,
               {"", "one", "0:one unknown", "s127", "s128 1:s129", "s257 dense 1:one",
                "frequent everywhere", "everywhere", "frequent frequent s1025 dense",
                "+0:s257 everywhere -1:dense", "+1:everywhere +0:frequent s257 -2:one",
                "everywhere -0:frequent", "-dense", "t127 t128 t129 t257 t1025 dense",
                "1:everywhere", "2:frequent 0:everywhere", many_words(40)},
               settings);
}

// Where queries are long, tiles are added up from lists that are decoded once.
TEST_P(GpuTextFields, LongQueriesAnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const ScorerSettings usual{.kind = GetParam().kind};
  const std::string all = "one s127 s128 s129 s257 s1025 t128 t257 dense frequent everywhere";
  expect_right(GetParam(), 2 * gpu::kTileDocuments + 40, {all, all + " 1:m7 -0:m8"},
               {test::settings_of(QueryMode::kOr, 3, false, usual),
                test::settings_of(QueryMode::kOr, 2'000, false, usual)});
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuTextFields, testing::ValuesIn(field_forms()), field_form_name);

// Few enough for compute-sanitizer.
class GpuTextFieldsTiny : public testing::TestWithParam<FieldForm> {};

TEST_P(GpuTextFieldsTiny, AnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const ScorerSettings usual{.kind = GetParam().kind};
  expect_right(GetParam(), gpu::kTileDocuments + 1'040,
               {"0:one s129 frequent", "everywhere", "+1:everywhere frequent s1025 -0:dense"},
               {test::settings_of(QueryMode::kOr, 3, false, usual),
                test::settings_of(QueryMode::kAndOr, 300, true, usual)});
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, GpuTextFieldsTiny,
    testing::Values(FieldForm{{CodecKind::kBitpack, 1}, ScorerKind::kBm25, 2, false},
                    FieldForm{{CodecKind::kRice, 1}, ScorerKind::kBm25, 3, true},
                    FieldForm{{CodecKind::kPfor, 2}, ScorerKind::kBm25, 2, false},
                    FieldForm{{CodecKind::kPforBlock, 1}, ScorerKind::kQueryLikelihood, 3, false}),
    field_form_name);

// With more fields than FieldConstants has room for, and documents too long for a length code.
TEST(GpuManyTextFields, AnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  for (const std::size_t fields : {gpu::FieldConstants::kMost, gpu::FieldConstants::kMost + 1}) {
    const FieldForm form{{CodecKind::kBitpack, 1}, ScorerKind::kBm25, fields, false};
    expect_right(form, 20'000, {"everywhere", "s129 7:frequent 8:dense", "+8:everywhere s1025"},
                 {test::settings_of(QueryMode::kOr, 10), test::settings_of(QueryMode::kAnd, 100),
                  test::settings_of(QueryMode::kOr, 1'000, true)});
  }
}

class GpuTextFieldsRandom : public testing::TestWithParam<std::uint64_t> {
 protected:
  Collection draw_collection(std::uint64_t& vocabulary) {
    test::CollectionMaker maker(random_, GetParam());
    Collection collection = maker.make();
    vocabulary = maker.vocabulary();
    for (std::uint64_t more = 1 + test::below(random_, 2); more > 0; --more) {
      test::CollectionMaker other(random_, GetParam());
      collection.add_text(other.make());
      vocabulary = std::max(vocabulary, other.vocabulary());
    }
    return collection;
  }

  std::vector<Query> draw_queries(const Collection& collection, std::uint64_t vocabulary) {
    std::vector<Query> queries;
    for (int i = 0; i < 7; ++i) {
      queries.push_back(test::random_query(random_, vocabulary, maker_.draw_terms()));
      test::give_weights(random_, queries.back());
      for (QueryTerm& term : queries.back().terms) {
        term.term = field_mark(test::below(random_, collection.texts())) + term.term;
      }
    }
    return queries;
  }

  Random random_ = test::generator(5900 + GetParam());
  test::SettingsMaker maker_{random_};
};

TEST_P(GpuTextFieldsRandom, AnswerAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (std::uint64_t turn = 0; turn < 2; ++turn) {
    std::uint64_t vocabulary = 0;
    const Collection collection = draw_collection(vocabulary);
    const test::TemporaryFolder folder(test::place_in_memory());
    const std::size_t codec = (test::seed() + GetParam() + turn) % codecs.size();
    test::write_index(collection, codecs[codec], folder / "index");
    test::UploadedIndex engine(folder / "index");
    const int rounds = GetParam() < 10'000 ? 12 : 5;
    for (int round = 0; round < rounds; ++round) {
      ASSERT_EQ(test::judge_batch(collection, engine, draw_queries(collection, vocabulary),
                                  maker_.draw()),
                "")
          << collection.texts() << " fields";
    }
  }
}

constexpr std::array<std::uint64_t, 13> kFieldSizes{
    1, 31, 32, 33, 127, 128, 129, 1'000, 4'097, 16'384, 16'385, 33'000, 66'000};
INSTANTIATE_TEST_SUITE_P(Sizes, GpuTextFieldsRandom, testing::ValuesIn(kFieldSizes));

// Changed indexes: several segments, joined, and removed documents.
TEST(GpuSnapshotFields, TinyRandomOperations) {
  WARPDEX_NEEDS_GPU();
  for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice}) {
    test::Living living(880, codec, false, 300, codec == CodecKind::kPfor, 2);
    test::Uploaded uploaded;
    for (int round = 0; round < 4; ++round) {
      living.change(1 + living.below(5));
      test::expect_as_cpu(living, uploaded.open(living), 40);
      ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    }
  }
}

TEST(GpuSnapshotFields, SeveralTilesInEveryWay) {
  WARPDEX_NEEDS_GPU();
  test::Living living(881, CodecKind::kBitpack, false, 40'000, false, 3);
  for (const std::size_t documents : {17'000, 129, 1}) {
    living.add_some(documents);
    living.commit();
  }
  test::Uploaded uploaded;
  test::expect_as_cpu(living, uploaded.open(living), 300);
  living.remove_share(20);
  living.commit();
  const GpuSnapshot& gpu = uploaded.open(living);
  for (const test::Way& way : test::kWays) {
    test::expect_as_cpu(living, gpu, 100, way.ablation);
    ASSERT_FALSE(testing::Test::HasFailure()) << way.name;
  }
}

// Memory is too little to join the segments, so that each is searched by itself; or to hold all
// lists; or for anything.
TEST(GpuSnapshotFields, LittleMemory) {
  WARPDEX_NEEDS_GPU();
  test::Living living(888, CodecKind::kPfor, false, 20'000, false, 2);
  living.add_some(5'000);
  living.remove_share(20);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  const test::LivingLog log(living, snapshot, 100);
  CpuSearcher cpu(snapshot);
  std::size_t answered = 0;
  for (const std::size_t mebibytes : {1, 8, 16, 32, 64, 120}) {
    Resources resources({.device = 0, .memory = mebibytes << 20});
    std::optional<GpuSnapshot> gpu;
    try {
      gpu.emplace(snapshot, resources);
    } catch (const UsageError&) {
      continue;
    }
    GpuEngine engine(*gpu);
    const BatchAnswers answers = engine.run(log.plans, log.settings);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].is_answered) continue;
      ++answered;
      const SearchResult wanted = cpu.run(log.plans[i], log.settings[i]);
      ASSERT_EQ(test::disagreement(wanted, answers.result(i), log.settings[i]), "")
          << mebibytes << " MiB, " << reference::describe(log.queries[i]);
    }
  }
  EXPECT_GT(answered, 100U);
}

}  // namespace
}  // namespace warpdex
