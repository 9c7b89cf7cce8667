// Declares and reads the options of searches.
#include "search_options.hpp"

#include "interrupt.hpp"
#include "text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {

void SearchOptions::add_to(CommandLine& command) {
  po::options_description queries = option_group("Queries");
  queries.add_options()("queries", po::value(&queries_file_)->value_name("FILE"),
                        "queries to answer; - is standard input; .gz, .zst and .xz are unpacked")(
      "query-format", po::value(&query_format_)->value_name("FORMAT")->default_value(query_format_),
      "tsv (id<TAB>text), colon (id:text), lines (text; ids are line numbers) or trec (topics)")(
      "query-syntax", po::value(&query_syntax_)->value_name("SYNTAX"),
      "plain: a dash is punctuation; signed: +must, -not and optional terms. Default: plain for "
      "files, signed for words on the command line")(
      "threads", po::value(&threads_)->value_name("N")->default_value(threads_),
      "threads to answer with; 0: all. Of search, the CPU's engine only");
  command.add(queries);

  po::options_description matching = option_group("Matching");
  matching.add_options()("mode", po::value(&mode_)->value_name("MODE")->default_value(mode_),
                         "and, or, or and-or: AND first, OR where AND matches too few")(
      "and-or-min", po::value(&and_or_min_)->value_name("M"),
      "and-or: fewer matches of AND than M make the answer OR's. Default: k")(
      "k,k", po::value(&k_)->value_name("N")->default_value(k_), "documents to return, 1 to 10000")(
      "count", po::bool_switch(&count_), "find the exact number of documents that match");
  command.add(matching);

  po::options_description scoring = option_group("Scoring");
  scoring.add_options()("scorer", po::value(&scorer_)->value_name("NAME")->default_value(scorer_),
                        "bm25, or qld (query likelihood, Dirichlet smoothing)")(
      "k1",
      po::value(&scorer_settings_.k1)->value_name("X")->default_value(scorer_settings_.k1, "0.9"),
      "BM25's k1, 0 or more")(
      "b",
      po::value(&scorer_settings_.b)->value_name("X")->default_value(scorer_settings_.b, "0.4"),
      "BM25's b, 0 to 1")("bm25-form",
                          po::value(&bm25_form_)->value_name("FORM")->default_value(bm25_form_),
                          "lucene or pisa")(
      "mu",
      po::value(&scorer_settings_.mu)->value_name("X")->default_value(scorer_settings_.mu, "1000"),
      "query likelihood's mu, above 0. An index of impacts takes none of these");
  command.add(scoring);
}

void SearchOptions::check(const CommandLine& command, const Index& index) {
  if (!index.settings().impacts) return;
  for (const char* option : {"scorer", "k1", "b", "bm25-form", "mu"}) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) + " cannot change the scores of '" +
                       index.folder().string() +
                       "': it holds impacts, scores that were computed when it was built; leave "
                       "the option out, or build an index without --impacts");
    }
  }
}

SearchSettings SearchOptions::settings() const {
  SearchSettings settings;
  settings.mode = query_mode_from_name(mode_);
  settings.k = checked_number("-k", k_, 1, kMaxK);
  if (and_or_min_ != kAndOrMinIsK) {
    settings.and_or_min = checked_number("--and-or-min", and_or_min_, 1);
  }
  settings.count = count_;
  settings.scorer = scorer_settings_;
  settings.scorer.kind = scorer_from_name(scorer_);
  settings.scorer.form = bm25_form_from_name(bm25_form_);
  settings.validate();
  return settings;
}

std::size_t SearchOptions::threads() const {
  return checked_number("--threads", threads_, 0, 1024);
}

std::vector<QueryText> SearchOptions::read_query_file() const {
  return read_queries(queries_file_, query_format_from_name(query_format_));
}

QuerySyntax SearchOptions::syntax(QuerySyntax otherwise) const {
  return query_syntax_.empty() ? otherwise : query_syntax_from_name(query_syntax_);
}

std::string scorer_text(const ScorerSettings& settings) {
  const auto number = [](float value) {
    std::string text = fixed(static_cast<double>(value), 4);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  if (settings.kind == ScorerKind::kImpact) return "impacts";
  if (settings.kind == ScorerKind::kQueryLikelihood) return "qld, mu " + number(settings.mu);
  return std::string("bm25 ") + (settings.form == Bm25Form::kLucene ? "lucene" : "pisa") + ", k1 " +
         number(settings.k1) + ", b " + number(settings.b);
}

std::vector<Query> parse_queries(const std::vector<QueryText>& texts, std::size_t first,
                                 std::size_t count, QuerySyntax syntax, Analyzer& analyzer) {
  std::vector<Query> queries;
  queries.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) {
    InterruptGuard::check();
    queries.push_back(parse_query(texts[i].id, texts[i].text, syntax, analyzer));
  }
  return queries;
}

}  // namespace warpdex::tools
