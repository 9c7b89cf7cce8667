// Weighs all sections for a term, and finds the scale at which the weights give the wanted number
// of postings.
#include "generate/list_model.hpp"

#include <algorithm>
#include <cmath>

#include "generate/portable_math.hpp"

namespace warpdex::generate {
namespace {

// Standard deviations of the logarithms of weights, in 1/kOctave, at the greatest strength.
constexpr int kBroadInHost = 280;
constexpr int kMiddleInHost = 280;
constexpr int kTermInHost = 256;
constexpr int kMiddleInSection = 300;
constexpr int kFineInSection = 300;
constexpr int kTermInSection = 300;

// Lists up to this long are drawn posting by posting.
constexpr std::uint32_t kFew = 2048;

int strength_of(double density) {
  return std::clamp(static_cast<int>(-1.6 * logarithm(density)), 3, kStrengths);
}

}  // namespace

ListModel::ListModel(std::uint64_t seed, const Layout& layout, const Vocabulary& vocabulary,
                     const CollectionModel& model)
    : seed_(seed), layout_(layout), vocabulary_(vocabulary), model_(model) {
  for (std::int32_t weight = kMinWeight; weight <= kMaxWeight; ++weight) {
    weights_.push_back(static_cast<float>(power_of_two(weight / double{kOctave})));
  }
  for (int strength = 1; strength <= kStrengths; ++strength) {
    leanings_.push_back(make_leanings(seed, layout, strength));
  }
  prepare_frequencies();
}

ListTerm ListModel::make_term(std::uint32_t rank) const {
  ListTerm term(seed_, rank);
  term.wanted = std::min(vocabulary_.document_frequency(rank), layout_.documents());
  term.density = static_cast<double>(term.wanted) / layout_.documents();
  term.strength = strength_of(term.density);
  term.leanings = &leanings_[static_cast<std::size_t>(term.strength - 1)];
  return term;
}

void ListModel::generate(std::uint32_t rank, GeneratedList& list) const {
  const ListTerm term = make_term(rank);
  list.docids.clear();
  list.places.clear();
  weigh_sections(term, list);
  if (term.wanted <= kFew && term.wanted <= layout_.documents() / 4) {
    place_few(term, list);
  } else {
    place_many(term, list);
  }
  model_.has_weights ? draw_weights(term, list) : draw_frequencies(term, list);
}

void ListModel::weigh_sections(const ListTerm& term, GeneratedList& list) const {
  const std::span<const Section> sections = layout_.sections();
  list.weights.resize(sections.size());
  const NormalTable& table = normal_table();
  const auto normal = [&table](std::uint64_t key, std::uint64_t place) {
    return std::int32_t{table[number_at(key, place) >> (64 - kNormalBits)]};
  };
  std::int32_t of_host = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::uint32_t host = sections[i].host;
    if (i == 0 || host != sections[i - 1].host) {
      of_host = kBroadInHost * normal(term.broad_in_host, host) +
                kMiddleInHost * normal(term.middle_in_host, host) +
                kTermInHost * normal(term.term_in_host, host);
    }
    const std::int32_t sum = of_host + kMiddleInSection * normal(term.middle_in_section, i) +
                             kFineInSection * normal(term.fine_in_section, i) +
                             kTermInSection * normal(term.term_in_section, i);
    const std::int32_t weight = sum / kNormalUnit * term.strength / kStrengths;
    list.weights[i] = static_cast<std::int16_t>(std::clamp(weight, kMinWeight, kMaxWeight));
  }
}

double ListModel::scale_for(const ListTerm& term, const GeneratedList& list) const {
  constexpr std::int32_t kStep = kOctave / 32;
  constexpr std::int32_t kMargin = 3 * kOctave;  // for the affinities
  constexpr std::size_t kSteps = (kMaxWeight - kMinWeight + 2 * kMargin) / kStep + 1;
  std::array<double, kSteps> documents{};
  const std::span<const Section> sections = layout_.sections();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::int32_t logarithm = list.weights[i] + sections[i].affinity - kMinWeight + kMargin;
    documents[static_cast<std::size_t>(logarithm / kStep)] += sections[i].size;
  }
  std::array<double, kSteps> weights{};
  for (std::size_t i = 0; i < kSteps; ++i) {
    const double middle = static_cast<double>(i) * kStep + kStep / 2.0;
    weights[i] = power_of_two((middle + kMinWeight - kMargin) / kOctave);
  }
  const auto expected = [&](double scale) {
    double sum = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (documents[i] == 0) continue;
      double share = 0;
      for (const double odds : term.leanings->odds) {
        share += std::min(kMaxChance, scale * weights[i] * odds);
      }
      sum += documents[i] * share / Leanings::kSampled;
    }
    return sum;
  };
  double low = -40;
  double high = 20;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (expected(power_of_two(middle)) < term.wanted ? low : high) = middle;
  }
  return power_of_two(low);
}

}  // namespace warpdex::generate
