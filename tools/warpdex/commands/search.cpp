// warpdex search: answers words for people, or a file of queries as a run.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "command.hpp"
#include "options/at_most.hpp"
#include "options/hybrid_options.hpp"
#include "options/places.hpp"
#include "options/search_options.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/query_notes.hpp"
#include "output/readable_answer.hpp"
#include "output/shown_fields.hpp"
#include "output/term_notes.hpp"
#include "output/terminal.hpp"
#include "output/text.hpp"
#include "search/answers.hpp"
#include "search/open_searcher.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Answers words with a list for people, or a file of queries with a TREC run or JSON; best\n"
    "documents first, equal scores in the order of the index's documents.";

constexpr const char* kNotes =
    "examples:\n"
    "  warpdex search INDEX \"posting lists\"\n"
    "  warpdex search INDEX --mode and posting lists\n"
    "  warpdex search INDEX -- -draft +report     (words that start with a dash follow --)\n"
    "  warpdex search INDEX \"ocean^2.5 ship\"       (ocean counts two and a half times)\n"
    "  warpdex search INDEX --show title,contents ocean ship\n"
    "  warpdex search INDEX --filter 'year 1990 TO 2000' ocean ship\n"
    "  warpdex search INDEX --queries topics.tsv -k 1000 --output run.txt\n"
    "  warpdex search INDEX --queries topics.tsv --vector-queries topics.npy --fusion convex\n"
    "  warpdex search INDEX --queries splade.jsonl --query-format sparse -k 1000";

struct Arguments {
  std::string index;
  std::vector<std::string> words;
  SearchOptions search;
  DeviceOptions device{kAutoTakesBoth};
  AnswerOptions answers;
  ShowOptions show;
  HybridOptions hybrid;
  std::vector<std::string> shown;  ///< fields
  std::string filter;
  std::string sort;
  std::string search_after;
  std::string facets;
  bool document_blocks = false;
  bool explain = false;
  bool ignore_identical_ids = false;

