// Counts the forward index again, and compares.
#include "format/verify_changes.hpp"

#include <vector>

#include "format/name_order.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace {

/// Documents and occurrences of each term.
struct TermTotals {
  explicit TermTotals(std::uint64_t terms) : documents(terms), occurrences(terms) {}
  void add(std::uint32_t term, std::uint32_t frequency) {
    ++documents[term];
    occurrences[term] += frequency;
  }
  std::vector<std::uint32_t> documents;
  std::vector<std::uint64_t> occurrences;
};

void check_removed_counts(const Index& index) {
  const RemovedRows removed = index.removed();
  const std::uint64_t documents = index.counts().documents;
  if (!removed.none() && documents % 64 != 0 && removed.words().back() >> documents % 64 != 0) {
    throw FormatError("a document past the last is removed");
  }
  std::uint64_t tokens = 0;
  bool are_right = count_removed(removed.words()) == index.removed_documents();
  for (std::size_t field = 0; field < index.texts(); ++field) {
    TextCounts own;
    for (std::uint64_t i = 0; i < documents; ++i) {
      if (!removed.contains(i)) continue;
      own.tokens += index.lengths(field)[i];
      own.documents += index.lengths(field)[i] > 0 ? 1 : 0;
    }
    tokens += own.tokens;
    if (index.texts() == 1) break;
    const TextCounts said = index.removed_text(field);
    are_right = are_right && said.documents == own.documents && said.tokens == own.tokens;
  }
  if (!are_right || tokens != index.removed_tokens()) {
    throw FormatError("the removed documents or their tokens are not as many as the manifest says");
  }
}

void check_frequencies(const Index& index, const TermTotals& totals) {
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const std::uint64_t occurrences = totals.occurrences[entry.term_number];
    if (totals.documents[entry.term_number] != entry.document_frequency ||
        (!entry.is_short() && occurrences != entry.collection_frequency)) {
      throw FormatError("the forward index has another number of documents with the term '" +
                        shown_term(index.settings().schema, term) + "' than its list");
    }
  });
}

void check_frequency_changes(const Index& index, const TermTotals& removed) {
  std::uint64_t next = 0;  // term
  const auto expect_none = [&](std::uint64_t end) {
    for (; next < end; ++next) {
      if (removed.documents[next] != 0) {
        throw FormatError("removed documents are missing in the changes of frequencies");
      }
    }
  };
  for (const FrequencyChange& change : index.frequency_changes()) {
    if (change.term_number >= removed.documents.size() || change.term_number < next) {
      throw FormatError("the changes of frequencies do not ascend");
    }
    expect_none(change.term_number);
    if (change.documents != removed.documents[change.term_number] ||
        change.occurrences != removed.occurrences[change.term_number]) {
      throw FormatError("the changes of frequencies are not those of the removed documents");
    }
    ++next;
  }
  expect_none(removed.documents.size());
}

}  // namespace

void check_name_order(const Index& index) {
  const auto order = index.sections().document_name_order;
  std::vector<bool> seen(order.size());
  std::uint32_t before = 0;
  for (const std::uint32_t document : order) {
    if (document >= order.size() || seen[document]) {
      throw FormatError("the order of names does not hold each document once");
    }
    seen[document] = true;
    const std::uint32_t hash = name_hash(index.document_name(document));
    if (hash < before) throw FormatError("the order of names does not follow their hashes");
    before = hash;
  }
}

void check_changes(const Index& index) {
  check_removed_counts(index);
  if (!index.settings().has_forward) return;
  TermTotals all(index.counts().terms);
  TermTotals removed(index.counts().terms);
  for (std::uint64_t i = 0; i < index.counts().documents; ++i) {
    const bool is_removed = index.removed().contains(i);
    index.for_each_term_of_document(static_cast<std::uint32_t>(i),
                                    [&](std::uint32_t term, std::uint32_t frequency) {
                                      all.add(term, frequency);
                                      if (is_removed) removed.add(term, frequency);
                                    });
  }
  check_frequencies(index, all);
  check_frequency_changes(index, removed);
}

}  // namespace warpdex
