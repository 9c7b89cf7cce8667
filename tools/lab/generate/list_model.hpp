// The posting list of a term, as a function of the seed, the term's rank and the collection.
//
// Each section has a weight for each term: a product of log-normal factors of the term's topics
// and of the term itself, in the section and in its host. A document's odds are its section's
// weight times what its length and its own leanings make of it. Terms of one topic share the
// topic's factors, so they meet more often than by chance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "generate/collection_model.hpp"
#include "generate/layout.hpp"
#include "generate/leanings.hpp"
#include "generate/list_term.hpp"
#include "generate/vocabulary.hpp"

namespace warpdex::generate {

/// A generated list, and what was needed to make it; used again from list to list.
struct GeneratedList {
  std::vector<std::uint32_t> docids;       ///< strictly ascending
  std::vector<std::uint32_t> frequencies;  ///< or learned weights, whole numbers from 1 to 255

  std::vector<std::int16_t> weights;  ///< logarithms, in kOctave, by section
  std::vector<std::uint32_t> places;  ///< by posting: its section
  std::vector<double> sums;           ///< of weights, by section
};

class ListModel {
 public:
  /// Keeps references.
  ListModel(std::uint64_t seed, const Layout& layout, const Vocabulary& vocabulary,
            const CollectionModel& model);

  /// Makes the list of a known term. It holds vocabulary.document_frequency(rank) documents: up to
  /// a few thousand exactly, above that within chance. O(sections + postings). From many threads.
  void generate(std::uint32_t rank, GeneratedList& list) const;

 private:
  // Logarithms of weights are kept within these.
  static constexpr std::int32_t kMinWeight = -14 * kOctave;
  static constexpr std::int32_t kMaxWeight = 9 * kOctave;

  ListTerm make_term(std::uint32_t rank) const;
  void weigh_sections(const ListTerm& term, GeneratedList& list) const;
  double scale_for(const ListTerm& term, const GeneratedList& list) const;
  void place_many(const ListTerm& term, GeneratedList& list) const;
  void place_few(const ListTerm& term, GeneratedList& list) const;
  float frequency_factor(const ListTerm& term, const GeneratedList& list, std::size_t i) const;
  void draw_frequencies(const ListTerm& term, GeneratedList& list) const;
  void draw_weights(const ListTerm& term, GeneratedList& list) const;
  void prepare_frequencies();
  float weight(std::int32_t logarithm) const {
    return weights_[static_cast<std::size_t>(logarithm - kMinWeight)];
  }

  std::uint64_t seed_;
  const Layout& layout_;
  const Vocabulary& vocabulary_;
  const CollectionModel& model_;
  std::vector<Leanings> leanings_;  ///< by strength - 1
  std::vector<float> weights_;      ///< by logarithm - kMinWeight
  std::array<float, kLengthClasses> length_frequency_{};
  std::vector<float> tail_;  ///< of frequencies: share^(-1 / slope) for equally likely shares
};

}  // namespace warpdex::generate
