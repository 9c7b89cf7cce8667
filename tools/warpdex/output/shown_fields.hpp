// What search shows of the documents that it found: stored fields, and pieces of them with the
// matched words marked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/result_writer.hpp"
#include "warpdex/query/snippet.hpp"

namespace warpdex::tools {

/// The options --show, --show-matches-position and --no-snippets.
class ShowOptions {
 public:
  void add_to(CommandLine& command);
  bool any() const { return !fields_.empty(); }
  bool snippets() const { return !no_snippets_; }
  bool matches_position() const { return matches_position_; }
  /// The fields of --show. Throws UsageError for no field, and for options that do not go together.
  std::vector<std::string> fields(const CommandLine& command) const;

 private:
  std::string fields_;
  bool no_snippets_ = false;
  bool matches_position_ = false;
};

/// Reads what is shown. One per thread.
class ShownFields {
 public:
  /// Marks are tags of HTML in JSON, whose snippets are escaped; ANSI's bold at a terminal, else
  /// asterisks.
  enum class Marks { kTags, kTerminal, kAsterisks };

  /// With `positions`, the marked words have their places, too. Throws UsageError for a field that
  /// the index does not store.
  ShownFields(const Snapshot& snapshot, const std::vector<std::string>& fields, bool snippets,
              bool positions, Marks marks);

  /// Of a document, in the order of the fields; those that it does not have are left out. For
  /// people (all marks but tags) texts are in one line, and are snippets if they are long.
  std::vector<ShownField> of(std::uint32_t document, const Query& query);

 private:
  StoredReader reader_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;  ///< among the stored fields
  bool is_for_people_;
  bool has_positions_;
  std::optional<SnippetMaker> snippets_;
};

}  // namespace warpdex::tools
