// The options on what search shows of the documents that it found.
#pragma once

#include <string>
#include <vector>

#include "options/options.hpp"
#include "warpdex/search_options.hpp"

namespace warpdex::tools {

/// The options --show, --show-matches-position, --snippet-fragments and --no-snippets.
class ShowOptions {
 public:
  void add_to(CommandLine& command);
  bool any() const { return !fields_.empty(); }
  bool snippets() const { return !no_snippets_; }
  bool matches_position() const { return matches_position_; }
  /// Marks are tags of HTML in JSON, whose snippets are escaped; ANSI's bold at a terminal, else
  /// asterisks.
  enum class Marks { kTags, kTerminal, kAsterisks };
  /// The fields of --show. Throws UsageError for no field, and for options that do not go together.
  std::vector<std::string> fields(const CommandLine& command) const;
  /// Asks for these fields.
  void apply(const std::vector<std::string>& fields, Marks marks,
             warpdex::SearchOptions& options) const;

 private:
  std::string fields_;
  bool no_snippets_ = false;
  bool matches_position_ = false;
  std::size_t fragments_ = 1;
};

}  // namespace warpdex::tools
