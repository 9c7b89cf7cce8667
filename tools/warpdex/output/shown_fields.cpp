#include "output/shown_fields.hpp"

#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

SnippetSettings settings_of(ShowOptions::Marks marks) {
  SnippetSettings settings;
  settings.is_html = marks == ShowOptions::Marks::kTags;
  if (marks == ShowOptions::Marks::kTerminal) {
    settings.before = "\x1B[1m";
    settings.after = "\x1B[0m";
  } else if (marks == ShowOptions::Marks::kAsterisks) {
    settings.before = settings.after = "*";
  }
  return settings;
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
      "in bytes, in `matches_position`")(
      "snippet-fragments", po::value(&fragments_)->value_name("N")->default_value(fragments_),
      "show: pieces of a long text at most, 1 to 1000")(
      "no-snippets", po::bool_switch(&no_snippets_), "show: whole texts, and no words marked");
  command.add(group);
}

std::vector<std::string> ShowOptions::fields(const CommandLine& command) const {
  if (!command.given("show")) {
    if (no_snippets_) throw UsageError("--no-snippets is for --show; add that or leave it out");
    if (matches_position_) {
      throw UsageError("--show-matches-position is for --show; add that or leave it out");
    }
    if (command.given("snippet-fragments")) {
      throw UsageError("--snippet-fragments is for --show; add that or leave it out");
    }
    return {};
  }
  if (fragments_ < 1 || fragments_ > kMaxFragments) {
    throw UsageError("--snippet-fragments is not from 1 to " + std::to_string(kMaxFragments));
  }
  if (no_snippets_ && matches_position_) {
    throw UsageError("--no-snippets marks no words for --show-matches-position; leave one out");
  }
  std::vector<std::string> fields = split_list(fields_);
  if (fields.empty()) throw UsageError("--show names no field; name one or more");
  return fields;
}

void ShowOptions::apply(const std::vector<std::string>& fields, Marks marks,
                        warpdex::SearchOptions& options) const {
  options.fields = fields;
  options.snippets = !no_snippets_;
  options.positions = matches_position_;
  options.snippet = settings_of(marks);
  options.snippet.fragments = fragments_;
}

}  // namespace warpdex::tools
