// Reads descriptions of analyzers and lists of words from files.
#include "options/analyzer_options.hpp"

#include <algorithm>
#include <vector>

#include "options/build_options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/stop_words.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

/// Words between white space; a | or a # at the start of a word makes the rest of a line a comment.
StopWords words_of_file(const std::string& path) {
  LineReader lines(path);
  std::vector<std::string> words;
  for (std::string line; lines.next(line);) {
    check_utf8(line, {path, lines.line_number()});
    std::size_t start = line.find_first_not_of(" \t\r");
    while (start != std::string::npos && line[start] != '|' && line[start] != '#') {
      const std::size_t end = std::min(line.find_first_of(" \t\r|", start), line.size());
      words.push_back(line.substr(start, end - start));
      start = line.find_first_not_of(" \t\r", end);
    }
  }
  return words;
}

}  // namespace

void AnalyzerOptions::add_to(po::options_description& group) {
  group.add_options()(
      "analyzer", po::value(&analyzer)->value_name("A")->default_value(analyzer),
      ("how texts become terms: one of " + known_analyzers() +
       "; or a tokenizer and filters as JSON, or the name of a .json file that has them")
          .c_str())("stop-words", po::value(&stop_words)->value_name("WORDS"),
                    "words that the analyzer leaves out, in the place of its own: none, a language "
                    "that has a list, or a file of words");
}

AnalyzerSettings AnalyzerOptions::settings() const {
  AnalyzerSettings settings = analyzer.ends_with(".json") ? text_of_file(analyzer) : analyzer;
  check_analyzer(settings);
  if (stop_words.empty()) return settings;
  const std::vector<std::string> lists = stop_list_names();
  const bool is_list = stop_words == "none" || std::ranges::count(lists, stop_words) > 0;
  return with_stop_words(settings,
                         is_list ? StopWords("_" + stop_words + "_") : words_of_file(stop_words));
}

}  // namespace warpdex::tools
