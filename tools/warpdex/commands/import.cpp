// warpdex import: builds an index from one of another program.
#include <filesystem>
#include <iostream>

#include "command.hpp"
#include "options/analyzer_options.hpp"
#include "options/build_options.hpp"
#include "options/codec_options.hpp"
#include "options/impact_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/impacts_text.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Imports an index that another program wrote. It appears at --output whole, in the place of "
    "the\n"
    "index that was there before, or not at all. DocIDs, terms, frequencies and lengths stay as "
    "they\n"
    "are, so BM25 answers as over an index of the same documents.";

constexpr const char* kNotes =
    "formats:\n"
    "  ciff  the Common Index File Format, of Anserini, PISA, JASS, Terrier and others: a file,\n"
    "        plain, .gz, .zst or .xz; - is standard input\n"
    "  ds2i  the binary collections of ds2i and PISA: PREFIX.docs, PREFIX.freqs and PREFIX.sizes,\n"
    "        beside them PREFIX.terms and PREFIX.documents. Without the last two, terms and "
    "documents\n"
    "        are named by their numbers, from 0 on\n"
    "\n"
    "No text is analysed: the terms are those of the file. Queries go through --analyzer, which "
    "must\n"
    "make the same terms. whitespace takes the words as you type them; english and standard fit "
    "what\n"
    "'warpdex index' made by them.\n"
    "\n"
    "Lucene keeps lengths past 40 in one byte, rounded down. Files that come from it need\n"
    "--lengths postings, which takes what a document's postings add up to. That is wrong where a "
    "file\n"
    "has the lists of some terms only.\n"
    "\n"
    "--memory holds but for 48 bytes a document, 32 bytes a term and the longest list, 44 bytes a\n"
    "posting, which must fit into it.\n"
    "\n"
    "examples:\n"
    "  warpdex import --format ciff --input robust04.ciff.gz --lengths postings --output INDEX\n"
    "  warpdex import --format ds2i --input cw09b.inv --terms cw09b.fwd.terms \\\n"
    "      --documents cw09b.fwd.documents --output INDEX";

struct Arguments {
  std::string format;
  std::string input;
  std::string terms;
  std::string documents;
  std::string lengths = "file";
  std::string output;
  CodecOptions codec;
  AnalyzerOptions analyzer{exchange::ImportOptions{}.analyzer.name};
  ImpactOptions impacts;
  std::string memory = "1G";
  std::int64_t threads = 0;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description source = option_group("Source");
  source.add_options()("format", po::value(&given.format)->value_name("FORMAT")->required(),
                       "ciff or ds2i")(
      "input", po::value(&given.input)->value_name("FILE|PREFIX")->required(),
      "the file, or what its files' names begin with")(
      "terms", po::value(&given.terms)->value_name("FILE"),
      "ds2i: a term a line, in the order of the lists. Default: PREFIX.terms, if it is there")(
      "documents", po::value(&given.documents)->value_name("FILE"),
      "ds2i: a document's name a line. Default: PREFIX.documents, if it is there")(
      "lengths", po::value(&given.lengths)->value_name("WHERE")->default_value(given.lengths),
      "of documents. file: as the file has them; postings: what its postings add up to");
  command.add(source);

  po::options_description index = option_group("Index");
  index.add_options()("output", po::value(&given.output)->value_name("DIR")->required(),
                      "the index's folder: a new one, or an index of text to replace; it may hold "
                      "nothing else");
  given.codec.add_to(index);
  index.add_options()(
      "analyzer",
      po::value(&given.analyzer.analyzer)->value_name("A")->default_value(given.analyzer.analyzer),
      "of queries: a name or a description, as 'warpdex index' takes");
  given.impacts.add_to(index);
  given.impacts.add_weights_to(index);
  command.add(index);

  po::options_description work = option_group("Work");
  work.add_options()("memory",
                     po::value(&given.memory)->value_name("SIZE")->default_value(given.memory),
                     "memory to stay within, as 512M or 2GiB; at least 64M")(
      "quiet", po::bool_switch(&given.quiet),
      "no progress and no report; errors and notes are still told");
  add_threads_option(work, &given.threads);
  command.add(work);
}

exchange::LengthSource length_source(const std::string& name) {
  if (name == "file") return exchange::LengthSource::kFile;
  if (name == "postings") return exchange::LengthSource::kPostings;
  throw UsageError("--lengths takes file or postings, not '" + name + "'");
}

