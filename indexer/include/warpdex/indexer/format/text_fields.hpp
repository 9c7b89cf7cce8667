// The texts of documents: the text fields of a schema, and the terms of each in one lexicon.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

// Text fields are numbered in the order of the schema. The terms of the first one are as analysis
// makes them. Those of another begin with the byte 0xFF, which is in no UTF-8, and the field's
// number in a byte: so terms of different fields are different, and stand apart in the lexicon.

/// The schema's text fields; none without a schema of texts.
std::vector<Field> text_fields(const Schema& schema);
/// Texts of a document, each with lists of its own: the text fields, or 1.
std::size_t text_count(const Schema& schema);

/// What the terms of a text field begin with.
std::string field_mark(std::size_t field);
/// The field whose mark a term has. Of an index of several texts only.
std::size_t field_of_term(std::string_view term);
/// A term without its field's mark. Of an index of several texts only.
std::string_view without_mark(std::string_view term);
/// For people: "title:sea" where there are several texts, else the term.
std::string shown_term(const Schema& schema, std::string_view term);

/// Which texts have positions in their lists.
class PositionedTexts {
 public:
  PositionedTexts() = default;  ///< none
  explicit PositionedTexts(const IndexSettings& settings);

  bool any() const { return texts_.any(); }
  /// Whether some texts have positions and others none.
  bool differ() const { return differ_; }
  bool has(std::size_t text) const { return texts_[text]; }
  /// Of the text that a term with its mark is of.
  bool has_term(std::string_view term) const { return texts_[field_of_term(term)]; }

 private:
  std::bitset<kMaxFields + 1> texts_;  ///< where they do not differ, all or none
  bool differ_ = false;
};

/// The analyzer of a text field, or of the text without a name.
AnalyzerSettings text_analyzer(const IndexSettings& settings, std::size_t field);

}  // namespace warpdex
