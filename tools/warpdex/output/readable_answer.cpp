// Says why there is no answer, or prints a table, or documents with their fields.
#include "output/readable_answer.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "output/table.hpp"
#include "output/term_notes.hpp"
#include "output/text.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

constexpr int kScoreDecimals = 4;  // runs and JSON have all digits

/// "a, b or c": those that are as near as the first.
std::string nearest_of(const std::vector<SimilarTerm>& corrections) {
  const auto farther =
      std::find_if(corrections.begin(), corrections.end(),
                   [&](const SimilarTerm& one) { return one.edits > corrections.front().edits; });
  std::string text;
  for (auto one = corrections.begin(); one != farther; ++one) {
    if (one != corrections.begin()) text += one + 1 == farther ? " or " : ", ";
    text += one->term;
  }
  return text;
}

/// The terms that no document has, with terms that are spelt alike.
void print_unknown(const IndexReader& index, const std::set<std::string>& unknown,
                   std::ostream& out) {
  if (unknown.empty()) return;
  constexpr std::size_t kTold = 10;  // terms; looking for others takes milliseconds each
  std::size_t told = 0;
  for (const std::string& term : unknown) {
    if (++told > kTold) break;
    out << "not in the index: " << term;
    const std::vector<SimilarTerm> corrections = index.offered_terms(term);
    if (!corrections.empty()) out << "; did you mean " << nearest_of(corrections) << "?";
    out << "\n";
  }
  if (unknown.size() > kTold) {
    out << "not in the index: " << counted(unknown.size() - kTold, "more term") << "\n";
  }
}

/// Why an answer is empty or is not what was asked for, in a line each.
void print_remarks(const IndexReader& index, const Query& query, const QueryAnswer& answer,
                   std::ostream& out) {
  std::set<std::string> unknown;
  std::set<std::string> wanted;
  std::set<std::string> known;
  for (const QueryTerm& term : query.terms) {
    const std::string word = index.word_of(term.term);
    (index.statistics(term.term) ? known : unknown).insert(word);
    if (term.occur != Occur::kMustNot) wanted.insert(word);
  }
  std::erase_if(unknown, [&](const std::string& word) { return known.contains(word); });
  if (query.terms.empty() && query.tree == nullptr) {
    out << "the query has no terms " << kNoTerms << "\n";
  }
  if (!query.terms.empty() && wanted.empty())
    out << "the query only excludes; add a word to look for\n";
  print_unknown(index, unknown, out);
  if (answer.fell_back_to_or && !answer.hits.empty() && wanted.size() > 1) {
    out << "too few documents hold all of the words; these hold any of them\n";
  }
}

/// Impacts add up to whole numbers, unless a word of the index has a weight that is none.
bool are_whole(const IndexReader& index, const Query& query) {
  return index.settings().impacts && std::ranges::all_of(query.terms, [&](const QueryTerm& term) {
           return std::trunc(term.weight) == term.weight || term.occur == Occur::kMustNot ||
                  !index.statistics(term.term);
         });
}

void print_parts(const NamedHit& hit, std::ostream& out) {
  for (const ShownField& field : hit.fields) {
    out << "        " << field.name << ": "
        << (field.snippet ? *field.snippet : without_controls(field.text, ' ')) << "\n";
  }
  if (hit.explanation != nullptr) out << to_text(*hit.explanation);
}

/// The least and the largest number, and the mean.
void print_numbers(const Field& field, const Facet& facet, std::ostream& out) {
  if (field.type == FieldType::kKeyword || field.type == FieldType::kBool || facet.values == 0) {
    return;
  }
  const auto text = [&](double number) {
    return field.type == FieldType::kDate ? date_text(static_cast<std::int64_t>(number))
                                          : shortest(number);
  };
  out << ", " << text(facet.min) << " to " << text(facet.max) << ", mean "
      << text(facet.sum / static_cast<double>(facet.values));
}

void print_facet(const IndexReader& index, const Facet& facet, std::ostream& out) {
  out << facet.column << ": " << counted(facet.documents, "document") << ", "
      << counted(facet.distinct, "value");
  const Schema& schema = index.settings().schema;
  print_numbers(schema.fields[*schema.find(facet.column)], facet, out);
  out << "\n";
  Table table({{"", Table::Align::kLeft}, {"documents"}});
  for (const FacetCount& count : facet.top) {
    table.add({"  " + without_controls(count.value, ' '), grouped(count.documents)});
  }
  table.print(out);
  if (facet.ranges.empty()) return;
  Table ranges({{"", Table::Align::kLeft}, {"documents"}});
  for (const auto& [range, documents] : facet.ranges) {
    ranges.add({"  " + without_controls(range.from + ".." + range.to, ' '), grouped(documents)});
  }
  ranges.print(out);
}

}  // namespace

void print_readably(const IndexReader& index, const Query& query, const QueryAnswer& answer,
                    bool count, bool is_hybrid, bool has_parts, std::ostream& out) {
  print_remarks(index, query, answer, out);
  if (answer.hits.empty()) {
    out << "no document matches\n";
    return;
  }
  Table table({{"rank"},
               {answer.scores_are_distances ? "distance" : "score"},
               {"document", Table::Align::kLeft}});
  const int decimals = !is_hybrid && are_whole(index, query) ? 0 : kScoreDecimals;
  std::uint64_t rank = 0;
  for (const NamedHit& hit : answer.hits) {
    const std::string score = fixed(static_cast<double>(hit.score), decimals);
    if (!has_parts) {
      table.add({std::to_string(++rank), score, std::string(hit.document)});
      continue;
    }
    out << ++rank << "  " << score << "  " << hit.document << "\n";
    print_parts(hit, out);
  }
  if (!has_parts) table.print(out);
  if (count) out << counted(answer.matches, "document") << " matched\n";
  for (const Facet& facet : answer.facets) print_facet(index, facet, out);
}

}  // namespace warpdex::tools
