// Of each excluded word of several terms, keeps the rarest term.
#include "plan/rarest_exclusions.hpp"

#include <cstdint>
#include <map>
#include <string_view>

#include "warpdex/query/plan/plan.hpp"

namespace warpdex {
namespace {

std::uint64_t live_documents(const Index& index, std::string_view term) {
  const auto entry = index.find(term);
  if (!entry) return 0;
  const std::uint64_t removed = index.frequency_change(entry->term_number).documents;
  return entry->document_frequency - std::min<std::uint64_t>(removed, entry->document_frequency);
}

/// The place of the rarest term of each word, by `documents_of`.
template <class DocumentsOf>
Query keep_rarest(const Query& query, const DocumentsOf& documents_of) {
  struct Rarest {
    std::size_t place;
    std::uint64_t documents;
  };
  std::map<std::uint32_t, Rarest> rarest;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const QueryTerm& term = query.terms[i];
    if (term.word == 0) continue;
    const std::uint64_t documents = documents_of(term.term);
    const auto [word, is_new] = rarest.try_emplace(term.word, Rarest{i, documents});
    if (!is_new && documents < word->second.documents) word->second = {i, documents};
  }
  Query kept{query.id, {}};
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const auto word = rarest.find(query.terms[i].word);
    if (word != rarest.end() && (word->second.place != i || word->second.documents == 0)) continue;
    kept.terms.push_back(query.terms[i]);
    kept.terms.back().word = 0;
  }
  return kept;
}

}  // namespace

Query with_rarest_exclusions(const Index& index, const Query& query) {
  return keep_rarest(query, [&](std::string_view term) { return live_documents(index, term); });
}

Query with_rarest_exclusions(const Snapshot& snapshot, const Query& query) {
  return keep_rarest(query, [&](std::string_view term) {
    std::uint64_t documents = 0;
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      documents += live_documents(*segment.index, term);
    }
    return documents;
  });
}

}  // namespace warpdex
