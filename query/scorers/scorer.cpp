// What is known of all scorers together: their names and settings, and calls by kind.
#include "warpdex/query/scorer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "scorers/scorers.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

template <class... S>
std::vector<ScorerKind> find_named(ScorerList<S...>) {
  std::vector<ScorerKind> kinds;
  ((S::kFacts.is_named ? kinds.push_back(S::kKind) : void()), ...);
  return kinds;
}

template <class... S>
std::vector<ScorerOption> join_options(ScorerList<S...>) {
  std::vector<ScorerOption> options;
  const auto add = [&](const ScorerOption& option) {
    const auto same = std::ranges::find(options, option.name, &ScorerOption::name);
    if (same == options.end()) options.push_back(option);
  };
  (std::ranges::for_each(S::kFacts.options, [&](const ScorerOption* option) { add(*option); }),
   ...);
  return options;
}

/// "bm25 or qld".
std::string list_of_names() {
  const std::span<const ScorerKind> kinds = named_scorers();
  std::string list;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) list += i + 1 == kinds.size() ? " or " : ", ";
    list += scorer_name(kinds[i]);
  }
  return list;
}

}  // namespace

std::span<const ScorerKind> named_scorers() {
  static const std::vector<ScorerKind> kinds = find_named(Scorers());
  return kinds;
}

std::string_view scorer_name(ScorerKind kind) { return facts_of(kind).name; }
std::string_view scorer_report_name(ScorerKind kind) { return facts_of(kind).report_name; }
std::string_view scorer_title(ScorerKind kind) { return facts_of(kind).title; }

ScorerKind scorer_from_name(std::string_view name) {
  const auto found = std::ranges::find(named_scorers(), name, scorer_name);
  if (found != named_scorers().end()) return *found;
  throw UsageError("there is no scorer '" + std::string(name) + "'; take " + list_of_names());
}

std::span<const ScorerOption> scorer_options() {
  static const std::vector<ScorerOption> options = join_options(Scorers());
  return options;
}

bool reads_option(ScorerKind kind, const ScorerOption& option) {
  return std::ranges::any_of(facts_of(kind).options,
                             [&](const ScorerOption* own) { return own->name == option.name; });
}

void ScorerSettings::validate() const {
  for (const ScorerOption& option : scorer_options()) {
    if (option.check != nullptr) option.check(this->*option.number);
  }
}

std::string_view bm25_form_name(Bm25Form form) {
  return form == Bm25Form::kLucene ? "lucene" : "pisa";
}

Bm25Form bm25_form_from_name(std::string_view name) {
  for (const Bm25Form form : {Bm25Form::kLucene, Bm25Form::kPisa}) {
    if (name == bm25_form_name(form)) return form;
  }
  throw UsageError("there is no form of BM25 '" + std::string(name) + "'; take lucene or pisa");
}

ScorerSettings effective_scorer(const IndexSettings& index, const ScorerSettings& settings) {
  ScorerSettings effective = settings;
  if (index.impacts) {
    effective.kind = Impact::kKind;
  } else if (settings.kind == Impact::kKind) {
    throw UsageError("the index holds frequencies, not impacts; score by BM25 or query likelihood");
  }
  return effective;
}

float TermScorer::operator()(std::uint32_t frequency, std::uint32_t length) const {
  return visit_scorer(kind, [&]<class S>() {
    return S::score(*this, static_cast<float>(frequency), static_cast<float>(length));
  });
}

float TermScorer::of_phrase(float frequency, std::uint32_t length) const {
  return visit_scorer(
      kind, [&]<class S>() { return S::score(*this, frequency, static_cast<float>(length)); });
}

float largest_score(const TermScorer& scorer, std::uint64_t frequency) {
  return visit_scorer(scorer.kind, [&]<class S>() { return S::largest(scorer, frequency); });
}

TermScorer make_term_scorer(const ScorerSettings& settings, const CollectionStatistics& statistics,
                            std::uint64_t document_frequency, std::uint64_t collection_frequency,
                            float weight) {
  const TermStatistics term{statistics, document_frequency, collection_frequency, weight};
  return visit_scorer(settings.kind, [&]<class S>() { return S::make(settings, term); });
}

}  // namespace warpdex
