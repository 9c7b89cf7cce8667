// Sizes of hosts and sections follow power laws; lengths are log-normal, with a part that a host's
// documents share, one that a section's share, and one of each document.
#include "generate/layout.hpp"

#include <algorithm>
#include <cmath>

#include "generate/counter_random.hpp"
#include "generate/portable_math.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::generate {
namespace {

// A document of 4 times the mean length is twice as likely to hold a term, up to that.
constexpr double kMinAffinity = 0.3;
constexpr std::size_t kSectionsAtATime = 256;

std::uint32_t run_size(std::uint64_t number, double min, double max) {
  const double narrowest = std::sqrt(min / max);
  const double u = narrowest + (1 - narrowest) * fraction(number);
  return static_cast<std::uint32_t>(std::min(max, min / (u * u)));
}

std::int32_t normal(std::uint64_t number, int spread) {
  return spread * normal_table()[number >> (64 - kNormalBits)] / kNormalUnit;
}

/// A length of a class, about in its middle.
double class_length(std::size_t which) {
  return (static_cast<double>(4 + which % 4) + 0.5) * power_of_two(static_cast<int>(which / 4) - 3);
}

}  // namespace

Layout::Layout(std::uint64_t seed, std::uint32_t documents, std::size_t threads,
               const LayoutModel& model)
    : model_(model), documents_(documents) {
  for (std::size_t i = 0; i < affinities_.size(); ++i) {
    const double affinity = std::sqrt(class_length(i) / model.mean_length);
    affinities_[i] = static_cast<float>(std::clamp(affinity, kMinAffinity, double{kMaxAffinity}));
  }
  place_sections(seed);
  draw_lengths(seed, threads);
}

void Layout::place_sections(std::uint64_t seed) {
  const std::uint64_t host_key = stream_key(seed, Purpose::kHostSize);
  CounterRandom section_sizes(stream_key(seed, Purpose::kSectionSize));
  const double max = std::max(1.0, std::min(model_.max_host, documents_ * model_.max_host_share));
  for (std::uint32_t begin = 0; begin < documents_; ++hosts_) {
    const std::uint32_t size = run_size(number_at(host_key, hosts_), 1, max);
    const std::uint32_t end = begin + std::min(size, documents_ - begin);
    while (begin < end) {
      const std::uint32_t section =
          run_size(section_sizes.next(), model_.min_section, model_.max_section);
      sections_.push_back({begin, std::min(section, end - begin), hosts_, 0});
      begin += sections_.back().size;
    }
  }
}

void Layout::draw_lengths(std::uint64_t seed, std::size_t threads) {
  lengths_.resize(documents_);
  classes_.resize(documents_);
  const std::uint64_t host_key = stream_key(seed, Purpose::kHostLength);
  const std::uint64_t section_key = stream_key(seed, Purpose::kSectionLength);
  const std::uint64_t document_key = stream_key(seed, Purpose::kDocumentLength);
  // The mean of a log-normal distribution is its median times 2^(spread^2 ln 2 / 2).
  const double squares = model_.host_spread * model_.host_spread +
                         model_.section_spread * model_.section_spread +
                         model_.document_spread * model_.document_spread;
  const double above_median = squares / (2.0 * kOctave * kOctave) * 0.693147180559945309417;
  std::array<double, 40 * kOctave> length_of{};
  for (std::size_t i = 0; i < length_of.size(); ++i) {
    const double octaves = (static_cast<double>(i) - length_of.size() / 2.0) / kOctave;
    length_of[i] = model_.mean_length * power_of_two(octaves - above_median);
  }
  const std::size_t batches = (sections_.size() + kSectionsAtATime - 1) / kSectionsAtATime;
  parallel_for(threads, batches, [&](std::size_t, std::size_t batch) {
    const std::size_t first = batch * kSectionsAtATime;
    for (std::size_t i = first; i < std::min(first + kSectionsAtATime, sections_.size()); ++i) {
      Section& section = sections_[i];
      const std::int32_t shared = normal(number_at(host_key, section.host), model_.host_spread) +
                                  normal(number_at(section_key, i), model_.section_spread);
      double affinities = 0;
      for (std::uint32_t document = section.begin; document < section.begin + section.size;
           ++document) {
        const std::int32_t place =
            shared + normal(number_at(document_key, document), model_.document_spread) +
            static_cast<std::int32_t>(length_of.size() / 2);
        lengths_[document] =
            std::clamp(static_cast<std::uint32_t>(length_of[static_cast<std::size_t>(place)] + 0.5),
                       model_.min_length, model_.max_length);
        classes_[document] = static_cast<std::uint8_t>(length_class(lengths_[document]));
        affinities += affinity(document);
      }
      section.affinity =
          static_cast<std::int32_t>(std::floor(kOctave * logarithm(affinities / section.size)));
    }
  });
}

}  // namespace warpdex::generate
