// What all parts of making one list share: the term's topics, and the keys of its numbers.
// Internal to indexer/generate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "generate/counter_random.hpp"
#include "generate/leanings.hpp"
#include "generate/vocabulary.hpp"

namespace warpdex::generate {

struct ListTerm {
  ListTerm(std::uint64_t seed, std::uint32_t rank) {
    const std::uint32_t middle = rank % kMiddleTopics;
    const std::uint32_t fine = kMiddleTopics + rank % kFineTopics;
    broad_in_host = stream_key(seed, Purpose::kTopicInHost, kFineTopics + rank % kBroadTopics);
    middle_in_host = stream_key(seed, Purpose::kTopicInHost, middle);
    term_in_host = stream_key(seed, Purpose::kTermInHost, rank);
    middle_in_section = stream_key(seed, Purpose::kTopicInSection, middle);
    fine_in_section = stream_key(seed, Purpose::kTopicInSection, fine);
    term_in_section = stream_key(seed, Purpose::kTermInSection, rank);
    middle_in_document = stream_key(seed, Purpose::kTopicInDocument, middle);
    fine_in_document = stream_key(seed, Purpose::kTopicInDocument, fine);
    term_in_document = stream_key(seed, Purpose::kTermInDocument, rank);
    placement = stream_key(seed, Purpose::kTermPlacement, rank);
  }

  std::size_t middle_leaning(std::uint32_t document) const {
    return number_at(middle_in_document, document) >> 56;
  }
  std::size_t fine_leaning(std::uint32_t document) const {
    return number_at(fine_in_document, document) >> 56;
  }
  /// The document's own number for this term.
  std::uint64_t number(std::uint32_t document) const {
    return number_at(term_in_document, document);
  }

  std::uint32_t wanted = 0;  ///< postings
  double density = 0;        ///< wanted over all documents
  int strength = 1;          ///< how much weights and leanings vary, 1 to kStrengths
  const Leanings* leanings = nullptr;

  // Keys.
  std::uint64_t broad_in_host, middle_in_host, term_in_host;
  std::uint64_t middle_in_section, fine_in_section, term_in_section;
  std::uint64_t middle_in_document, fine_in_document, term_in_document;
  std::uint64_t placement;
};

}  // namespace warpdex::generate
