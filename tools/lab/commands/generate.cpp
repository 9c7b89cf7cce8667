// warpdex-lab generate: a collection and a query log made by a model, straight as posting lists.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include "collections/collection_figures.hpp"
#include "collections/collection_report.hpp"
#include "collections/generated_folder.hpp"
#include "commands/commands.hpp"
#include "generate/generator.hpp"
#include "options/codec_options.hpp"
#include "options/options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout =
    "Generates an index (DIR/index) and a query log (DIR/queries.tsv, of splade queries.jsonl) "
    "that\n"
    "behave like those of a large collection, without any text: a model draws the posting lists.\n"
    "The same preset, seed, numbers and codec give the same bytes, for any --threads, on any\n"
    "machine. DIR/generated.json tells a later run that the queries are not yours, and may be\n"
    "replaced.";

constexpr const char* kNotes =
    "presets (queries' postings are less with fewer documents):\n"
    "  gov2     25.2 million documents in hosts and sections, sorted as by URL; 1,000 queries of\n"
    "           1 to 8 terms, with 3.74 million postings on average\n"
    "  msmarco  8.8 million passages of 56 words; 6,980 questions of 6 terms, with 1.2 million\n"
    "           postings on average\n"
    "  splade   8.8 million passages of 120 weighted terms, of 28,638; 6,980 queries of 20 to 40\n"
    "           weighted terms, with 12.4 million postings on average\n"
    "\n"
    "A few of the terms of gov2's and msmarco's queries are in no document, on purpose. Both hold\n"
    "the lists of their queries' terms, splade all lists. In full, gov2 takes 2 GB of disk, and\n"
    "about 500 MB of memory and another 500 MB for each thread; fewer --documents take less.\n"
    "\n"
    "The report shows bits a gap (of an ideal code that knows how often each width of gap occurs "
    "in\n"
    "the list), blocks of 128 postings within 512 documents (dense), frequencies, and how "
    "queries'\n"
    "terms meet, beside those of 204,648 Wikipedia articles with TREC's terabyte05 queries.\n"
    "\n"
    "examples:\n"
    "  warpdex-lab generate --preset gov2 --output GOV2\n"
    "  warpdex bench GOV2/index --queries GOV2/queries.tsv --mode or -k 10\n"
    "  warpdex-lab generate --preset splade --documents 880000 --output SPLADE\n"
    "  warpdex bench SPLADE/index --queries SPLADE/queries.jsonl --query-format sparse";

struct Arguments {
  std::string preset = "gov2";
  std::string output;
  std::int64_t seed = 1;
  std::int64_t query_seed = 1;
  std::int64_t documents = 0;
  std::int64_t queries = 0;
  CodecOptions codec;
  std::string compare;
  std::string compare_queries;
  std::string compare_format = "tsv";
  std::string json;
  std::int64_t threads = 0;
  bool impacts = false;
  bool positions = false;
  bool columns = false;
  bool titles = false;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description collection = option_group("Collection");
  collection.add_options()(
      "preset", po::value(&given.preset)->value_name("NAME")->default_value(given.preset),
      "the collection to be like: gov2, msmarco or splade")(
      "output", po::value(&given.output)->value_name("DIR")->required(),
      "the folder for the index and the queries; those of an earlier run are replaced, others are "
      "refused")("seed", po::value(&given.seed)->value_name("N")->default_value(given.seed),
                 "another seed gives another collection of the same kind")(
      "query-seed", po::value(&given.query_seed)->value_name("N"),
      "seed of the queries alone, so that collections of several seeds have the same queries and "
      "terms, as parts of one. Default: --seed")(
      "documents", po::value(&given.documents)->value_name("N"),
      "documents, 1000 or more; queries' postings scale with them. Default: the preset's")(
      "queries", po::value(&given.queries)->value_name("N"), "queries. Default: the preset's");
  given.codec.add_to(collection);
  collection.add_options()(
      "impacts", po::bool_switch(&given.impacts),
      "store 8-bit BM25 in the place of frequencies; no figures are compared then")(
      "positions", po::bool_switch(&given.positions),
      "keep where words stand: the words of each query are a phrase, in its order, in about half "
      "of "
      "the documents that have them all")(
      "columns", po::bool_switch(&given.columns),
      "give documents a keyword, site, and a number, percent, from 0 to 99 at random: for filters "
      "and facets")(
      "titles", po::bool_switch(&given.titles),
      "documents have a second text field, title, of 1 to 12 words; no figures are compared then");
  command.add(collection);

