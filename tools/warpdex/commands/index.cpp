// warpdex index: builds an index from documents.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "command.hpp"
#include "options/index_arguments.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "options/rewrite_options.hpp"
#include "output/build_report.hpp"
#include "output/change_report.hpp"
#include "output/impacts_text.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/long_words.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/reorder_report.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Builds an index from documents. It appears at --output whole, in the place of the index that\n"
    "was there before, or not at all. The same documents and settings give the same bytes for any\n"
    "--memory and --threads.";

constexpr const char* kNotes =
    "formats (each plain, .gz, .zst or .xz; - is standard input):\n"
    "  jsonl  an object a line: {\"id\": …, \"contents\": …}, or BEIR's corpus.jsonl: {\"_id\": "
    "…,\n"
    "         \"title\": …, \"text\": …} (--fields title,text). The id may be a 'docno', too\n"
    "  tsv    id<TAB>text, a document a line\n"
    "  csv    the first line of each file names the columns; others are documents. The id is the\n"
    "         column id, _id or docno; --fields names those to index. A cell in quotes may hold\n"
    "         commas, line ends, and quotes, written twice\n"
    "  trec   <DOC> … <DOCNO>id</DOCNO> … </DOC>; tags are left out, and entities such as "
    "&eacute;\n"
    "         and &#233; are read\n"
    "  text   a document a file; folders are searched for files, and links in them followed, to\n"
    "         each folder once. Its id is its path below the folder that was named (of a file "
    "that\n"
    "         was named, its name), with white space as %20. Files and folders whose names begin\n"
    "         with a dot are left out; the report counts them\n"
    "  html   as text, of pages in UTF-8: their title and text without scripts and styles\n"
    "  sparse learned weights of terms, an object a line, as of SPLADE, uniCOIL or DeepImpact:\n"
    "         {\"id\": …, \"vector\": {\"term\": weight, …}}. Terms are taken as they are. The "
    "weights\n"
    "         become impacts: as they are if all are whole numbers from 1 to 255, else in 255 "
    "equal\n"
    "         steps up to the largest. Weights of 0 are left out. A document's length is the "
    "number\n"
    "         of its terms. Weights below half of a step become one step; the report counts them\n"
    "\n"
    "A bad document (malformed, without an id or any of the fields, with the id of an earlier "
    "one,\n"
    "not UTF-8, a vector without a term, with one twice or with a weight below 0) is reported "
    "with\n"
    "its file and line; of skipped ones the first 10 are. A word of more than 65535 bytes is left "
    "out\n"
    "and counted, and its document stays.\n"
    "\n"
    "Beside --impacts, static scores become whole numbers in the unit of the impacts. One that is\n"
    "too large for that (past 17,000 with 100 documents, 55,000 with a million) ends the build:\n"
    "divide them all by one number then.\n"
    "\n"
    "--memory holds however large the collection is, but for what it must keep at once: about 36\n"
    "bytes a document, 8 bytes a posting of the longest list, and 4 to 7 times the largest single\n"
    "document. --reorder finds its order from what fits of the lists, about 4 bytes a posting: "
    "with\n"
    "less, the rarest have no say, a line says so, and the bytes depend on --memory.\n"
    "\n"
    "examples:\n"
    "  warpdex index --input docs.jsonl.gz --format jsonl --fields title,contents --output INDEX\n"
    "  zcat dump.gz | warpdex index --input - --format tsv --memory 4G --output INDEX";

/// A field that fewer than one in so many documents have is reported.
constexpr std::uint64_t kRareField = 100;

void show(Progress& progress, const BuildProgress& state) {
  if (state.stage == "writing") {
    progress.update("writing", counted(state.postings_written, "posting"), state.postings_written,
                    state.postings_total, Progress::Unit::kItems);
  } else {
    progress.update("reading",
                    counted(state.documents, "document") + ", " + bytes_text(state.bytes_consumed) +
                        " of input",
                    state.bytes_consumed, state.bytes_total, Progress::Unit::kBytes);
  }
}

void print_report(const BuildReport& report, const std::optional<ReorderReport>& order,
                  const std::string& output, std::uint64_t size) {
  const double rate =
      report.seconds > 0 ? static_cast<double>(report.text_bytes) / report.seconds / 1e6 : 0;
  std::cout << "built " << output << "\n";
  Table table({{"", Table::Align::kLeft}, {""}, {"", Table::Align::kLeft}});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  skipped documents", grouped(report.skipped_documents)});
  if (!report.weights) table.add({"  tokens", grouped(report.tokens)});
  table.add({"  terms", grouped(report.terms)});
  table.add({"  postings", grouped(report.postings)});
  if (!report.weights) table.add({"  text", bytes_text(report.text_bytes)});
  table.add({"  index", bytes_text(size)});
  table.add({"  time", duration_text(report.seconds),
             report.weights ? "" : fixed(rate, 1) + " MB of text a second"});
  if (report.zero_weights > 0) {
    table.add({"  weights of 0, left out", grouped(report.zero_weights)});
  }
  if (report.long_words > 0) {
    table.add({"  words of more than 65535 bytes, left out", grouped(report.long_words)});
  }
  if (report.static_scores_unused > 0) {
    table.add({"  static scores without a document", grouped(report.static_scores_unused)});
  }
  if (report.runs_spilled > 0) table.add({"  runs spilled", grouped(report.runs_spilled)});
  if (order) add_order(table, *order);
  table.print(std::cout);
  print_passed_over(report, std::cout);
  if (report.weights) std::cout << "  " << impacts_text(*report.weights) << "\n";
}

