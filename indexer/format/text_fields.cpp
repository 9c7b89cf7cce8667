// Marks terms with the numbers of their fields.
#include "warpdex/indexer/format/text_fields.hpp"

#include <algorithm>
#include <iterator>

namespace warpdex {
namespace {

constexpr char kMark = '\xFF';

}  // namespace

std::vector<Field> text_fields(const Schema& schema) {
  std::vector<Field> texts;
  std::ranges::copy_if(schema.fields, std::back_inserter(texts),
                       [](const Field& field) { return field.type == FieldType::kText; });
  return texts;
}

std::vector<std::string> text_names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const Field& field : text_fields(schema)) names.push_back(field.name);
  return names;
}

std::size_t text_count(const Schema& schema) {
  const auto texts = std::ranges::count(schema.fields, FieldType::kText, &Field::type);
  return std::max<std::size_t>(1, static_cast<std::size_t>(texts));
}

std::string field_mark(std::size_t field) {
  return field == 0 ? "" : std::string{kMark, static_cast<char>(field)};
}

std::size_t field_of_term(std::string_view term) {
  return term.size() > 1 && term[0] == kMark ? static_cast<unsigned char>(term[1]) : 0;
}

std::string_view without_mark(std::string_view term) {
  return term.substr(field_of_term(term) == 0 ? 0 : 2);
}

std::string shown_term(const Schema& schema, std::string_view term) {
  const std::size_t field = field_of_term(term);
  if (const std::vector<Field> texts = text_fields(schema);
      texts.size() > 1 && field < texts.size()) {
    return texts[field].name + ":" + std::string(without_mark(term));
  }
  return std::string(term);
}

PositionedTexts::PositionedTexts(const IndexSettings& settings) {
  if (!settings.has_positions) return;
  if (!settings.positions_by_field) {
    texts_.set();
    return;
  }
  differ_ = true;
  std::size_t text = 0;
  for (const Field& field : text_fields(settings.schema)) texts_[text++] = field.positions;
}

AnalyzerSettings text_analyzer(const IndexSettings& settings, std::size_t field) {
  const std::vector<Field> texts = text_fields(settings.schema);
  if (field >= texts.size() || texts[field].analyzer.empty()) return settings.analyzer;
  return texts[field].analyzer;
}

}  // namespace warpdex
