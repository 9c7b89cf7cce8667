#include "opensearch/search/matching.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace warpdex::server::opensearch {
namespace {

using Documents = std::vector<std::uint32_t>;

Documents with_term(const IndexReader& reader, const std::string& term) {
  Documents documents;
  for (const TermPosting& posting : reader.postings(term)) documents.push_back(posting.document);
  return documents;
}

Documents both(const Documents& one, const Documents& other) {
  Documents documents;
  std::ranges::set_intersection(one, other, std::back_inserter(documents));
  return documents;
}

Documents with_all(const IndexReader& reader, const std::vector<QueryTerm>& terms) {
  Documents documents = with_term(reader, terms.front().term);
  for (std::size_t i = 1; i < terms.size() && !documents.empty(); ++i) {
    documents = both(documents, with_term(reader, terms[i].term));
  }
  return documents;
}

void add_all(const Documents& more, Documents& documents) {
  Documents joined;
  std::ranges::set_union(documents, more, std::back_inserter(joined));
  documents = std::move(joined);
}

Documents with_any(const IndexReader& reader, const std::vector<QueryTerm>& terms) {
  Documents documents;
  for (const QueryTerm& term : terms) add_all(with_term(reader, term.term), documents);
  return documents;
}

Documents excluded_by(const IndexReader& reader, const Words& words) {
  Documents documents;
  std::map<std::uint32_t, std::vector<QueryTerm>> groups;
  for (const QueryTerm& term : words.excluded) {
    if (term.word == 0) {
      add_all(with_term(reader, term.term), documents);
    } else {
      groups[term.word].push_back(term);
    }
  }
  for (const auto& [word, terms] : groups) add_all(with_all(reader, terms), documents);
  return documents;
}

Documents matching_words(const IndexReader& reader, const Words& words) {
  if (words.is_empty()) return {};
  const Documents found =
      words.required.empty() ? with_any(reader, words.optional) : with_all(reader, words.required);
  Documents kept;
  std::ranges::set_difference(found, excluded_by(reader, words), std::back_inserter(kept));
  return kept;
}

}  // namespace

std::vector<std::uint32_t> matching(const IndexReader& reader, const AskedQuery& query) {
  Documents documents;
  if (query.kind == QueryKind::kWords) return matching_words(reader, query.words);
  if (query.kind == QueryKind::kAll) {
    for (std::uint32_t i = 0; i < reader.document_end(); ++i) {
      if (reader.is_live(i)) documents.push_back(i);
    }
    return documents;
  }
  for (const std::string& id : query.ids) {
    if (const auto document = reader.find(id)) documents.push_back(*document);
  }
  std::ranges::sort(documents);
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  return documents;
}

}  // namespace warpdex::server::opensearch
