#include "tests/query/shards/part_support.hpp"

#include <algorithm>

namespace warpdex::test {

std::vector<std::uint32_t> draw_cuts(Random& random, std::size_t documents, std::size_t parts) {
  std::vector<std::uint32_t> cuts{0, static_cast<std::uint32_t>(documents)};
  while (cuts.size() < parts + 1) {
    cuts.push_back(static_cast<std::uint32_t>(below(random, documents + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

namespace {

/// One text field of a collection; its terms are without the field's mark.
reference::Collection slice_text(const reference::Collection& collection, std::size_t text,
                                 std::uint32_t begin, std::uint32_t end) {
  reference::Collection part;
  for (std::uint32_t document = begin; document < end; ++document) {
    part.add_document_of_length({}, collection.lengths_in(text)[document],
                                text == 0 ? collection.static_scores()[document] : 0);
  }
  for (const std::string& term : collection.terms()) {
    const bool is_marked = term[0] == '\xFF';
    if ((is_marked ? static_cast<std::size_t>(term[1]) : 0) != text) continue;
    std::vector<reference::Posting> postings;
    for (const reference::Posting& posting : collection.postings(term)) {
      if (posting.document < begin || posting.document >= end) continue;
      postings.push_back({posting.document - begin, posting.frequency});
    }
    if (!postings.empty()) part.add_list(term.substr(is_marked ? 2 : 0), std::move(postings));
  }
  return part;
}

}  // namespace

reference::Collection slice(const reference::Collection& collection, std::uint32_t begin,
                            std::uint32_t end) {
  reference::Collection part = slice_text(collection, 0, begin, end);
  for (std::size_t text = 1; text < collection.texts(); ++text) {
    part.add_text(slice_text(collection, text, begin, end));
  }
  return part;
}

WholeStatistics add_up(std::span<const Snapshot> parts, std::span<const Query> queries) {
  WholeStatistics whole;
  for (const Snapshot& part : parts) {
    whole.collection.documents += part.statistics().documents;
    whole.collection.tokens += part.statistics().tokens;
    const std::vector<CollectionStatistics> texts = part.text_statistics();
    whole.texts.resize(std::max(whole.texts.size(), texts.size()));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      whole.texts[i].documents += texts[i].documents;
      whole.texts[i].tokens += texts[i].tokens;
    }
  }
  for (const Query& query : queries) {
    for (const QueryTerm& term : query.terms) {
      TermFrequencies sum;
      for (const Snapshot& part : parts) {
        const TermFrequencies own = part_term(part, term.term).frequencies;
        sum.documents += own.documents;
        sum.occurrences += own.occurrences;
      }
      whole.terms[term.term] = sum;
    }
  }
  return whole;
}

}  // namespace warpdex::test