void check_prefix(const std::string& input) {
  if (input == "-") throw UsageError("--format ds2i reads several files; name a prefix, and not -");
  for (const std::string ending : {".docs", ".freqs", ".sizes"}) {
    if (!input.ends_with(ending) || std::filesystem::exists(input + ".docs")) continue;
    throw UsageError("--input of ds2i is what the files' names begin with; give it without '" +
                     ending + "'");
  }
}

void check_source(const Arguments& given) {
  if (given.format != "ciff" && given.format != "ds2i") {
    throw UsageError("there is no format '" + given.format + "'; take ciff or ds2i");
  }
  if (given.input.empty()) throw UsageError("--input is empty; name a file or a prefix");
  if (given.output.empty()) throw UsageError("--output is empty; name the folder of the index");
  if (given.format == "ds2i") return check_prefix(given.input);
  for (const auto& [option, value] :
       {std::pair("--terms", given.terms), std::pair("--documents", given.documents)}) {
    if (value.empty()) continue;
    throw UsageError(std::string(option) +
                     " is for --format ds2i; a CIFF file has its own, so leave it out");
  }
}

exchange::ImportOptions import_options(const Arguments& given, const CommandLine& command) {
  exchange::ImportOptions options;
  options.output = given.output;
  options.codec = given.codec.settings(command);
  options.analyzer = given.analyzer.settings();
  options.lengths = length_source(given.lengths);
  options.impacts = given.impacts.settings(command);
  options.memory = parse_build_memory(given.memory);
  options.threads = checked_threads(given.threads);
  return options;
}

void show(Progress& progress, const BuildProgress& state) {
  if (state.stage == "reading") {
    progress.update("reading", bytes_text(state.bytes_consumed), state.bytes_consumed,
                    state.bytes_total, Progress::Unit::kBytes);
  } else {
    progress.update(state.stage, counted(state.postings_written, "posting"), state.postings_written,
                    state.postings_total, Progress::Unit::kItems);
  }
}

exchange::ImportReport import(const Arguments& given, exchange::ImportOptions options) {
  Progress progress = Progress::to_standard_error();
  options.on_progress = [&](const BuildProgress& state) {
    InterruptGuard::check();
    if (!given.quiet) show(progress, state);
  };
  if (given.format == "ciff") return exchange::import_ciff(given.input, options);
  return exchange::import_ds2i({given.input, given.terms, given.documents}, options);
}

/// On one line, without what could change a terminal.
std::string one_line(std::string text) {
  constexpr std::size_t kLongest = 300;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

void print_report(const exchange::ImportReport& report, const std::string& output) {
  std::cout << "imported " << output << "\n";
  if (!report.description.empty()) {
    std::cout << "  it says of itself: " << one_line(report.description) << "\n";
  }
  Table table({{"", Table::Align::kLeft}, {""}});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  tokens", grouped(report.tokens)});
  table.add({"  terms", grouped(report.terms)});
  if (report.long_terms > 0) {
    table.add({"  terms of more than 65535 bytes, left out", grouped(report.long_terms)});
  }
  if (report.empty_lists > 0) {
    table.add({"  terms without postings, left out", grouped(report.empty_lists)});
  }
  table.add({"  postings", grouped(report.postings)});
  table.add({"  time", duration_text(report.seconds)});
  table.print(std::cout);
  if (report.weights) std::cout << "  " << impacts_text(*report.weights) << "\n";
}

}  // namespace

int run_import(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("import", "--format FORMAT --input FILE|PREFIX --output DIR [options]",
                      kAbout, kNotes);
  add_options(command, given);
  command.advise_on_surplus("name the file to import by --input, as in --input index.ciff");
  if (!command.parse(arguments)) return 0;
  check_source(given);
  const exchange::ImportOptions options = import_options(given, command);
  check_inputs_outside(given.output, {given.input, given.input + ".docs", given.input + ".freqs",
                                      given.input + ".sizes", given.terms, given.documents});
  const ChangedFolder folder(given.output);
  const InterruptGuard guard;
  try {
    const exchange::ImportReport report = import(given, options);
    report_change(report.notes, [&] {
      if (!given.quiet) print_report(report, given.output);
    });
  } catch (const std::exception&) {
    // A signal ends all programs of a pipeline; the one that writes our input may have died first.
    if (InterruptGuard::signal() != 0) throw Interrupted(InterruptGuard::signal());
    throw;
  }
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