  po::options_description report = option_group("Report");
  report.add_options()("compare", po::value(&given.compare)->value_name("INDEX"),
                       "measure this index too, and show its figures instead of Wikipedia's")(
      "compare-queries", po::value(&given.compare_queries)->value_name("FILE"),
      "the queries to measure it with")(
      "compare-format",
      po::value(&given.compare_format)->value_name("FORMAT")->default_value(given.compare_format),
      "of that file: tsv, colon, lines, trec, jsonl or sparse");
  add_json_option(report, "figures", &given.json);
  command.add(report);

  po::options_description work = option_group("Work");
  work.add_options()("threads",
                     po::value(&given.threads)->value_name("N")->default_value(given.threads),
                     "threads to work with; 0: all")(
      "quiet", po::bool_switch(&given.quiet), "no progress and no report; errors are still told");
  command.add(work);
}

generate::GeneratorSettings preset_settings(const std::string& name) {
  if (name == "gov2") return generate::gov2_settings();
  if (name == "msmarco") return generate::msmarco_settings();
  if (name == "splade") return generate::splade_settings();
  throw UsageError("there is no preset '" + name + "'; take gov2, msmarco or splade");
}

generate::GeneratorSettings generator_settings(const Arguments& given, const CommandLine& command) {
  generate::GeneratorSettings settings = preset_settings(given.preset);
  if (settings.kind == generate::CollectionKind::kSplade && given.impacts) {
    throw UsageError("the lists of splade hold weights, not frequencies; leave --impacts out");
  }
  if (given.seed < 0) throw UsageError("--seed takes a number from 0 on");
  settings.seed = static_cast<std::uint64_t>(given.seed);
  if (given.query_seed < 0) throw UsageError("--query-seed takes a number from 0 on");
  if (command.given("query-seed")) {
    settings.query_seed = static_cast<std::uint64_t>(given.query_seed);
  }
  settings.positions = given.positions;
  settings.columns = given.columns;
  settings.titles = given.titles;
  if (command.given("documents")) {
    settings.documents =
        checked_number("--documents", given.documents, generate::kMinDocuments, kMaxDocuments);
  }
  if (command.given("queries")) {
    settings.queries = checked_number("--queries", given.queries, 1, 10'000'000);
  }
  return settings;
}

/// Whether the figures of other collections can be compared.
bool has_figures(const Arguments& given) {
  return !given.impacts && !given.titles && given.preset != "splade";
}

/// Refuses options on the report that would be ignored.
void check_report_options(const Arguments& given, const CommandLine& command) {
  if (given.compare.empty() != given.compare_queries.empty()) {
    throw UsageError("--compare and --compare-queries go together; give both or none");
  }
  if (given.compare.empty() && command.given("compare-format")) {
    throw UsageError("--compare-format is for --compare; add that or leave it out");
  }
  for (const auto& [option, value] :
       {std::pair("--compare", given.compare), std::pair("--json", given.json)}) {
    if (has_figures(given) || value.empty()) continue;
    throw UsageError(std::string(option) +
                     " takes the figures of frequencies of one text, which the index would not "
                     "hold; leave it out");
  }
  if (given.quiet && !given.compare.empty() && given.json.empty()) {
    throw UsageError("--quiet leaves out what --compare is for; add --json, or leave one out");
  }
}

