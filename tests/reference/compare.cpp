#include "tests/reference/compare.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_set>

namespace warpdex::reference {
namespace {

/// What the oracle says of a document; null if it does not match.
const RankedDocument* truth_of(const Ranking& ranking, std::uint32_t document) {
  if (document >= ranking.place.size() || ranking.place[document] < 0) return nullptr;
  return &ranking.documents[static_cast<std::size_t>(ranking.place[document])];
}

/// Whether `better` is above `worse` by more than what float may confuse.
bool clearly_above(const RankedDocument& better, const RankedDocument& worse) {
  return better.score - worse.score > std::max(better.tolerance, worse.tolerance);
}

std::ostringstream message() {
  std::ostringstream text;
  text.precision(9);
  return text;
}

std::string check_size(const Ranking& ranking, const SearchResult& result,
                       const SearchSettings& settings) {
  const std::size_t expected = std::min<std::size_t>(settings.k, ranking.documents.size());
  if (result.hits.size() == expected) return {};
  std::ostringstream text = message();
  text << result.hits.size() << " hits instead of " << expected;
  return text.str();
}

std::string check_matches(const Ranking& ranking, const SearchResult& result,
                          const SearchSettings& settings) {
  const std::size_t expected = ranking.documents.size();
  const bool right = settings.count ? result.matches == expected : result.matches <= expected;
  if (right) return {};
  std::ostringstream text = message();
  text << result.matches << (settings.count ? " matches counted" : " matches as a lower bound")
       << ", there are " << expected;
  return text.str();
}

std::string check_scores(const Ranking& ranking, const SearchResult& result) {
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t rank = 0; rank < result.hits.size(); ++rank) {
    const Hit& hit = result.hits[rank];
    std::ostringstream text = message();
    text << "rank " << rank << ": document " << hit.document << ' ';
    const RankedDocument* right = truth_of(ranking, hit.document);
    if (right == nullptr) return text.str() + "does not match";
    if (!seen.insert(hit.document).second) return text.str() + "comes twice";
    // Written so that NaN is an error.
    if (!(std::abs(hit.score - right->score) <= right->tolerance)) {
      text << "scores " << hit.score << " instead of " << right->score;
      return text.str();
    }
  }
  return {};
}

/// That the hits are sorted by what they claim to score, and equal ones by docID.
std::string check_sorted(const SearchResult& result) {
  for (std::size_t rank = 1; rank < result.hits.size(); ++rank) {
    const Hit& above = result.hits[rank - 1];
    const Hit& hit = result.hits[rank];
    const bool sorted =
        above.score != hit.score ? above.score > hit.score : above.document < hit.document;
    if (sorted) continue;
    std::ostringstream text = message();
    text << "rank " << rank << ": document " << hit.document << " (" << hit.score
         << ") is not sorted after " << above.document << " (" << above.score << ')';
    return text.str();
  }
  return {};
}

/// That no document stands below one that is clearly worse; `worst` becomes the worst hit.
std::string check_order(const Ranking& ranking, const SearchResult& result,
                        const RankedDocument*& worst) {
  for (std::size_t rank = 0; rank < result.hits.size(); ++rank) {
    const RankedDocument* right = truth_of(ranking, result.hits[rank].document);
    if (worst != nullptr && clearly_above(*right, *worst)) {
      std::ostringstream text = message();
      text << "rank " << rank << ": document " << right->document << " of score " << right->score
           << " stands below " << worst->document << " of " << worst->score;
      return text.str();
    }
    if (worst == nullptr || right->score < worst->score) worst = right;
  }
  return {};
}

/// That no document was left out for one that is clearly worse.
std::string check_left_out(const Ranking& ranking, const SearchResult& result,
                           const RankedDocument* worst) {
  if (worst == nullptr) return {};
  std::unordered_set<std::uint32_t> hits;
  for (const Hit& hit : result.hits) hits.insert(hit.document);
  for (const RankedDocument& right : ranking.documents) {
    if (right.score <= worst->score) break;
    if (hits.contains(right.document) || !clearly_above(right, *worst)) continue;
    std::ostringstream text = message();
    text << "document " << right.document << " of score " << right.score << " is left out, "
         << worst->document << " of " << worst->score << " is not";
    return text.str();
  }
  return {};
}

std::string check_choice(const Ranking& ranking, const SearchResult& result,
                         const SearchSettings& settings) {
  if (settings.mode == QueryMode::kAndOr && ranking.documents.empty()) return {};
  if (result.fell_back_to_or == ranking.fell_back_to_or) return {};
  return ranking.fell_back_to_or ? "the answer should be or's" : "the answer should not be or's";
}

}  // namespace

std::string difference(const Ranking& ranking, const SearchResult& result,
                       const SearchSettings& settings) {
  const RankedDocument* worst = nullptr;
  std::string wrong = check_choice(ranking, result, settings);
  if (wrong.empty()) wrong = check_size(ranking, result, settings);
  if (wrong.empty()) wrong = check_matches(ranking, result, settings);
  if (wrong.empty()) wrong = check_scores(ranking, result);
  if (wrong.empty()) wrong = check_sorted(result);
  if (wrong.empty()) wrong = check_order(ranking, result, worst);
  if (wrong.empty()) wrong = check_left_out(ranking, result, worst);
  return wrong;
}

std::string describe(const CodecSettings& codec) {
  std::string name(codec_name(codec.kind));
  if (codec.kind == CodecKind::kPfor) name += '-' + std::to_string(codec.pfor_levels);
  return "codec=" + name;
}

std::string describe(const SearchSettings& settings) {
  static constexpr const char* kModes[] = {"and", "or", "and-or"};
  const ScorerSettings& scorer = settings.scorer;
  std::ostringstream text;
  text << "mode=" << kModes[static_cast<int>(settings.mode)] << " scorer=";
  switch (scorer.kind) {
    case ScorerKind::kImpact: text << "impacts"; break;
    case ScorerKind::kBm25:
      text << "bm25/" << (scorer.form == Bm25Form::kLucene ? "lucene" : "pisa")
           << ",k1=" << scorer.k1 << ",b=" << scorer.b;
      break;
    case ScorerKind::kBm25Plus:
      text << "bm25+,k1=" << scorer.k1 << ",b=" << scorer.b << ",delta=" << scorer.delta;
      break;
    case ScorerKind::kQueryLikelihood: text << "qld,mu=" << scorer.mu; break;
    case ScorerKind::kJelinekMercer: text << "qljm,lambda=" << scorer.jm_lambda; break;
    case ScorerKind::kBm25Lucene:
      text << "bm25-lucene,k1=" << scorer.k1 << ",b=" << scorer.b;
      break;
    case ScorerKind::kPl2: text << "pl2,c=" << scorer.pl2_c; break;
  }
  text << " k=" << settings.k;
  if (settings.mode == QueryMode::kAndOr) text << " and_or_min=" << settings.and_or_min;
  if (settings.count) text << " count";
  return text.str();
}

std::string describe(const Query& query) {
  std::string text = "query=[";
  for (const QueryTerm& term : query.terms) {
    if (text.size() > 2000) return text + " …]";
    if (text.back() != '[') text += ' ';
    if (term.occur == Occur::kMust) text += '+';
    if (term.occur == Occur::kMustNot) text += '-';
    text += term.term;
    if (term.weight != 1) text += '^' + std::to_string(term.weight);
  }
  return text + ']';
}

}  // namespace warpdex::reference
