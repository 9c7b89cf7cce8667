// Declares --show, and looks stored fields up.
#include "output/shown_fields.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

SnippetSettings settings_of(ShownFields::Marks marks) {
  SnippetSettings settings;
  settings.is_html = marks == ShownFields::Marks::kTags;
  if (marks == ShownFields::Marks::kTerminal) {
    settings.before = "\x1B[1m";
    settings.after = "\x1B[0m";
  } else if (marks == ShownFields::Marks::kAsterisks) {
    settings.before = settings.after = "*";
  }
  return settings;
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

void ShowOptions::add_to(CommandLine& command) {
  po::options_description group = option_group("Documents");
  group.add_options()(
      "show", po::value(&fields_)->value_name("A,B,..."),
      "stored fields to show of each document found (warpdex index --store), for people or in "
      "JSON. "
      "Of long ones people see the piece with the most words of the query, which are bold at a "
      "terminal, else between asterisks; JSON has whole texts in `fields` and such pieces in "
      "`snippets`, as HTML with <em> and </em> around the words")(
      "show-matches-position", po::bool_switch(&matches_position_),
      "show: in JSON also where these words stand in the texts of `fields`, as `start` and "
      "`length` "
      "in bytes, in `matches_position`")("no-snippets", po::bool_switch(&no_snippets_),
                                         "show: whole texts, and no words marked");
  command.add(group);
}

std::vector<std::string> ShowOptions::fields(const CommandLine& command) const {
  if (!command.given("show")) {
    if (no_snippets_) throw UsageError("--no-snippets is for --show; add that or leave it out");
    if (matches_position_) {
      throw UsageError("--show-matches-position is for --show; add that or leave it out");
    }
    return {};
  }
  if (no_snippets_ && matches_position_) {
    throw UsageError("--no-snippets marks no words for --show-matches-position; leave one out");
  }
  std::vector<std::string> fields = split_list(fields_);
  if (fields.empty()) throw UsageError("--show names no field; name one or more");
  return fields;
}

ShownFields::ShownFields(const Snapshot& snapshot, const std::vector<std::string>& fields,
                         bool snippets, bool positions, Marks marks)
    : reader_(snapshot),
      names_(fields),
      is_for_people_(marks != Marks::kTags),
      has_positions_(positions) {
  const std::vector<std::string>& stored = snapshot.settings().stored_fields;
  for (const std::string& name : names_) {
    const auto known = std::find(stored.begin(), stored.end(), name);
    if (known == stored.end()) {
      throw UsageError("the index '" + snapshot.folder().string() + "' stores no field '" + name +
                       "'; it stores " + quoted(stored));
    }
    places_.push_back(static_cast<std::size_t>(known - stored.begin()));
  }
  if (snippets) snippets_.emplace(snapshot.settings().analyzer, settings_of(marks));
}

std::vector<ShownField> ShownFields::of(std::uint32_t document, const Query& query) {
  StoredValues values = reader_.read(document);
  std::vector<ShownField> shown;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!values[places_[i]]) continue;
    ShownField& field = shown.emplace_back();
    field.name = names_[i];
    field.text = is_for_people_ ? without_controls(*values[places_[i]], ' ') : *values[places_[i]];
    if (!snippets_) continue;
    Snippet snippet = snippets_->make(field.text, query);
    field.snippet = std::move(snippet.text);
    if (has_positions_) field.marked = std::move(snippet.marked);
  }
  return shown;
}

}  // namespace warpdex::tools
