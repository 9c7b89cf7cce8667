// Takes excluded words out of a query, and finds their documents by intersecting lists.
#include "plan/excluded_words.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {
namespace {

std::vector<std::uint32_t> documents_of_word(const Index& index,
                                             std::span<const PostingsEntry> terms) {
  std::vector<std::uint32_t> documents = read_postings(index, terms[0]).docids;
  for (const PostingsEntry& term : terms.subspan(1)) {
    const std::vector<std::uint32_t> others = read_postings(index, term).docids;
    std::vector<std::uint32_t> both;
    std::set_intersection(documents.begin(), documents.end(), others.begin(), others.end(),
                          std::back_inserter(both));
    documents = std::move(both);
  }
  return documents;
}

}  // namespace

QueryAndWords part_excluded_words(const Query& query) {
  QueryAndWords parts{{query.id, {}}, {}};
  parts.query.long_words = query.long_words;
  std::map<std::uint32_t, std::vector<std::string>> words;
  for (const QueryTerm& term : query.terms) {
    if (term.word == 0) {
      parts.query.terms.push_back(term);
      continue;
    }
    std::vector<std::string>& word = words[term.word];
    if (std::find(word.begin(), word.end(), term.term) == word.end()) word.push_back(term.term);
  }
  for (auto& [number, terms] : words) {
    if (terms.size() == 1) {
      parts.query.terms.push_back({terms[0], Occur::kMustNot});
    } else {
      parts.words.push_back(std::move(terms));
    }
  }
  return parts;
}

std::vector<std::vector<PostingsEntry>> plan_words(
    const Index& index, std::span<const std::vector<std::string>> words) {
  std::vector<std::vector<PostingsEntry>> planned;
  for (const std::vector<std::string>& word : words) {
    std::vector<PostingsEntry> entries;
    for (const std::string& term : word) {
      if (const std::optional<PostingsEntry> entry = index.find(term)) entries.push_back(*entry);
    }
    if (entries.size() == word.size()) planned.push_back(std::move(entries));
  }
  return planned;
}

void mark_documents_of_words(const Index& index, std::span<const std::vector<PostingsEntry>> words,
                             std::span<std::uint64_t> documents) {
  for (const std::vector<PostingsEntry>& word : words) {
    for (const std::uint32_t document : documents_of_word(index, word)) {
      documents[document / 64] |= std::uint64_t{1} << document % 64;
    }
  }
}

}  // namespace warpdex
