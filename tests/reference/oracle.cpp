#include "tests/reference/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace warpdex::reference {
namespace {

/// What a query says of one of its terms.
struct TermUse {
  double weight = 0;  ///< without a minus: how often it stands, each as often as its weight says
  bool required = false;
  bool prohibited = false;
};

using TermUses = std::map<std::string, TermUse>;

TermUses read_query(const Query& query, bool unsigned_is_required) {
  TermUses uses;
  for (const QueryTerm& term : query.terms) {
    TermUse& use = uses[term.term];
    if (term.occur == Occur::kMustNot) {
      use.prohibited = true;
      continue;
    }
    use.weight += static_cast<double>(term.weight);
    if (term.occur == Occur::kMust || unsigned_is_required) use.required = true;
  }
  return uses;
}

/// What is known of a document while the query's terms are walked.
struct DocumentState {
  double score = 0;
  double float_loss = 0;  ///< bound of what float arithmetic loses, beside sums
  std::uint32_t terms = 0;
  std::uint32_t required_terms = 0;
  bool prohibited = false;
};

/// What a logarithm of query likelihood of 0 counts, but for 1/16.
constexpr double kCutUnit = 0x1p-90;

/// An upper bound of the rounding of query likelihood's two logarithms in float.
double log_rounding(double mu, double probability, double frequency, double length) {
  const double first = std::log(1 + frequency / (mu * probability));
  const double second = std::log(mu / (length + mu));
  return 0x1p-21 * (1 + std::abs(first) + std::abs(second));
}

void add_term(const Collection& collection, const std::string& term, const TermUse& use,
              const ScorerSettings& scorer, std::vector<DocumentState>& states) {
  const std::vector<Posting>& postings = collection.postings(term);
  const double documents = static_cast<double>(collection.documents());
  const double tokens = static_cast<double>(collection.tokens());
  const double probability = static_cast<double>(collection.collection_frequency(term)) / tokens;
  for (const Posting& posting : postings) {
    DocumentState& state = states[posting.document];
    if (use.prohibited) state.prohibited = true;
    if (use.weight == 0) continue;
    const double length = collection.lengths()[posting.document];
    state.terms += 1;
    if (use.required) state.required_terms += 1;
    if (scorer.kind == ScorerKind::kImpact) {
      state.score += use.weight * posting.frequency;
    } else if (scorer.kind == ScorerKind::kBm25) {
      state.score += use.weight * bm25(scorer, documents, static_cast<double>(postings.size()),
                                       posting.frequency, length, tokens / documents);
    } else {
      const double logarithm = log_likelihood(scorer.mu, probability, posting.frequency, length);
      const double loss = log_rounding(scorer.mu, probability, posting.frequency, length);
      state.score += use.weight * likelihood_part(logarithm);
      // Where float takes a logarithm for one of 0 or less, too, what is lost is of that size.
      state.float_loss += use.weight * (logarithm + loss < 0 ? loss * kCutUnit : loss);
    }
  }
}

Ranking rank_boolean(const Collection& collection, const Query& query, const ScorerSettings& scorer,
                     bool unsigned_is_required) {
  const TermUses uses = read_query(query, unsigned_is_required);
  std::vector<DocumentState> states(collection.documents());
  std::uint32_t required_terms = 0;
  for (const auto& [term, use] : uses) {
    if (use.required) ++required_terms;
    add_term(collection, term, use, scorer, states);
  }
  Ranking ranking;
  for (std::uint32_t document = 0; document < states.size(); ++document) {
    const DocumentState& state = states[document];
    const bool matches =
        !state.prohibited && state.terms > 0 && state.required_terms == required_terms;
    if (!matches) continue;
    const double score = state.score + collection.static_scores()[document];
    const double sum_loss = (state.terms + 1) * 0x1p-24 * score;
    ranking.documents.push_back(
        {document, score, std::max(1e-5 * score, state.float_loss + sum_loss)});
  }
  std::sort(ranking.documents.begin(), ranking.documents.end(),
            [](const RankedDocument& a, const RankedDocument& b) {
              return a.score != b.score ? a.score > b.score : a.document < b.document;
            });
  ranking.place.assign(collection.documents(), -1);
  for (std::size_t i = 0; i < ranking.documents.size(); ++i) {
    ranking.place[ranking.documents[i].document] = static_cast<std::int64_t>(i);
  }
  return ranking;
}

}  // namespace

void Collection::add_document(std::span<const std::string_view> terms, float static_score) {
  const auto document = static_cast<std::uint32_t>(lengths_.size());
  for (const std::string_view term : terms) {
    std::vector<Posting>& postings = postings_[std::string(term)];
    if (postings.empty() || postings.back().document != document) postings.push_back({document, 0});
    ++postings.back().frequency;
  }
  lengths_.push_back(static_cast<std::uint32_t>(terms.size()));
  static_scores_.push_back(static_score);
  tokens_ += terms.size();
}

void Collection::add_document_of_length(std::span<const std::string_view> terms,
                                        std::uint32_t length, float static_score) {
  add_document(terms, static_score);
  tokens_ = tokens_ - terms.size() + length;
  lengths_.back() = length;
}

void Collection::add_list(const std::string& term, std::vector<Posting> postings) {
  postings_[term] = std::move(postings);
}

const std::vector<Posting>& Collection::postings(const std::string& term) const {
  static const std::vector<Posting> none;
  const auto found = postings_.find(term);
  return found == postings_.end() ? none : found->second;
}

std::uint64_t Collection::collection_frequency(const std::string& term) const {
  std::uint64_t sum = 0;
  for (const Posting& posting : postings(term)) sum += posting.frequency;
  return sum;
}

std::vector<std::string> Collection::terms() const {
  std::vector<std::string> sorted;
  sorted.reserve(postings_.size());
  for (const auto& [term, postings] : postings_) sorted.push_back(term);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Ranking rank(const Collection& collection, const Query& query, const SearchSettings& settings) {
  if (settings.mode == QueryMode::kOr) {
    return rank_boolean(collection, query, settings.scorer, false);
  }
  Ranking ranking = rank_boolean(collection, query, settings.scorer, true);
  if (settings.mode == QueryMode::kAnd) return ranking;
  const std::size_t enough = settings.and_or_min == 0 ? settings.k : settings.and_or_min;
  if (ranking.documents.size() >= enough) return ranking;
  ranking = rank_boolean(collection, query, settings.scorer, false);
  ranking.fell_back_to_or = true;
  return ranking;
}

double bm25(const ScorerSettings& scorer, double documents, double document_frequency,
            double frequency, double length, double average_length) {
  const double k1 = scorer.k1;
  const double b = scorer.b;
  const double odds = (documents - document_frequency + 0.5) / (document_frequency + 0.5);
  const double saturated = frequency / (frequency + k1 * (1 - b + b * length / average_length));
  if (scorer.form == Bm25Form::kPisa) {
    return std::max(1e-6, std::log(odds)) * (k1 + 1) * saturated;
  }
  return std::log(1 + odds) * saturated;
}

double log_likelihood(double mu, double collection_probability, double frequency, double length) {
  return std::log(1 + frequency / (mu * collection_probability)) + std::log(mu / (length + mu));
}

double likelihood_part(double logarithm) {
  if (logarithm > 0) return logarithm;
  return kCutUnit * (logarithm < -8 ? 64 / -logarithm : 16 + logarithm);
}

}  // namespace warpdex::reference
