// Declares and reads the options of searches.
#include "options/search_options.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "options/build_options.hpp"
#include "output/interrupt.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

/// Bad queries that are reported one by one; the rest are only counted.
constexpr std::uint64_t kSkippedReports = 10;

/// A setting of scorers as the command line has it.
std::string flag_of(const ScorerOption& option) {
  std::string flag(option.name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

/// "bm25 or qld".
std::string named_list(const std::vector<std::string>& names, std::string_view before_last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? before_last : ", ";
    text += names[i];
  }
  return text;
}

/// The scorers that read a setting: "bm25".
std::string readers_of(const ScorerOption& option) {
  std::vector<std::string> names;
  for (const ScorerKind kind : named_scorers()) {
    if (reads_option(kind, option)) names.emplace_back(scorer_name(kind));
  }
  return named_list(names, " or ");
}

/// "bm25, or qld (query likelihood, Dirichlet smoothing)".
std::string named_with_titles() {
  std::vector<std::string> names;
  for (const ScorerKind kind : named_scorers()) {
    std::string& name = names.emplace_back(scorer_name(kind));
    if (!scorer_title(kind).empty()) name += " (" + std::string(scorer_title(kind)) + ")";
  }
  return named_list(names, ", or ");
}

/// With up to four digits behind the point: "0.9", "1000".
std::string setting_text(float value) {
  std::string text = fixed(static_cast<double>(value), 4);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

void SearchOptions::add_to(CommandLine& command) {
  po::options_description queries = option_group("Queries");
  queries.add_options()(
      "queries", po::value(&queries_file_)->value_name("FILE"),
      "queries to answer; - is standard input, whose lines search answers as they "
      "come; .gz, .zst and .xz are unpacked")(
      "query-format", po::value(&query_format_)->value_name("FORMAT")->default_value(query_format_),
      "tsv (id<TAB>text), colon (id:text), lines (text; ids are line numbers), trec (topics), "
      "jsonl (as BEIR's queries.jsonl: _id and text) or sparse ({\"id\": …, \"vector\": "
      "{term: weight}}, "
      "whose terms are not analysed)")(
      "topic-fields", po::value(&topic_fields_)->value_name("A,B,..."),
      "trec: what of a topic is searched for: title, desc, narr. Default: title")(
      "on-bad-query", po::value(&on_bad_query_)->value_name("WHAT")->default_value(on_bad_query_),
      "fail: a query that cannot be read ends the search; skip: report it and go on")(
      "query-syntax", po::value(&query_syntax_)->value_name("SYNTAX"),
      "plain: signs have no meaning; the analyzer sees them as text. signed: +must, -not, optional "
      "and weighted^2.5 terms; a word^0 is left out, and a +word^0 refused; a -word of several "
      "terms excludes documents with all of them. lucene: as Lucene's classic parser: groups, AND "
      "OR NOT, prefix*, pat?ern, near~1, [from TO to], *:*, with --mode and or or between clauses. "
      "json: OpenSearch's query objects. "
      "Default: plain for files, signed for words on the command line")(
      "query-fields", po::value(&query_fields_)->value_name("A^2,B"),
      "text fields that words search which name none, with the weights of their scores. Default: "
      "those of the index's schema, with its weights")(
      "fields-type", po::value(&fields_type_)->value_name("TYPE")->default_value(fields_type_),
      "what a word scores that several fields have: most_fields, the sum, best_fields, the "
      "best, combined_fields, as if they were one field (BM25F), or cross_fields, the best one, "
      "where each counts the word in as many documents as the one that has it most")(
      "synonyms", po::value(&synonyms_)->value_name("FILE"),
      "words that stand for others, in Solr's format: lines as 'sea, ocean' or 'gb => united "
      "kingdom'. Several words become a phrase")(
      "threads", po::value(&threads_)->value_name("N")->default_value(threads_),
      "threads to answer with; 0: all. For search, those of the CPU only");
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
                        named_with_titles().c_str());
  const std::span<const ScorerOption> options = scorer_options();
  for (const ScorerOption& option : options) {
    std::string help(option.meaning);
    if (&option == &options.back()) help += ". An index of impacts takes none of these";
    if (option.number == nullptr) {
      scoring.add_options()(flag_of(option).c_str(),
                            po::value(&bm25_form_)->value_name("FORM")->default_value(bm25_form_),
                            help.c_str());
    } else {
      float& number = scorer_settings_.*option.number;
      scoring.add_options()(
          flag_of(option).c_str(),
          po::value(&number)->value_name("X")->default_value(number, setting_text(number)),
          help.c_str());
    }
  }
  command.add(scoring);
}

void SearchOptions::refuse_mode_and_k(const CommandLine& command, const std::string& kinds) const {
  for (const char* option : {"mode", "k"}) {
    if (!command.given(option)) continue;
    throw UsageError((option == std::string_view("k") ? "-k" : "--mode") +
                     std::string(" has no effect, since ") + kinds + "; leave it out");
  }
}

void SearchOptions::check(const CommandLine& command, const IndexSettings& index,
                          const std::string& folder) const {
  const auto refuse_for_impacts = [&](const std::string& flag) {
    if (!index.impacts || !command.given(flag)) return;
    throw UsageError("--" + flag + " cannot change the scores of '" + folder +
                     "': it holds impacts, scores that were computed when it was built; leave "
                     "the option out, or build an index of frequencies");
  };
  refuse_for_impacts("scorer");
  for (const ScorerOption& option : scorer_options()) {
    const std::string flag = flag_of(option);
    refuse_for_impacts(flag);
    if (!command.given(flag) || reads_option(scorer_from_name(scorer_), option)) continue;
    throw UsageError("--" + flag + " is for --scorer " + readers_of(option) +
                     "; add that or leave it out");
  }
}

void SearchOptions::check_mode(const CommandLine& command) const {
  if (!command.given("and-or-min") || settings().mode == QueryMode::kAndOr) return;
  throw UsageError("--and-or-min is for --mode and-or; add that or leave it out");
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

std::size_t SearchOptions::threads() const { return checked_threads(threads_); }

std::vector<QueryText> SearchOptions::read_query_file(const IndexSettings& index,
                                                      bool are_for_run) const {
  SkippedQueries skipped;
  std::vector<QueryText> texts =
      read_queries(queries_file_, query_format(), read_options(skipped, are_for_run));
  if (!skips_bad_queries()) return texts;
  const TextAnalyzers analyzers(index);
  std::erase_if(texts, [&](const QueryText& text) {
    return parse_queries({&text, 1}, syntax(QuerySyntax::kPlain), analyzers, searched(), &skipped,
                         settings().mode)
        .empty();
  });
  if (texts.empty()) check_some_left(skipped);
  return texts;
}

void SearchOptions::check_some_left(const SkippedQueries& skipped) const {
  if (skipped.is_empty()) return;
  throw InputError((queries_file_ == "-" ? "standard input" : queries_file_) +
                   " holds no query that can be read; what is wrong with them is told above");
}

bool SearchOptions::is_stream() const {
  struct stat status {};
  return queries_file_ == "-" && (::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode));
}

QueryReadOptions SearchOptions::read_options(SkippedQueries& skipped, bool are_for_run) const {
  QueryReadOptions options;
  options.are_for_run = are_for_run;
  if (!topic_fields_.empty()) {
    if (query_format() != QueryFormat::kTrec) {
      throw UsageError("--topic-fields is for --query-format trec; add that or leave it out");
    }
    options.topic_fields.clear();
    for (const std::string& name : split_list("--topic-fields", topic_fields_)) {
      options.topic_fields.push_back(topic_field_from_name(name));
    }
  }
  if (on_bad_query_ != "fail" && on_bad_query_ != "skip") {
    throw UsageError("--on-bad-query takes fail or skip, not '" + on_bad_query_ + "'");
  }
  if (skips_bad_queries()) {
    options.on_bad_query = [&](const std::string& message) { skipped.add(message); };
  }
  options.on_read = InterruptGuard::check;
  return options;
}

SkippedQueries::~SkippedQueries() {
  if (count_ > kSkippedReports) {
    std::cerr << "warpdex: skipped " << grouped(count_ - kSkippedReports) << " more\n";
  }
}

void SkippedQueries::add(const std::string& message) {
  if (++count_ <= kSkippedReports) std::cerr << "warpdex: skipped: " << message << "\n";
}

QuerySyntax SearchOptions::syntax(QuerySyntax otherwise) const {
  return query_syntax_.empty() ? otherwise : query_syntax_from_name(query_syntax_);
}

SearchedFields SearchOptions::searched() const {
  SearchedFields fields;
  if (!query_fields_.empty()) fields.fields = parse_searched_fields(query_fields_);
  fields.type = fields_type_from_name(fields_type_);
  if (!synonyms_.empty() && !rules_) rules_ = parse_synonyms(text_of_file(synonyms_), synonyms_);
  fields.synonyms = rules_;
  return fields;
}

std::string scorer_text(const ScorerSettings& settings) {
  std::string text(scorer_report_name(settings.kind));
  std::string numbers;
  for (const ScorerOption& option : scorer_options()) {
    if (!reads_option(settings.kind, option)) continue;
    if (option.number == nullptr) {
      text += " " + std::string(bm25_form_name(settings.form));
    } else {
      numbers += ", " + std::string(option.name) + " " + setting_text(settings.*option.number);
    }
  }
  return text + numbers;
}

std::vector<Query> parse_queries(std::span<const QueryText> texts, QuerySyntax syntax,
                                 const TextAnalyzers& analyzers, const SearchedFields& fields,
                                 SkippedQueries* skipped, QueryMode mode) {
  std::vector<Query> queries;
  queries.reserve(texts.size());
  for (const QueryText& text : texts) {
    InterruptGuard::check();
    try {
      queries.push_back(parse_query(text, syntax, analyzers, fields, {}, mode));
    } catch (const InputError& error) {
      if (skipped == nullptr) throw;
      skipped->add(error.what());
    }
  }
  return queries;
}

}  // namespace warpdex::tools
