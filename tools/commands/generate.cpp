// warpdex generate: a collection and a query log made by a model, straight as posting lists.
#include <filesystem>
#include <iostream>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/generate/generator.hpp"
#include "warpdex/query/query_file.hpp"
#include "warpdex/query/query_parser.hpp"
#include "warpdex/tools/collection_figures.hpp"
#include "warpdex/tools/command.hpp"
#include "warpdex/tools/interrupt.hpp"
#include "warpdex/tools/options.hpp"
#include "warpdex/tools/output_file.hpp"
#include "warpdex/tools/progress.hpp"
#include "warpdex/tools/table.hpp"
#include "warpdex/tools/text.hpp"

namespace warpdex::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbout =
    "Generates an index (DIR/index) and a query log (DIR/queries.tsv) that behave like those of a\n"
    "large crawl, without any text: a model draws the posting lists that the queries use. The "
    "same\n"
    "preset, seed, numbers and codec give the same bytes, for any --threads, on any machine.";

constexpr const char* kNotes =
    "presets:\n"
    "  gov2  25.2 million documents in hosts and sections, sorted as by URL; 1,000 queries of 1 "
    "to\n"
    "        8 terms, with 3.74 million postings on average (less with fewer documents)\n"
    "\n"
    "A few of the queries' terms are in no document, on purpose. The full preset takes about 4 GB "
    "of\n"
    "disk and 400 MB of memory for each thread; fewer --documents take less of both.\n"
    "\n"
    "examples:\n"
    "  warpdex generate --preset gov2 --output GOV2\n"
    "  warpdex bench GOV2/index --queries GOV2/queries.tsv --mode or -k 10";

struct Arguments {
  std::string preset = "gov2";
  std::string output;
  std::int64_t seed = 1;
  std::int64_t documents = 0;
  std::int64_t queries = 0;
  std::string codec = std::string(codec_name(CodecSettings{}.kind));
  std::int64_t pfor_levels = CodecSettings{}.pfor_levels;
  std::int64_t threads = 0;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description collection = option_group("Collection");
  collection.add_options()(
      "preset", po::value(&given.preset)->value_name("NAME")->default_value(given.preset),
      "the collection to be like: gov2")(
      "output", po::value(&given.output)->value_name("DIR")->required(),
      "the folder for the index and the queries; those of an earlier run are replaced")(
      "seed", po::value(&given.seed)->value_name("N")->default_value(given.seed),
      "another seed gives another collection of the same kind")(
      "documents", po::value(&given.documents)->value_name("N"),
      "documents; queries' postings scale with them. Default: the preset's")(
      "queries", po::value(&given.queries)->value_name("N"), "queries. Default: the preset's")(
      "codec", po::value(&given.codec)->value_name("CODEC")->default_value(given.codec),
      "rice (smallest), pfor, pfor-block or bitpack (fastest)")(
      "pfor-levels",
      po::value(&given.pfor_levels)->value_name("N")->default_value(given.pfor_levels),
      "pfor: levels at which exceptions are compressed again, 0 to 4");
  command.add(collection);

  po::options_description work = option_group("Work");
  work.add_options()("threads",
                     po::value(&given.threads)->value_name("N")->default_value(given.threads),
                     "threads to work with; 0: all")(
      "quiet", po::bool_switch(&given.quiet), "no progress and no report; errors are still told");
  command.add(work);
}

generate::GeneratorSettings generator_settings(const Arguments& given, const CommandLine& command) {
  if (given.preset != "gov2") {
    throw UsageError("there is no preset '" + given.preset + "'; take gov2");
  }
  generate::GeneratorSettings settings = generate::gov2_settings();
  if (given.seed < 0) throw UsageError("--seed takes a number from 0 on");
  settings.seed = static_cast<std::uint64_t>(given.seed);
  if (command.given("documents")) {
    settings.documents = checked_number("--documents", given.documents, 1, kMaxDocuments);
  }
  if (command.given("queries")) {
    settings.queries = checked_number("--queries", given.queries, 1, 10'000'000);
  }
  return settings;
}

CodecSettings codec_settings(const Arguments& given, bool levels_given) {
  CodecSettings settings;
  settings.kind = codec_from_name(given.codec);
  settings.pfor_levels = static_cast<std::uint8_t>(
      checked_number("--pfor-levels", given.pfor_levels, 0, kMaxPforLevels));
  if (levels_given && settings.kind != CodecKind::kPfor) {
    throw UsageError("--pfor-levels is for --codec pfor; leave it out for " + given.codec);
  }
  return settings;
}

std::string to_tsv(const std::vector<generate::GeneratedQuery>& queries) {
  std::string text;
  for (const generate::GeneratedQuery& query : queries) text += query.id + "\t" + query.text + "\n";
  return text;
}

void generate_and_report(const Arguments& given, const generate::GeneratorSettings& settings,
                         const CodecSettings& codec) {
  std::error_code ignored;  // a folder that cannot be made shows when something is written there
  fs::create_directories(given.output, ignored);
  Progress progress = Progress::to_standard_error();
  generate::GeneratorReport report;
  const std::vector<generate::GeneratedQuery> queries = generate::generate_collection(
      settings, codec, fs::path(given.output) / "index",
      checked_number("--threads", given.threads, 0, 1024),
      [&](const generate::GeneratorProgress& state) {
        InterruptGuard::check();
        if (given.quiet) return;
        progress.update(std::string(state.stage), grouped(state.done), state.done, state.total,
                        Progress::Unit::kItems);
      },
      report);
  progress.clear();
  write_output(fs::path(given.output) / "queries.tsv", to_tsv(queries));
  if (given.quiet) return;
  std::cout << "generated " << given.output << "\n";
  Table table({{"", Table::Align::kLeft}, {""}});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  hosts", grouped(report.hosts)});
  table.add({"  terms", grouped(report.terms)});
  table.add({"  postings", grouped(report.postings)});
  table.add({"  queries", grouped(queries.size())});
  table.add({"  postings a query, mean",
             grouped(report.query_postings / std::max<std::size_t>(1, queries.size()))});
  table.print(std::cout);
}

}  // namespace

int run_generate(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("generate", "--output DIR [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  const generate::GeneratorSettings settings = generator_settings(given, command);
  const CodecSettings codec = codec_settings(given, command.given("pfor-levels"));
  if (given.output.empty()) throw UsageError("--output is empty; name a folder");
  const InterruptGuard guard;
  generate_and_report(given, settings, codec);
  return 0;
}

}  // namespace warpdex::tools
