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

/// What is known of a term and a document when one of its postings is scored.
struct TermFacts {
  double documents = 0;
  double document_frequency = 0;
  double occurrences = 0;  ///< in all documents
  double tokens = 0;
};

/// A term's score for a weight of 1, and a bound of what float loses of it beside 1e-5.
struct TermScore {
  double score = 0;
  double loss = 0;
};

/// Of a value of which only what is above 0 counts in full. Where float takes one of 0 or less for
/// such a one, too, what is lost is of that size.
TermScore cut_below_zero(double value, double loss) {
  return {likelihood_part(value), value + loss < 0 ? loss * kCutUnit : loss};
}

TermScore score_of(const ScorerSettings& scorer, const TermFacts& term, double frequency,
                   double length) {
  const double average = term.tokens / term.documents;
  const double probability = term.occurrences / term.tokens;
  switch (scorer.kind) {
    case ScorerKind::kImpact: return {frequency};
    case ScorerKind::kBm25:
      return {bm25(scorer, term.documents, term.document_frequency, frequency, length, average)};
    case ScorerKind::kBm25Lucene:
      return {bm25({.k1 = scorer.k1, .b = scorer.b}, term.documents, term.document_frequency,
                   frequency, lucene_length(length), average)};
    case ScorerKind::kBm25Plus:
      return {
          bm25_plus(scorer, term.documents, term.document_frequency, frequency, length, average)};
    case ScorerKind::kQueryLikelihood:
      return cut_below_zero(log_likelihood(scorer.mu, probability, frequency, length),
                            log_rounding(scorer.mu, probability, frequency, length));
    case ScorerKind::kJelinekMercer: {
      const double lambda = scorer.jm_lambda;
      const double seen = (1 - lambda) * frequency / length;
      return {std::log((seen + lambda * probability) / (lambda * probability)), 0x1p-21};
    }
    case ScorerKind::kPl2: {
      const double expected = term.occurrences / term.documents;
      const double tfn = frequency * std::log2(1 + scorer.pl2_c * average / length);
      // Numbers of the size of these are subtracted from each other.
      const double loss = 0x1p-19 * (1 + std::abs(std::log(tfn / expected)) + expected);
      return cut_below_zero(pl2(scorer.pl2_c, expected, frequency, length, average), loss);
    }
  }
  return {};
}

void add_term(const Collection& collection, const std::string& term, const TermUse& use,
              const ScorerSettings& scorer, std::vector<DocumentState>& states) {
  const std::vector<Posting>& postings = collection.postings(term);
  const TermFacts facts{static_cast<double>(collection.documents_for(term)),
                        static_cast<double>(postings.size()),
                        static_cast<double>(collection.collection_frequency(term)),
                        static_cast<double>(collection.tokens_for(term))};
  for (const Posting& posting : postings) {
    DocumentState& state = states[posting.document];
    if (use.prohibited) state.prohibited = true;
    if (use.weight == 0) continue;
    state.terms += 1;
    if (use.required) state.required_terms += 1;
    const TermScore found =
        score_of(scorer, facts, posting.frequency, collection.lengths_for(term)[posting.document]);
    state.score += use.weight * found.score;
    state.float_loss += use.weight * found.loss;
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

void Collection::add_text(const Collection& text) {
  const auto not_empty = [](const std::vector<std::uint32_t>& lengths) {
    return lengths.size() -
           static_cast<std::size_t>(std::count(lengths.begin(), lengths.end(), 0U));
  };
  first_documents_ = not_empty(lengths_);
  more_.push_back({text.lengths_, not_empty(text.lengths_), text.tokens_});
  for (const auto& [term, postings] : text.postings_) {
    postings_[std::string("\xFF") + static_cast<char>(more_.size()) + term] = postings;
  }
}

std::size_t Collection::text_of(const std::string& term) {
  return term.size() > 1 && term[0] == '\xFF' ? static_cast<std::size_t>(term[1]) : 0;
}

std::uint64_t Collection::documents_for(const std::string& term) const {
  if (more_.empty()) return documents();
  return text_of(term) == 0 ? first_documents_ : more_[text_of(term) - 1].documents;
}

std::uint64_t Collection::tokens_for(const std::string& term) const {
  return text_of(term) == 0 ? tokens_ : more_[text_of(term) - 1].tokens;
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

double lucene_length(double length) {
  if (length < 24) return length;
  const double step = std::max(1.0, std::exp2(std::floor(std::log2(length - 24)) - 3));
  return 24 + std::floor((length - 24) / step) * step;
}

double bm25_plus(const ScorerSettings& scorer, double documents, double document_frequency,
                 double frequency, double length, double average_length) {
  const double k1 = scorer.k1;
  const double b = scorer.b;
  const double norm = k1 * ((1 - b) + b * length / average_length);
  return std::log((documents + 1) / document_frequency) *
         ((k1 + 1) * frequency / (norm + frequency) + scorer.delta);
}

double pl2(double c, double expected, double frequency, double length, double average_length) {
  const double log2_e = std::log2(std::exp(1.0));
  const double tfn = frequency * std::log2(1 + c * average_length / length);
  return (tfn * std::log2(1 / expected) + expected * log2_e +
          0.5 * std::log2(2 * std::acos(-1.0) * tfn) + tfn * (std::log2(tfn) - log2_e)) /
         (tfn + 1);
}

double log_likelihood(double mu, double collection_probability, double frequency, double length) {
  return std::log(1 + frequency / (mu * collection_probability)) + std::log(mu / (length + mu));
}

double likelihood_part(double logarithm) {
  if (logarithm > 0) return logarithm;
  return kCutUnit * (logarithm < -8 ? 64 / -logarithm : 16 + logarithm);
}

}  // namespace warpdex::reference