  /// As the engine is to search.
  SearchSettings settings() const {
    SearchSettings settings = search.settings();
    if (!ignore_identical_ids) return settings;
    settings.k = std::min(settings.k + 1, kMaxK);
    return settings;
  }
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What is asked of a searcher. Throws UsageError where fields have no place.
warpdex::SearchOptions options_of(const Arguments& arguments, const SearchSettings& settings,
                                  bool readable) {
  warpdex::SearchOptions options = searcher_options(settings);
  options.explain = arguments.explain;
  options.filter = arguments.filter;
  options.searched = arguments.search.searched();
  options.sort = parse_sort(arguments.sort);
  options.search_after = arguments.search_after;
  options.facets = parse_facets(split_list(arguments.facets));
  if (arguments.hybrid.is_given()) options.fusion = arguments.hybrid.fusion(settings.k);
  options.vector_field = arguments.hybrid.field();
  if (arguments.shown.empty()) return options;
  if (!readable && !arguments.answers.is_json()) {
    throw UsageError("a run has no place for --show; add --output-format json");
  }
  if (readable && arguments.show.matches_position()) {
    throw UsageError("--show-matches-position is for JSON; add --output-format json");
  }
  const bool is_bold = arguments.answers.is_to_standard_output() && takes_escapes(STDOUT_FILENO);
  arguments.show.apply(arguments.shown,
                       !readable ? ShowOptions::Marks::kTags
                       : is_bold ? ShowOptions::Marks::kTerminal
                                 : ShowOptions::Marks::kAsterisks,
                       options);
  return options;
}

/// Throws UsageError where sorting and facets have no place.
void check_columns(const Arguments& arguments, bool readable) {
  if (!arguments.search_after.empty() && arguments.sort.empty()) {
    throw UsageError("--search-after is for --sort; add that or leave it out");
  }
  if (arguments.sort.empty() && arguments.facets.empty()) return;
  const std::string option = arguments.sort.empty() ? "--facet" : "--sort";
  if (arguments.hybrid.is_given()) {
    throw UsageError(option + " is for searches by words alone; leave it or --vector-queries out");
  }
  if (!readable && !arguments.answers.is_json()) {
    throw UsageError("a run has no place for " + option + "; add --output-format json");
  }
}

/// Throws UsageError where --explain has no place.
void check_explain(const Arguments& arguments, bool readable) {
  if (!arguments.explain) return;
  if (arguments.hybrid.is_given()) {
    throw UsageError("--explain is for searches by words alone; leave it or --vector-queries out");
  }
  if (!readable && !arguments.answers.is_json()) {
    throw UsageError("a run has no place for --explain; add --output-format json");
  }
}

void answer_words(const IndexReader& index, const Arguments& arguments, bool readable) {
  const SearchSettings settings = arguments.search.settings();
  const TextAnalyzers analyzers(index.settings());
  const QuerySyntax syntax = arguments.search.syntax(QuerySyntax::kSigned);
  const QueryText text{.id = "", .text = joined(arguments.words)};  // messages name no id
  Query query = parse_query(text.id, text.text, syntax, analyzers, arguments.search.searched(), {},
                            settings.mode);
  print_notes(query_notes({text}, syntax, analyzers[0]));
  if (!readable) {  // else it is told with the answer
    TermNotes terms(index);
    terms.look_at({&query, 1});
    print_notes(terms.notes());
  }
  query.id = "1";
  warpdex::SearchOptions options = options_of(arguments, settings, readable);
  options.syntax = syntax;
  std::optional<QueryVectors> vectors;
  if (arguments.hybrid.is_given()) {
    vectors.emplace(index, arguments.hybrid);
    vectors->check_count(1);
  }
  const Searcher searcher = open_searcher(arguments.index, arguments.device,
                                          arguments.search.threads(), arguments.document_blocks);
  const Answer answer = std::move(
      searcher.search({&query, 1}, vectors ? vectors->next(1) : std::span<const float>(), options)
          .front());
  print_problem(searcher);
  if (answer.terms_cut) print_notes({std::string("the query ") + kTermsCut});
  const NamedAnswer named(answer, {}, kMaxK, !options.sort.empty());
  OutputFile output(arguments.answers.output());
  if (readable) {
    print_readably(index, query, named.view(), settings.count, arguments.hybrid.is_given(),
                   !arguments.shown.empty() || arguments.explain, output.stream());
  } else {
    const auto writer = arguments.answers.make_writer(output.stream());
    writer->write(named.view());
    writer->finish();
  }
  output.commit();
}

/// Whether a line of progress on standard error would disturb no other output.
bool may_show_progress(const AnswerOptions& answers, bool report_counts) {
  const bool answers_are_seen = answers.is_to_standard_output() && isatty(STDOUT_FILENO) != 0;
  return isatty(STDERR_FILENO) != 0 && !report_counts && !answers_are_seen;
}

void answer_file(const IndexReader& index, const Arguments& arguments, bool report_counts) {
  const SearchSettings settings = arguments.settings();
  const bool is_hybrid = arguments.hybrid.is_given();
  const bool is_stream = !is_hybrid && arguments.search.is_stream();
  std::vector<QueryText> texts;
  if (is_hybrid && !arguments.search.has_query_file()) {
    texts = arguments.hybrid.numbered_queries();
  } else if (!is_stream) {
    texts = arguments.search.read_query_file(index.settings(), !arguments.answers.is_json());
  }
  const QuerySyntax syntax = arguments.search.syntax(QuerySyntax::kPlain);
  const auto note = [&](const std::vector<QueryText>& queries) {
    print_notes(query_notes(queries, syntax, TextAnalyzers(index.settings())[0]));
  };
  if (!is_stream && arguments.search.has_query_file()) note(texts);
  warpdex::SearchOptions options = options_of(arguments, settings, false);
  // A signal must not leave an unfinished file behind. If there is no file, it may end the program
  // at once.
  std::optional<InterruptGuard> guard;
  if (!arguments.answers.is_to_standard_output()) guard.emplace();
  std::optional<QueryVectors> vectors;
  if (is_hybrid) {
    vectors.emplace(index, arguments.hybrid);
    vectors->check_count(texts.size());
  }
  const Searcher searcher = open_searcher(arguments.index, arguments.device,
                                          arguments.search.threads(), arguments.document_blocks);
  OutputFile output(arguments.answers.output());
  const auto writer = arguments.answers.make_writer(output.stream());
  // A run has no place for numbers of matches.
  const auto report = [](const Query& query, const Answer& answer) {
    std::cerr << "query " << query.id << ": " << counted(answer.matches, "match") << "\n";
  };
  AnswerWatch watch;
  if (arguments.ignore_identical_ids) watch.hits_beside_own = arguments.search.settings().k;
  if (is_hybrid) {
    watch.next_vectors = [&](std::size_t queries) { return vectors->next(queries); };
    options.vectors_alone = !arguments.search.has_query_file();
  }
  TermNotes terms(index);
  watch.on_answer = [&](const Query& query, const Answer& answer) {
    terms.look_at(query, answer);
    if (report_counts) report(query, answer);
  };
  if (arguments.search.has_query_file()) {
    watch.on_queries = [&](std::span<const Query> queries) { terms.look_at(queries); };
  }
  Progress progress = Progress::to_standard_error();
  if (may_show_progress(arguments.answers, report_counts)) watch.progress = &progress;
  SkippedQueries skipped;
  if (arguments.search.skips_bad_queries()) watch.skipped = &skipped;
  if (is_stream) {
    bool is_answered = false;
    watch.on_answer = [&, tell = watch.on_answer](const Query& query, const Answer& answer) {
      is_answered = true;
      if (tell) tell(query, answer);
    };
    QueryReader queries(arguments.search.query_file(), arguments.search.query_format(),
                        arguments.search.read_options(skipped, !arguments.answers.is_json()));
    write_stream_answers(searcher, queries, syntax, options, *writer, output.stream(), note, watch);
    if (!is_answered) arguments.search.check_some_left(skipped);
  } else {
    write_answers(searcher, texts, syntax, options, *writer, watch);
  }
  output.commit();
  print_problem(searcher);
  print_notes(terms.notes());
}

}  // namespace

