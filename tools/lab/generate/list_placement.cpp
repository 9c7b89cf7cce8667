// Which documents a list holds, given its sections' weights, and how often the term is in them.
#include <algorithm>
#include <bit>

#include "generate/list_model.hpp"
#include "generate/portable_math.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex::generate {
namespace {

// A section with fewer expected candidates than this gets one or none, by a single number.
constexpr double kHardlyAny = 1.0 / 16;
// Likelier documents are tried one by one.
constexpr double kLikely = 0.3;

// Frequencies of f and more have a share of (1 + (f - 1) / scale)^-slope.
constexpr double kFrequencySlope = 1.9;
constexpr int kTailBits = 12;
constexpr double kLengthPower = 0.8;  ///< of affinities, in frequencies

/// The scale of frequencies by density: 1, 1/2, 1/4, ... of the documents; that of text.
double frequency_scale(double density) {
  constexpr std::array<double, 9> kByOctave{5.5, 4.1, 1.9, 1.25, 1.18, 1.15, 1.1, 1.02, 1.0};
  const double octaves = std::min(-logarithm(density), kByOctave.size() - 1.0);
  const auto below = std::min(static_cast<std::size_t>(octaves), kByOctave.size() - 2);
  const double above = octaves - static_cast<double>(below);
  return kByOctave[below] * (1 - above) + kByOctave[below + 1] * above;
}

/// Walks over independent events of one probability, without looking at what does not happen.
class Candidates {
 public:
  Candidates(double probability, std::uint64_t key) : random_(key) {
    double power_of_rest = 1 - probability;
    for (double& power : powers_) {
      power = power_of_rest;
      power_of_rest *= power_of_rest;
    }
    past_all_ = power_of_rest;
  }

  /// The first event at `place` or later, or a place past `end`.
  std::uint32_t next(std::uint32_t place, std::uint32_t end) {
    for (; place < end; place += kAtATime) {
      const double number = 1 - random_.next_fraction();
      if (number > past_all_) return place + failures(number);
    }
    return end;
  }

 private:
  static constexpr int kPowers = 6;
  static constexpr std::uint32_t kAtATime = 1 << kPowers;

  /// Events that do not happen before one does: the largest n with rest^n >= number.
  std::uint32_t failures(double number) const {
    double product = 1;
    std::uint32_t count = 0;
    for (int i = kPowers - 1; i >= 0; --i) {
      if (product * powers_[static_cast<std::size_t>(i)] < number) continue;
      product *= powers_[static_cast<std::size_t>(i)];
      count += 1U << i;
    }
    return count;
  }

  CounterRandom random_;
  std::array<double, kPowers> powers_{};  ///< 1, 2, 4, ... failures
  double past_all_ = 0;                   ///< kAtATime failures
};

/// Decides for single documents.
class Chooser {
 public:
  Chooser(const ListTerm& term, const Layout& layout) : term_(term), layout_(layout) {}

  /// Whether the document is taken, given its section's odds and a bound of its own odds; it is
  /// with the probability of its odds over the bound. Looks at the cheapest factor first.
  bool takes(std::uint32_t document, double odds, double bound) const {
    const Leanings& leanings = *term_.leanings;
    const double bar = fraction(term_.number(document)) * bound;
    if (bar >= kMaxChance) return false;
    double own = odds * layout_.affinity(document);
    if (bar >= own * leanings.max_leaning) return false;
    own *= leanings.middle[term_.middle_leaning(document)];
    if (bar >= own * leanings.max_fine) return false;
    return bar < own * leanings.fine[term_.fine_leaning(document)];
  }

 private:
  const ListTerm& term_;
  const Layout& layout_;
};

}  // namespace

void ListModel::place_many(const ListTerm& term, GeneratedList& list) const {
  const double scale = scale_for(term, list);
  const Chooser chooser(term, layout_);
  const std::span<const Section> sections = layout_.sections();
  for (std::uint32_t i = 0; i < sections.size(); ++i) {
    const double odds = scale * weight(list.weights[i]);
    const double bound = std::min(1.0, odds * term.leanings->max);
    const std::uint32_t begin = sections[i].begin;
    const std::uint32_t size = sections[i].size;
    const auto visit = [&](std::uint32_t document, double certainty) {
      if (!chooser.takes(document, odds, certainty)) return;
      list.docids.push_back(document);
      list.places.push_back(i);
    };
    const std::uint64_t key = number_at(term.placement, i);
    if (bound * size < kHardlyAny) {
      const double number = fraction(mixed(key));
      if (number >= bound * size) continue;
      visit(begin + std::min(size - 1, static_cast<std::uint32_t>(number / bound)), bound);
    } else if (bound < kLikely) {
      Candidates candidates(bound, key);
      for (std::uint32_t at = candidates.next(0, size); at < size;
           at = candidates.next(at + 1, size)) {
        visit(begin + at, bound);
      }
    } else {
      for (std::uint32_t at = 0; at < size; ++at) visit(begin + at, 1);
    }
  }
}

