// The terms of a generated collection by rank: document frequencies by a law like Zipf's, names,
// and topics.
#pragma once

#include <cstdint>
#include <string>

namespace warpdex::generate {

/// Topics form a tree: a term's topic among many is its rank modulo kFineTopics, the wider ones
/// the rank modulo fewer. So any run of ranks as long as a level has topics meets all of these.
inline constexpr std::uint32_t kBroadTopics = 8;
inline constexpr std::uint32_t kMiddleTopics = 32;
inline constexpr std::uint32_t kFineTopics = 256;

/// The share of documents with the term of a rank: a power of the rank, flat over the first ones,
/// steeper from a rank on. These are a web crawl's.
struct VocabularyModel {
  double max_frequency = 0.4;  ///< of the documents
  double head = 16;            ///< ranks over which the law is flat
  double head_slope = 0.75;
  double tail = 20'000;  ///< the rank from which it is steeper
  double tail_slope = 0.65;
  std::uint32_t max_terms = 90'000'000;  ///< names have eight digits
};

class Vocabulary {
 public:
  explicit Vocabulary(std::uint32_t documents, const VocabularyModel& model = {});

  /// Terms that occur; ranks below are known, all others unknown.
  std::uint32_t terms() const { return terms_; }
  /// Documents that a term is to be in, 1 or more; never more for a larger rank.
  std::uint32_t document_frequency(std::uint32_t rank) const;
  /// The first rank with that document frequency or a smaller one; terms() if there is none.
  std::uint32_t rank_of(double document_frequency) const;

 private:
  double density(double rank) const;

  VocabularyModel model_;
  double documents_;
  std::uint32_t terms_;
};

/// "t" and eight digits, so that names ascend as ranks do.
std::string term_name(std::uint32_t rank);

}  // namespace warpdex::generate
