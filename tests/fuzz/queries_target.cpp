// Query files, TREC topics among them, and the text of their queries. The input's first byte
// chooses the format, the rest is the file.
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex::fuzz {
namespace {

constexpr std::array kFormats{QueryFormat::kTsv,  QueryFormat::kColon, QueryFormat::kLines,
                              QueryFormat::kTrec, QueryFormat::kJsonl, QueryFormat::kSparse};

std::vector<std::unique_ptr<Analyzer>> make_analyzers() {
  std::vector<std::unique_ptr<Analyzer>> analyzers;
  for (const std::string& name : analyzer_names()) analyzers.push_back(make_analyzer(name));
  return analyzers;
}

void check_syntaxes(const QueryText& query, Analyzer& analyzer) {
  const Query plain = parse_query(query.id, query.text, QuerySyntax::kPlain, analyzer);
  const Query with_signs = parse_query(query.id, query.text, QuerySyntax::kSigned, analyzer);
  for (const QueryTerm& term : plain.terms) {
    require(term.occur == Occur::kUnsigned, "a plain query has no signs");
    require(!term.term.empty() && term.term.size() <= kMaxTermBytes,
            "terms are of 1 to 65,535 bytes");
  }
  for (const QueryTerm& term : with_signs.terms) {
    require(!term.term.empty(), "terms are not empty");
    require(term.weight >= kMinQueryWeight && term.weight <= kMaxQueryWeight,
            "weights are within their range");
  }
  if (query.text.find_first_of("+-^") == std::string::npos) {
    require(plain == with_signs, "without signs, both syntaxes are the same");
  }
}

/// The lenient parser reads all that the strict one reads, to the same tree, and tells of the rest.
void check_lucene(const std::string& text) {
  LuceneQuery lenient;
  try {
    lenient = parse_lucene_leniently(text);
  } catch (const InputError&) {
    return;  // too many clauses
  }
  check_query_tree(lenient.tree);
  try {
    require(parse_lucene(text) == lenient.tree, "both parsers make the same tree");
    require(lenient.notes.empty(), "what is right has no notes");
  } catch (const InputError&) {
    require(!lenient.notes.empty(), "what is refused has a note");
  }
}

/// A query in JSON, and rules of synonyms, are read or refused.
void check_json_and_rules(const std::string& text) {
  try {
    const QueryNode tree = parse_json_query(text);
    require(tree.boost == 0 || (tree.boost >= kMinQueryWeight && tree.boost <= kMaxQueryWeight),
            "a boost is within its range");
    require(tree.tie_breaker >= 0 && tree.tie_breaker <= 1, "a tie breaker is within its range");
  } catch (const InputError&) {
  }
  try {
    for (const SynonymRules::Rule& rule : parse_synonyms(text, "rules")->rules) {
      require(!rule.from.empty() && !rule.to.empty(), "a rule has two sides");
    }
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with("rules, line "), "a mistake has its line");
  }
}

/// The file's queries; none if it is refused.
std::vector<QueryText> read_all(const std::filesystem::path& file, QueryFormat format) {
  try {
    return read_queries(file, format);
  } catch (const InputError& error) {
    require(std::string_view(error.what()).find(file.string()) != std::string_view::npos,
            "the message of a file that cannot be read names it");
    return {};
  }
}

void check(const QueryText& query) {
  static const std::vector<std::unique_ptr<Analyzer>> analyzers = make_analyzers();
  for (const QueryTerm& term : query.vector) {
    require(!term.term.empty() && analysis::find_invalid_utf8(term.term) == term.term.size(),
            "a vector's terms are UTF-8 and not empty");
    require(term.weight >= kMinQueryWeight && term.weight <= kMaxQueryWeight,
            "a vector's weights are within their range");
  }
  require(!query.id.empty() && trimmed(query.id) == query.id,
          "an id is not empty and has no white space around it");
  require(analysis::find_invalid_utf8(query.id) == query.id.size(), "an id is UTF-8");
  check_lucene(query.text);
  check_json_and_rules(query.text);
  for (const auto& analyzer : analyzers) {
    try {
      check_syntaxes(query, *analyzer);
    } catch (const InputError&) {
      require(query.text.find('^') != std::string::npos, "a query is refused for a weight only");
    }
  }
}

void run(InputBytes input) {
  const QueryFormat format = kFormats[input.byte() % kFormats.size()];
  const std::filesystem::path file = write_file(work_folder() / "queries", input.rest());
  std::set<std::string> ids;
  for (const QueryText& query : read_all(file, format)) {
    check(query);
    require(ids.insert(query.id).second, "no id stands twice");
  }
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
