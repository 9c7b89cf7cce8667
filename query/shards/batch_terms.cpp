#include "shards/batch_terms.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "shards/tree_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {

void BatchTerms::learn(std::span<const Query> queries) {
  std::vector<std::string> unknown;
  for (const Query& query : queries) {
    for_each_term_of(query, [&](const std::string& term) {
      const auto [place, is_new] = terms_.try_emplace(term);
      if (!is_new) return;
      place->second = known_.find(term);
      if (place->second == nullptr) unknown.push_back(term);
    });
  }
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part)) are_whole_ = false;
  }
  if (!unknown.empty()) ask(unknown);
}

void BatchTerms::ask(const std::vector<std::string>& terms) {
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part)) continue;
    messages.push_back({part, write(TermsRequest{whole_.parts()[part].version, terms})});
  }
  std::vector<std::vector<PartTerm>> counts(terms.size(), std::vector<PartTerm>(calls_.parts()));
  calls_.ask(messages, [&](std::uint32_t part, const std::string& bytes) {
    TermsAnswer answer = read_terms_answer(bytes);
    if (answer.terms.size() != terms.size()) throw FormatError("it counts other terms");
    for (std::size_t i = 0; i < terms.size(); ++i) counts[i][part] = std::move(answer.terms[i]);
  });
  for (std::uint32_t part = 0; part < calls_.parts(); ++part) {
    if (calls_.is_missing(part)) are_whole_ = false;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    TermInParts shared = std::make_shared<const std::vector<PartTerm>>(std::move(counts[i]));
    if (are_whole_) known_.add(terms[i], shared);
    terms_[terms[i]] = std::move(shared);
  }
}

WholeStatistics BatchTerms::statistics_of(std::span<const Query> queries) const {
  WholeStatistics whole{.collection = whole_.collection(), .texts = whole_.texts()};
  for (const Query& query : queries) {
    for_each_term_of(query, [&](const std::string& term) {
      const auto [place, is_new] = whole.terms.try_emplace(term);
      if (!is_new) return;
      for (const PartTerm& part : *terms_.find(term)->second) {
        place->second.documents += part.frequencies.documents;
        place->second.occurrences += part.frequencies.occurrences;
      }
    });
  }
  return whole;
}

}  // namespace warpdex::shards
