// The texts of an index as queries see them: their names, their analyzers, and which of them words
// search that name none.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/index_settings.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

class SynonymTable;

/// The analyzers of an index's texts. For one thread at a time.
class TextAnalyzers {
 public:
  /// A text that a word searches, and the factor of its score there.
  struct Searched {
    std::size_t field = 0;
    float weight = 1;
  };

  /// Throws UsageError for an unknown analyzer.
  explicit TextAnalyzers(const IndexSettings& settings);
  /// Of one text without a name.
  explicit TextAnalyzers(Analyzer& analyzer, bool has_positions = false);

  /// Whether a document has several texts.
  bool are_several() const { return analyzers_.size() > 1; }
  /// Whether a text has positions, which phrases ask for.
  bool has_positions(std::size_t field) const { return has_positions_[field]; }
  /// Of a text without them, "the index has no positions of words", or that the text has none and
  /// which ones have some.
  std::string no_positions(std::size_t field) const;
  std::size_t size() const { return analyzers_.size(); }
  Analyzer& operator[](std::size_t field) const { return *analyzers_[field]; }
  /// The first field that is analysed as this one is.
  std::size_t first_like(std::size_t field) const { return first_like_[field]; }
  /// Empty for a text without a name.
  const std::string& name(std::size_t field) const { return names_[field]; }
  /// The number of the text field of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// "'title', 'contents'"; empty where the text has no name.
  std::string list_of_names() const;

  /// The column of that name, or null.
  const Field* column(std::string_view name) const;
  /// Of columns and texts.
  const Schema& schema() const { return schema_; }

  /// Rules of synonyms as terms of a text, which are kept until others are asked for. Throws
  /// InputError where analysis leaves nothing of a word.
  const SynonymTable& synonyms(const std::shared_ptr<const SynonymRules>& rules,
                               std::size_t field) const;

  /// The texts that words search which name no field: those of `fields`, or the index's with a
  /// weight above 0. Throws UsageError for a field that the index has not.
  std::vector<Searched> searched(const SearchedFields& fields) const;

 private:
  std::vector<std::unique_ptr<Analyzer>> own_;
  std::vector<Analyzer*> analyzers_;  ///< by field
  std::vector<std::string> names_;
  std::vector<float> weights_;
  Schema schema_;
  std::vector<bool> has_positions_;  ///< by field
  std::vector<std::size_t> first_like_;
  mutable std::shared_ptr<const SynonymRules> rules_;
  mutable std::vector<std::shared_ptr<const SynonymTable>> synonyms_;  ///< of these, by field
};

}  // namespace warpdex