int run_search(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("search",
                      "INDEX WORDS… | INDEX --queries FILE | INDEX --vector-queries FILE [options]",
                      kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  command.add_rest("WORDS", &given.words, "a query, in the syntax `signed` or --query-syntax");
  given.search.add_to(command);
  given.device.add_to(command, kGpuMemoryOfText, GpuCount::kShards);
  given.hybrid.add_to(command);
  given.show.add_to(command);
  po::options_description columns = option_group("Columns");
  columns.add_options()("filter", po::value(&given.filter)->value_name("TEXT"),
                        "only documents that fit: 'year >= 1990 AND lang IN [en, de] AND NOT "
                        "draft', by the columns of 'index --schema' and by id")(
      "sort", po::value(&given.sort)->value_name("A,B:desc,..."),
      "columns to sort by, then by score; documents without a value come last. A run has no place "
      "for it")("search-after", po::value(&given.search_after)->value_name("CURSOR"),
                "sort: the page behind the hit with this `cursor` in JSON")(
      "facet", po::value(&given.facets)->value_name("A,B,..."),
      "columns to count over all matches: the values of most documents, how many different ones, "
      "of numbers the least, the largest and the sum; for people or in JSON. year:..1990..2000.. "
      "counts ranges too: before 1990, from 1990 to before 2000, from 2000 on");
  command.add(columns);
  po::options_description scores = option_group("Scores");
  scores.add_options()("document-blocks", po::bool_switch(&given.document_blocks), kDocumentBlocks)(
      "explain", po::bool_switch(&given.explain),
      "what each word adds to a document's score, and by which numbers, for people "
      "or in JSON");
  command.add(scores);
  given.answers.add_to(command);
  po::options_description judging = option_group("Judging");
  judging.add_options()("ignore-identical-ids", po::bool_switch(&given.ignore_identical_ids),
                        "of a file of queries: leave the document out that has its query's id, as "
                        "BEIR does for collections whose queries are documents. One more answer "
                        "is looked for, so the default of --and-or-min is one more than -k, too");
  command.add(judging);
  if (!command.parse(arguments)) return 0;

  const bool by_vectors_only =
      given.hybrid.is_given() && given.words.empty() && !given.search.has_query_file();
  if (!by_vectors_only && given.words.empty() == !given.search.has_query_file()) {
    throw UsageError(given.words.empty()
                         ? "search takes words or --queries FILE, or --vector-queries "
                           "FILE; give one of them"
                         : "search takes words or --queries FILE, not both");
  }
  if (!given.search.has_query_file()) {
    for (const char* option :
         {"query-format", "topic-fields", "on-bad-query", "ignore-identical-ids"}) {
      if (!command.given(option)) continue;
      throw UsageError("--" + std::string(option) + " is for --queries FILE; leave it out");
    }
  }
  given.device.check(command);
  given.shown = given.show.fields(command);
  given.hybrid.check(command, given.search, !by_vectors_only);
  const bool readable =
      !by_vectors_only && !given.search.has_query_file() && !command.given("output-format");
  given.answers.check(command, readable);
  check_explain(given, readable);
  check_columns(given, readable);
  check_outputs_outside(given.index, {given.answers.output()});
  given.search.check_mode(command);
  const SearchSettings settings = given.search.settings();
  const IndexReader index(given.index);
  given.search.check(command, index.settings(), given.index);
  given.hybrid.check(command, index);
  // Words find as many as match; by vectors, all that there are.
  if (command.given("k") && given.hybrid.is_given()) {
    const std::uint64_t documents = index.documents();
    at_most("-k", settings.k,
            {documents, "the index '" + given.index + "' has " + counted(documents, "document"),
             "an answer has these at most"});
  }
  if (given.search.has_query_file() || by_vectors_only) {
    answer_file(index, given, settings.count && !given.answers.is_json());
  } else {
    answer_words(index, given, readable);
  }
  return 0;
}

}  // namespace warpdex::tools
