// Counts queries by what they look for.
#include "output/term_notes.hpp"

#include <algorithm>
#include <iostream>

#include "output/text.hpp"

namespace warpdex::tools {
namespace {

bool looks_for(const QueryTerm& term) { return term.occur != Occur::kMustNot; }

}  // namespace

void TermNotes::look_at(std::span<const Query> queries) {
  for (const Query& query : queries) {
    if (query.tree != nullptr) {  // it may look for more than terms
      ++looking_;
      is_any_known_ = true;
      continue;
    }
    if (query.terms.empty()) {
      add(query, without_terms_);
      continue;
    }
    if (std::ranges::none_of(query.terms, looks_for)) {
      add(query, only_excluding_);
      continue;
    }
    ++looking_;
    is_any_known_ = is_any_known_ || std::ranges::any_of(query.terms, [&](const QueryTerm& term) {
                      return looks_for(term) && index_.statistics(term.term);
                    });
  }
}

void TermNotes::look_at(const Query& query, const Answer& answer) {
  if (answer.terms_cut) add(query, with_terms_cut_);
}

void TermNotes::add(const Query& query, Kind& kind) {
  if (++kind.count == 1) kind.first = query.id;
}

void TermNotes::append(const Kind& kind, const std::string& is_one, const std::string& are_many,
                       std::vector<std::string>& notes) {
  if (kind.count == 0) return;
  const std::string first = kind.first.empty() ? "the query" : "query " + kind.first;
  notes.push_back(kind.count == 1
                      ? first + " " + is_one
                      : counted(kind.count, "query") + " " + are_many + "; the first is " + first);
}

std::vector<std::string> TermNotes::notes() const {
  std::vector<std::string> notes;
  append(without_terms_, std::string("has no terms ") + kNoTerms,
         std::string("have no terms ") + kNoTerms, notes);
  append(only_excluding_, "only excludes; add a word to look for",
         "only exclude; add words to look for", notes);
  append(with_terms_cut_, kTermsCut,
         "have prefixes, patterns, ranges or near words that stand for more terms than are taken",
         notes);
  if (is_any_known_ || looking_ == 0) return notes;
  if (index_.documents() == 0) {
    notes.emplace_back("the index has no documents, so no query finds any");
    return notes;
  }
  const bool is_one = looking_ == 1;
  const bool is_alone = without_terms_.count + only_excluding_.count == 0;
  notes.push_back("no term of " +
                  (!is_one    ? "any of the " + counted(looking_, "query")
                   : is_alone ? "the query"
                              : "the one query that has some") +
                  " is in the index; " + (is_one ? "was it" : "were they") +
                  " analysed as its documents were (analyzer " + index_.settings().analyzer.name +
                  ")?");
  return notes;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cerr << "warpdex: note: " << note << "\n";
}

}  // namespace warpdex::tools
