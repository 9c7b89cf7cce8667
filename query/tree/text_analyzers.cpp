#include "warpdex/query/text_analyzers.hpp"

#include <algorithm>

#include "synonyms/synonym_table.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

TextAnalyzers::TextAnalyzers(const IndexSettings& settings) : schema_(settings.schema) {
  const PositionedTexts positioned(settings);
  const std::vector<Field> fields = text_fields(settings.schema);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text_count(settings.schema); ++i) {
    const AnalyzerSettings analyzer = text_analyzer(settings, i);
    names.push_back(analyzer.name);
    first_like_.push_back(
        static_cast<std::size_t>(std::ranges::find(names, analyzer.name) - names.begin()));
    own_.push_back(make_analyzer(analyzer));
    analyzers_.push_back(own_.back().get());
    names_.push_back(fields.empty() ? "" : fields[i].name);
    weights_.push_back(fields.empty() ? 1 : fields[i].weight);
    has_positions_.push_back(positioned.has(i));
  }
}

TextAnalyzers::TextAnalyzers(Analyzer& analyzer, bool has_positions)
    : analyzers_{&analyzer},
      names_{""},
      weights_{1},
      has_positions_{has_positions},
      first_like_{0} {}

std::optional<std::size_t> TextAnalyzers::find(std::string_view name) const {
  if (name.empty()) return std::nullopt;
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

const Field* TextAnalyzers::column(std::string_view name) const {
  const auto found = std::ranges::find(schema_.fields, name, &Field::name);
  return found != schema_.fields.end() && is_column(found->type) ? &*found : nullptr;
}

std::string TextAnalyzers::list_of_names() const {
  std::string list;
  for (const std::string& name : names_) {
    if (!name.empty()) list += (list.empty() ? "'" : ", '") + name + "'";
  }
  return list;
}

std::string TextAnalyzers::no_positions(std::size_t field) const {
  std::string others;
  for (std::size_t i = 0; i < size(); ++i) {
    if (has_positions_[i]) others += (others.empty() ? "'" : ", '") + names_[i] + "'";
  }
  if (others.empty()) return "the index has no positions of words";
  return "the field '" + names_[field] +
         "' has no positions of words (those with positions: " + others + ")";
}

const SynonymTable& TextAnalyzers::synonyms(const std::shared_ptr<const SynonymRules>& rules,
                                            std::size_t field) const {
  if (rules_ != rules) synonyms_.assign(size(), nullptr);
  rules_ = rules;
  std::shared_ptr<const SynonymTable>& table = synonyms_[field];
  if (!table) table = std::make_shared<const SynonymTable>(*rules, *analyzers_[field]);
  return *table;
}

std::vector<TextAnalyzers::Searched> TextAnalyzers::searched(const SearchedFields& fields) const {
  std::vector<Searched> searched;
  for (const SearchedField& field : fields.fields) {
    const std::optional<std::size_t> number = find(field.name);
    if (!number) {
      const std::string names = list_of_names();
      throw UsageError(
          "the index has no text field '" + field.name + "' to search; " +
          (names.empty() ? "it has no text fields, leave them out" : "it has " + names));
    }
    if (field.weight > 0) searched.push_back({*number, field.weight});
  }
  if (!fields.fields.empty()) return searched;
  for (std::size_t i = 0; i < size(); ++i) {
    if (weights_[i] > 0 || size() == 1) searched.push_back({i, size() == 1 ? 1 : weights_[i]});
  }
  return searched;
}

}  // namespace warpdex
