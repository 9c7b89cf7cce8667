// warpdex suggest: terms that begin with some letters.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Lists the terms of an index that begin with PREFIX, those of most documents first. Case, "
    "forms\n"
    "and accents of PREFIX are folded as the index's analyzer folds them. Where that stems, the\n"
    "terms are stems.";

std::string suggestions_json(const std::vector<TermStatistics>& terms) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("terms");
  for (const TermStatistics& term : terms) {
    json.begin_object();
    json.member("term", term.term);
    json.member("documents", term.document_frequency);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace

int run_suggest(const std::vector<std::string>& arguments) {
  std::string folder;
  std::string prefix;
  std::int64_t count = 10;
  std::string field;
  std::string json;
  CommandLine command("suggest", "INDEX PREFIX [-k N] [--field NAME] [--json FILE]", kAbout);
  command.add_positional("INDEX", &folder, "the folder of an index of text");
  command.add_positional("PREFIX", &prefix, "what the terms begin with");
  po::options_description group = option_group("Options");
  group.add_options()("top,k", po::value(&count)->value_name("N")->default_value(count),
                      "how many terms, at most")(
      "field", po::value(&field)->value_name("NAME"),
      "the text field whose terms they are. Default: the first of the index's schema");
  add_json_option(group, "terms", &json);
  command.add(group);
  if (!command.parse(arguments)) return 0;

  const std::uint32_t wanted = checked_number("-k", count, 1);
  check_outputs_outside(folder, {json});
  const IndexReader index(folder);
  const std::vector<TermStatistics> terms = index.suggest(prefix, wanted, field);
  if (json != "-") {
    Table table({{"term", Table::Align::kLeft}, {"documents"}});
    for (const TermStatistics& term : terms) {
      table.add({without_controls(term.term, '?'), grouped(term.document_frequency)});
    }
    table.print(std::cout);
  }
  if (!json.empty()) write_output(json, suggestions_json(terms));
  return 0;
}

}  // namespace warpdex::tools
