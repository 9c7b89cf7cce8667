#include "tests/query/engine/random_engine_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tests/reference/compare.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::test {
namespace {

constexpr std::array<std::uint64_t, 4> kVocabularies{3, 60, 3'000, 200'000};

/// Terms of every kind of name: short, not ASCII, long.
std::string term_name(std::uint64_t id) {
  if (id % 7 == 3) return "\xC3\xA9" + std::to_string(id);
  if (id % 97 == 5) return std::string(300, 'z') + std::to_string(id);
  return 't' + std::to_string(id);
}

/// A number below `bound`, small ones far more often: about Zipf's law.
std::uint64_t zipf(Random& random, std::uint64_t bound) {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53;
  return std::min(bound - 1,
                  static_cast<std::uint64_t>(std::pow(static_cast<double>(bound) + 1.0, u)) - 1);
}

std::vector<ScorerSettings> all_scorers() {
  std::vector<ScorerSettings> scorers;
  for (const Bm25Form form : {Bm25Form::kLucene, Bm25Form::kPisa}) {
    for (const float k1 : {0.0F, 0.9F, 1.2F, 5.0F}) {
      for (const float b : {0.0F, 0.4F, 1.0F}) {
        scorers.push_back({.kind = ScorerKind::kBm25, .form = form, .k1 = k1, .b = b});
      }
    }
  }
  for (const float delta : {0.0F, 1.0F, 20.0F}) {
    for (const float k1 : {0.0F, 1.2F}) {
      scorers.push_back({.kind = ScorerKind::kBm25Plus, .k1 = k1, .b = 0.75F, .delta = delta});
    }
  }
  for (const float b : {0.0F, 0.4F, 1.0F}) {
    scorers.push_back({.kind = ScorerKind::kBm25Lucene, .b = b});
  }
  for (const float lambda : {0.001F, 0.1F, 0.7F, 1.0F}) {
    scorers.push_back({.kind = ScorerKind::kJelinekMercer, .jm_lambda = lambda});
  }
  for (const float c : {0.01F, 0.5F, 1.0F, 7.0F, 1000.0F}) {
    scorers.push_back({.kind = ScorerKind::kPl2, .pl2_c = c});
  }
  for (const float mu : {0.5F, 100.0F, 1000.0F, 1e5F}) {
    for (int copy = 0; copy < 3; ++copy) {
      scorers.push_back({.kind = ScorerKind::kQueryLikelihood, .mu = mu});
    }
  }
  return scorers;
}

}  // namespace

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }
bool chance(Random& random, std::uint64_t percent) { return below(random, 100) < percent; }

CollectionMaker::CollectionMaker(Random& random, std::uint64_t documents)
    : random_(random), documents_(documents), vocabulary_(kVocabularies.at(below(random, 4))) {}

reference::Collection CollectionMaker::make() {
  reference::Collection collection;
  const bool has_statics = chance(random_, 50);
  for (std::uint64_t document = 0; document < documents_; ++document) {
    if (!chance(random_, 10)) next_document(document);
    const std::vector<std::string_view> views(words_.begin(), words_.end());
    collection.add_document(views, has_statics ? static_score() : 0);
  }
  return collection;
}

void CollectionMaker::next_document(std::uint64_t document) {
  words_.clear();
  if (chance(random_, 4)) return;
  if (chance(random_, 96)) words_.push_back(term_name(0));
  if (document % 4096 > 900 && document % 4096 < 2600) words_.push_back(term_name(1));
  if (documents_ <= 5'000 ? chance(random_, 1) : below(random_, 2'000) == 0) {
    const std::string repeated = term_name(zipf(random_, vocabulary_));
    words_.insert(words_.end(), 1 + below(random_, chance(random_, 5) ? 70'000 : 300), repeated);
  }
  const std::uint64_t length = chance(random_, 1) ? below(random_, 1'500) : below(random_, 25);
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t topic = chance(random_, 40) ? document / 333 * 11 : 0;
    words_.push_back(term_name((zipf(random_, vocabulary_) + topic) % vocabulary_));
  }
}

float CollectionMaker::static_score() {
  if (chance(random_, 30)) return 0;
  return static_cast<float>(below(random_, 50)) / 8.0F;
}

Query random_query(Random& random, std::uint64_t vocabulary, std::uint64_t terms) {
  const std::uint64_t unknown = chance(random, 20) ? 20 : 0;
  const std::uint64_t must = chance(random, 30) ? 30 : 0;
  const std::uint64_t must_not = chance(random, 30) ? 20 : 0;
  Query query;
  while (query.terms.size() < terms) {
    std::string name = chance(random, 75) ? term_name(zipf(random, vocabulary))
                                          : term_name(below(random, vocabulary));
    if (chance(random, unknown)) name = "unknown" + std::to_string(below(random, 3));
    Occur occur = Occur::kUnsigned;
    if (chance(random, must)) occur = Occur::kMust;
    if (chance(random, must_not)) occur = Occur::kMustNot;
    query.terms.push_back({name, occur});
  }
  return query;
}

void give_weights(Random& random, Query& query) {
  const std::uint64_t kind = below(random, 6);
  for (QueryTerm& term : query.terms) {
    const double u = static_cast<double>(1 + below(random, 1'000'000)) * 1e-6;
    if (kind == 0) term.weight = static_cast<float>(1 + below(random, 300));
    if (kind == 1) term.weight = static_cast<float>(4 * u);
    if (kind == 2) term.weight = static_cast<float>(std::exp(20 * u - 10));
  }
}

SettingsMaker::SettingsMaker(Random& random) : random_(random), scorers_(all_scorers()) {}

SearchSettings SettingsMaker::draw() {
  SearchSettings settings;
  settings.mode = modes_.draw(random_);
  settings.scorer = scorers_.draw(random_);
  settings.k = ks_.draw(random_);
  settings.and_or_min = minima_.draw(random_);
  settings.count = counts_.draw(random_) != 0;
  return settings;
}

SearchSettings meant_settings(const Index& index, const SearchSettings& settings) {
  SearchSettings meant = settings;
  if (index.settings().impacts) meant.scorer.kind = ScorerKind::kImpact;
  return meant;
}

std::string describe(std::uint64_t documents, const CodecSettings& codec,
                     const SearchSettings& settings, const Query& query) {
  return "documents=" + std::to_string(documents) + ' ' + reference::describe(codec) + ' ' +
         reference::describe(settings) + ' ' + reference::describe(query);
}

}  // namespace warpdex::test