void ListModel::place_few(const ListTerm& term, GeneratedList& list) const {
  const std::span<const Section> sections = layout_.sections();
  list.sums.resize(sections.size());
  double sum = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sum += weight(list.weights[i]) * static_cast<double>(sections[i].size);
    list.sums[i] = sum;
  }
  const Chooser chooser(term, layout_);
  CounterRandom random(term.placement);
  std::vector<std::uint64_t> drawn;  // section and document
  while (drawn.size() < term.wanted) {
    const double place = random.next_fraction() * sum;
    const auto found = std::upper_bound(list.sums.begin(), list.sums.end() - 1, place);
    const auto section = static_cast<std::size_t>(found - list.sums.begin());
    const std::uint32_t document =
        sections[section].begin + random.next_below(sections[section].size);
    const double bar = random.next_fraction() * term.leanings->max;
    if (bar >= layout_.affinity(document) * term.leanings->middle[term.middle_leaning(document)] *
                   term.leanings->fine[term.fine_leaning(document)]) {
      continue;
    }
    drawn.push_back(std::uint64_t{document} << 32 | section);
    if (drawn.size() < term.wanted) continue;
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  for (const std::uint64_t one : drawn) {
    list.docids.push_back(static_cast<std::uint32_t>(one >> 32));
    list.places.push_back(static_cast<std::uint32_t>(one));
  }
}

void ListModel::prepare_frequencies() {
  for (std::size_t i = 0; i < length_frequency_.size(); ++i) {
    length_frequency_[i] = static_cast<float>(power(layout_.class_affinity(i), kLengthPower));
  }
  constexpr int kShares = 1 << kTailBits;
  for (int i = 0; i < kShares; ++i) {
    // The first share is divided once more: tail_[0] is where it ends.
    const double share = (i == 0 ? 1 : i + 0.5) / kShares;
    tail_.push_back(static_cast<float>(power(share, -1 / kFrequencySlope)));
  }
}

float ListModel::frequency_factor(const ListTerm& term, const GeneratedList& list,
                                  std::size_t i) const {
  const std::uint32_t document = list.docids[i];
  return length_frequency_[layout_.length_classes()[document]] *
         term.leanings->middle_frequency[term.middle_leaning(document)] *
         term.leanings->fine_frequency[term.fine_leaning(document)] *
         weight(list.weights[list.places[i]] / 8);
}

void ListModel::draw_frequencies(const ListTerm& term, GeneratedList& list) const {
  // Factors are divided by their mean, which some of them tell well enough.
  constexpr std::size_t kSampled = 2048;
  const std::size_t step = std::max<std::size_t>(1, list.docids.size() / kSampled);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.docids.size(); i += step, ++count) {
    sum += frequency_factor(term, list, i);
  }
  const double scale =
      model_.frequency_excess * frequency_scale(term.density) * static_cast<double>(count) / sum;

  list.frequencies.resize(list.docids.size());
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    const std::uint32_t document = list.docids[i];
    const std::uint64_t number = mixed(term.number(document) + 1);
    constexpr std::uint64_t kMask = (1 << kTailBits) - 1;
    const std::uint64_t share = number & kMask;
    double tail = tail_[share];
    if (share == 0) tail *= tail_[number >> kTailBits & kMask];
    const double more = scale * frequency_factor(term, list, i) * (tail - 1);
    const double max = layout_.lengths()[document] / 4;
    list.frequencies[i] = 1 + static_cast<std::uint32_t>(std::min(more, max));
  }
}

// Log-normal, larger for rarer terms and where the document leans towards the term's topic: most
// are small, a few of each list are many times as large. 73 are one of SPLADE's units, log(1 +
// e^x).
void ListModel::draw_weights(const ListTerm& term, GeneratedList& list) const {
  constexpr double kMedianOfAll = 10;  ///< of a term in all documents
  constexpr double kRarityPower = 0.2;
  constexpr double kSpread = 0.95;  ///< in octaves
  const double median = kMedianOfAll * power(term.density, -kRarityPower);
  std::array<float, 1 << 10> factors{};
  constexpr std::size_t kStep = std::tuple_size_v<NormalTable> / factors.size();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double z = normal_table()[i * kStep + kStep / 2] / double{kNormalUnit};
    factors[i] = static_cast<float>(median * power_of_two(kSpread * z));
  }
  list.frequencies.resize(list.docids.size());
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    const std::uint32_t document = list.docids[i];
    const double weight = factors[mixed(term.number(document) + 1) >> 54] *
                          term.leanings->fine_frequency[term.fine_leaning(document)];
    list.frequencies[i] = static_cast<std::uint32_t>(std::clamp(weight, 1.0, double{kMaxImpact}));
  }
}

}  // namespace warpdex::generate