std::string to_json(const BuildReport& report, std::uint64_t size) {
  JsonWriter json;
  json.begin_object();
  write_build(report, json);
  json.member("index_bytes", size);
  json.member("seconds", report.seconds);
  json.end_object();
  return json.take() + "\n";
}

/// Notes on what may be wrong.
void print_notes(const BuildReport& report) {
  if (report.documents == 0) {
    std::cerr << "warpdex: the input holds no document; the index is empty\n";
  }
  print_long_words(report.long_words);
  if (report.static_scores_unused > 0) {
    std::cerr << "warpdex: " << grouped(report.static_scores_unused)
              << (report.static_scores_unused == 1 ? " static score is of an id"
                                                   : " static scores are of ids")
              << " that no document has; check that --static names "
                 "documents as the input does\n";
  }
  for (const FieldCount& field : report.fields) {
    if (kRareField * field.documents >= report.documents) continue;
    std::cerr << "warpdex: only " << grouped(field.documents) << " of " << grouped(report.documents)
              << " documents " << (field.documents == 1 ? "has" : "have") << " the field '"
              << field.name << "'; check its name in --fields\n";
  }
}

/// Sets `order` if the documents are reordered.
BuildReport build(const IndexArguments& given, const ReaderOptions& source, BuildOptions options,
                  std::optional<ReorderReport>& order) {
  std::unique_ptr<DocumentReader> reader = open_documents(source);
  if (!given.vectors.path.empty()) options.vectors = given.vectors.settings(*reader);
  reader = given.vectors.pair(std::move(reader));
  Progress progress = Progress::to_standard_error();
  SkippedDocuments skipped(progress);
  options.on_progress = [&](const BuildProgress& state) {
    InterruptGuard::check();
    if (!given.quiet) show(progress, state);
  };
  options.on_skipped_document = [&](const std::string& message) { skipped.tell(message); };
  const auto on_rewriting = [&](const RewriteProgress& state) {
    InterruptGuard::check();
    if (!given.quiet) show(progress, state);
  };
  const OrderSettings settings;
  const auto build_as_asked = [&] {
    if (given.parts > 0) {
      SplitReport split;
      return build_parts(*reader, options, static_cast<std::uint32_t>(given.parts), on_rewriting,
                         split);
    }
    if (!given.reorder) return build_index(*reader, options);
    return build_reordered_index(*reader, options, settings, on_rewriting, order.emplace());
  };
  const BuildReport report = build_as_asked();
  progress.clear();
  if (order) print_order_notes(*order, settings);
  skipped.tell_rest();
  print_notes(report);
  return report;
}

}  // namespace

int run_index(const std::vector<std::string>& arguments) {
  IndexArguments given;
  CommandLine command("index", "--input FILE… --format FORMAT --output DIR [options]", kAbout,
                      kNotes);
  add_index_options(command, given);
  command.advise_on_surplus("name the files to index by --input, as in --input docs.jsonl");
  if (!command.parse(arguments)) return 0;

  for (const std::string& input : given.inputs) {
    check_shared_stream("standard input", {{"--input", input}, {"--static", given.static_scores}});
  }
  const ReaderOptions source = reader_options(given, command);
  const BuildOptions options = build_options(given, command);
  given.vectors.found_by = vector_index_settings(given, command);
  if (given.output.empty()) throw UsageError("--output is empty; name the folder of the index");
  if (command.given("parts")) {
    checked_number("--parts", given.parts, 1, kMaxParts);
    if (given.reorder) throw UsageError("--parts is not for --reorder; leave one of them out");
  }
  // Afterwards, a relative path may lead elsewhere: the current folder may be what is replaced.
  const std::filesystem::path output = resolve_target(given.output);
  std::error_code ignored;
  const bool is_current = std::filesystem::equivalent(output, ".", ignored);
  check_outputs_outside(given.output, {given.json});
  check_inputs_outside(given.output, given.inputs);
  check_inputs_outside(given.output, {given.static_scores, given.vectors.file()});
  const InterruptGuard guard;
  try {
    std::optional<ReorderReport> order;
    const BuildReport report = build(given, source, options, order);
    report_change(report.notes, [&] {
      if (!given.quiet && given.json != "-") {
        print_report(report, order, given.output, folder_bytes(output));
      }
      if (!given.json.empty()) write_output(given.json, to_json(report, folder_bytes(output)));
    });
    if (!given.quiet && is_current) print_replaced_current_folder();
  } catch (const std::exception&) {
    // A signal ends all programs of a pipeline; the one that writes our input may have died first,
    // in the middle of a document.
    if (InterruptGuard::signal() != 0) throw Interrupted(InterruptGuard::signal());
    throw;
  }
  return 0;
}

}  // namespace warpdex::tools
