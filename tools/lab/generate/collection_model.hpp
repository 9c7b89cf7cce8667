// The parameters of the model, which differ between the kinds of generated collections.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "generate/generator.hpp"
#include "generate/layout.hpp"
#include "generate/vocabulary.hpp"

namespace warpdex::generate {

/// Quantiles in sixteenths, from the least to the largest.
using Quantiles = std::array<double, 17>;

struct QueryModel {
  std::uint32_t min_terms = 1;                 ///< distinct terms of the shortest queries
  std::span<const std::uint32_t> term_counts;  ///< queries of so many and more, in thousandths
  /// log2(documents / document frequency) of the terms of queries of 1, 2, ... terms; the last one
  /// also of longer queries.
  std::span<const Quantiles> rarity;
  double unknown_share = 0;  ///< terms that no document has
  double rare_share = 0;     ///< terms in few documents, however many there are
};

struct CollectionModel {
  LayoutModel layout;
  VocabularyModel vocabulary;
  QueryModel queries;
  double frequency_excess = 1;  ///< of frequencies above 1, as a share of what GOV2's are
  bool has_weights = false;     ///< lists hold learned weights, and so do queries
  bool has_all_lists = false;   ///< also those that no query uses
  bool names_are_numbers = false;
};

const CollectionModel& model_of(CollectionKind kind);

}  // namespace warpdex::generate