/// Vectors as lines of JSON, others as id<TAB>text.
std::string to_lines(const std::vector<generate::GeneratedQuery>& queries, bool are_vectors) {
  std::string text;
  for (const generate::GeneratedQuery& query : queries) {
    text += are_vectors ? "{\"id\":\"" + query.id + "\",\"vector\":" + query.text + "}\n"
                        : query.id + "\t" + query.text + "\n";
  }
  return text;
}

NamedFigures measure(const std::string& name, const fs::path& folder, const fs::path& queries,
                     const std::string& format, std::size_t threads) {
  const Index index = Index::open(folder);
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
  std::vector<Query> parsed;
  for (const QueryText& query : read_queries(queries, query_format_from_name(format))) {
    parsed.push_back(parse_query(query, QuerySyntax::kPlain, *analyzer));
  }
  return {name, measure_collection(index, parsed, threads)};
}

/// Generates the index and the queries; returns what came out.
generate::GeneratorReport make(const fs::path& output, const generate::GeneratorSettings& settings,
                               const CodecSettings& codec, bool impacts, std::size_t threads,
                               bool quiet) {
  const bool are_vectors = settings.kind == generate::CollectionKind::kSplade;
  GeneratedFolder folder(output, are_vectors ? "queries.jsonl" : "queries.tsv");
  std::error_code ignored;  // a folder that cannot be made shows when something is written there
  fs::create_directories(output, ignored);
  Progress progress = Progress::to_standard_error();
  generate::GeneratorReport report;
  const std::vector<generate::GeneratedQuery> queries = generate::generate_collection(
      settings, codec, impacts, folder.index(), threads,
      [&](const generate::GeneratorProgress& state) {
        InterruptGuard::check();
        if (quiet) return;
        progress.update(std::string(state.stage), grouped(state.done), state.done, state.total,
                        Progress::Unit::kItems);
      },
      report);
  folder.write_queries(to_lines(queries, are_vectors));
  return report;
}

void print_report(const generate::GeneratorReport& report, std::uint32_t queries, double seconds,
                  const std::string& output) {
  std::cout << "generated " << output << "\n";
  Table table({{"", Table::Align::kLeft}, {""}});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  hosts", grouped(report.hosts)});
  table.add({"  terms", grouped(report.terms)});
  table.add({"  postings", grouped(report.postings)});
  table.add({"  queries", grouped(queries)});
  table.add({"  terms of queries in no document", grouped(report.unknown_terms)});
  table.add({"  postings a query, mean", grouped(report.query_postings / queries)});
  table.add({"  time", duration_text(seconds)});
  table.print(std::cout);
  std::cout << "\n";
}

void report_figures(const Arguments& given, std::size_t threads) {
  const fs::path output = given.output;
  const NamedFigures own =
      measure("generated", output / "index", output / "queries.tsv", "tsv", threads);
  const NamedFigures other = given.compare.empty()
                                 ? wikipedia_figures()
                                 : measure(given.compare, given.compare, given.compare_queries,
                                           given.compare_format, threads);
  if (given.json != "-" && !given.quiet) print_comparison(own, other, std::cout);
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  write_figures("generated", own.figures, json);
  json.member("compared_with", other.name);
  write_figures("compared", other.figures, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_generate(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("generate", "--output DIR [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  const generate::GeneratorSettings settings = generator_settings(given, command);
  const CodecSettings codec = given.codec.settings(command);
  const std::size_t threads = checked_threads(given.threads);
  if (given.output.empty()) throw UsageError("--output is empty; name a folder");
  check_report_options(given, command);
  query_format_from_name(given.compare_format);  // throws for an unknown one, before the work
  const auto start = std::chrono::steady_clock::now();
  generate::GeneratorReport report;
  {
    const InterruptGuard guard;
    report = make(given.output, settings, codec, given.impacts, threads, given.quiet);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  report_change(report.notes, [&] {
    if (!given.quiet && given.json != "-") {
      print_report(report, settings.queries, seconds.count(), given.output);
    }
    if (has_figures(given) && (!given.quiet || !given.json.empty())) report_figures(given, threads);
  });
  return 0;
}

}  // namespace warpdex::tools
