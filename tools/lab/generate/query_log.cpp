// Document frequencies are drawn by quantiles of a real log; the rank near the drawn one is chosen
// by topic.
#include "generate/query_log.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "generate/counter_random.hpp"
#include "generate/portable_math.hpp"

namespace warpdex::generate {
namespace {

constexpr double kRareOctaves = 8;
constexpr std::uint32_t kUnknownTerms = 1'000'000;
// Of the other terms, those that share the query's fine topic, its middle topic, its broad topic.
constexpr double kSharesFine = 0.68;
constexpr double kSharesMiddle = 0.17;
constexpr double kSharesBroad = 0.08;
// Ranks are drawn from windows of this many octaves.
constexpr double kWindow = 0.5;

/// A term as drawn, before it is known how far frequencies must be shifted.
struct DrawnTerm {
  enum class Kind { kUnknown, kRare, kUsual };
  Kind kind = Kind::kUsual;
  double rarity = 0;  ///< kUsual: log2(documents / document frequency); kRare: of the latter alone
  std::uint32_t topic = 0;          ///< modulo kFineTopics
  std::uint32_t shared_topics = 1;  ///< of its topic's levels the one that it is to have, by size
  std::uint64_t number = 0;         ///< for what remains to be chosen
};
using DrawnQuery = std::vector<DrawnTerm>;

std::size_t draw_term_count(const QueryModel& model, CounterRandom& random) {
  std::uint32_t number = random.next_below(1000);
  for (std::size_t i = 0; i < model.term_counts.size(); ++i) {
    if (number < model.term_counts[i]) return i + model.min_terms;
    number -= model.term_counts[i];
  }
  return model.term_counts.size() - 1 + model.min_terms;
}

double draw_rarity(const Quantiles& quantiles, CounterRandom& random) {
  const double place = random.next_fraction() * static_cast<double>(quantiles.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double above = place - static_cast<double>(below);
  return quantiles[below] * (1 - above) + quantiles[below + 1] * above;
}

/// Small numbers are popular.
std::uint32_t draw_topic(CounterRandom& random) {
  const double u = random.next_fraction();
  const auto popularity = static_cast<std::uint32_t>(u * u * kFineTopics);
  return static_cast<std::uint32_t>(mixed(popularity) % kFineTopics);
}

DrawnQuery draw_query(std::uint64_t seed, const QueryModel& model, std::uint64_t which) {
  CounterRandom random(stream_key(seed, Purpose::kQuery, which));
  DrawnQuery query(draw_term_count(model, random));
  const std::uint32_t topic = draw_topic(random);
  for (DrawnTerm& term : query) {
    const double kind = random.next_fraction();
    term.rarity =
        draw_rarity(model.rarity[std::min(query.size(), model.rarity.size()) - 1], random);
    term.topic = topic;
    const double share = random.next_fraction();
    term.shared_topics = share < kSharesFine                                  ? kFineTopics
                         : share < kSharesFine + kSharesMiddle                ? kMiddleTopics
                         : share < kSharesFine + kSharesMiddle + kSharesBroad ? kBroadTopics
                                                                              : 1;
    term.number = random.next();
    if (kind < model.unknown_share) term.kind = DrawnTerm::Kind::kUnknown;
    if (kind >= 1 - model.rare_share) {
      term.kind = DrawnTerm::Kind::kRare;
      term.rarity = random.next_fraction() * kRareOctaves;
    }
  }
  return query;
}

/// Turns drawn terms into ranks.
class RankChooser {
 public:
  RankChooser(const Vocabulary& vocabulary, std::uint32_t documents, double shift)
      : vocabulary_(vocabulary), documents_(documents), shift_(shift) {}

  RankQuery choose(const DrawnQuery& query) const {
    RankQuery ranks;
    for (const DrawnTerm& term : query) {
      std::uint32_t rank = choose(term);
      while (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) ++rank;
      ranks.push_back(rank);
    }
    return ranks;
  }

 private:
  std::uint32_t choose(const DrawnTerm& term) const {
    if (term.kind == DrawnTerm::Kind::kUnknown) {
      return vocabulary_.terms() + below(term.number, kUnknownTerms);
    }
    const double wanted = term.kind == DrawnTerm::Kind::kRare
                              ? power_of_two(term.rarity)
                              : documents_ * power_of_two(-std::max(0.0, term.rarity + shift_));
    // Windows have fixed borders, so that queries of one topic choose the same terms.
    const double octave = logarithm(vocabulary_.rank_of(std::max(0.6, wanted)) + 1.0);
    const double window = static_cast<double>(static_cast<std::int64_t>(octave / kWindow));
    const std::uint32_t first = border(window);
    const std::uint32_t size = std::max(1U, border(window + 1) - first);
    std::uint32_t topics = term.shared_topics;
    while (topics > size) topics = wider(topics);
    if (topics == 1) return first + below(term.number, size);
    const std::uint32_t next = first + (term.topic % topics + topics - first % topics) % topics;
    const std::uint32_t turns = (size - 1 - (next - first)) / topics + 1;
    // A few of the window's terms of that topic are popular.
    return next + topics * below(mixed(term.number), std::min(turns, 2U));
  }

  std::uint32_t border(double window) const {
    const double rank = power_of_two(window * kWindow) - 1;
    return std::min(vocabulary_.terms() - 1, static_cast<std::uint32_t>(rank + 0.5));
  }

  static std::uint32_t wider(std::uint32_t topics) {
    return topics == kFineTopics ? kMiddleTopics : topics == kMiddleTopics ? kBroadTopics : 1;
  }

  const Vocabulary& vocabulary_;
  double documents_;
  double shift_;
};

double mean_postings_of(const Vocabulary& vocabulary, std::span<const RankQuery> queries) {
  double sum = 0;
  for (const RankQuery& query : queries) {
    for (const std::uint32_t rank : query) {
      if (rank < vocabulary.terms()) sum += vocabulary.document_frequency(rank);
    }
  }
  return sum / static_cast<double>(queries.size());
}

}  // namespace

std::vector<RankQuery> draw_queries(std::uint64_t seed, const QueryModel& model,
                                    const Vocabulary& vocabulary, std::uint32_t documents,
                                    std::size_t queries, double mean_postings) {
  std::vector<DrawnQuery> drawn;
  for (std::size_t i = 0; i < queries; ++i) drawn.push_back(draw_query(seed, model, i));
  std::vector<RankQuery> chosen(queries);
  std::vector<RankQuery> best;
  double best_error = -1;
  double low = -6;
  double high = 6;
  for (int step = 0; step < 24 && queries > 0; ++step) {
    const double shift = (low + high) / 2;
    const RankChooser chooser(vocabulary, documents, shift);
    for (std::size_t i = 0; i < queries; ++i) chosen[i] = chooser.choose(drawn[i]);
    const double mean = mean_postings_of(vocabulary, chosen);
    (mean > mean_postings ? low : high) = shift;
    const double error = std::max(mean - mean_postings, mean_postings - mean);
    if (best_error < 0 || error < best_error) {
      best_error = error;
      best = chosen;
    }
  }
  return best;
}

}  // namespace warpdex::generate
