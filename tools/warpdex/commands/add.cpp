// warpdex add: adds documents to an index.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/build_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "options/vector_input.hpp"
#include "output/build_report.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/long_words.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Adds documents to an index, in one step: searches find all of them or none. Analyzer, fields\n"
    "and codec are the index's. Scores are those of an index that was built of all documents at\n"
    "once. Fields that the index stores are stored of the new documents too. 'warpdex merge', or "
    "--merge\n"
    "here, keeps the number of segments small.";

constexpr const char* kNotes =
    "formats are those of 'warpdex index'. An index of sparse vectors takes sparse vectors, whose\n"
    "weights are to fit those of its build; one of BM25's impacts takes nothing. Of jsonl, an\n"
    "imported index takes the member 'contents'.\n"
    "\n"
    "examples:\n"
    "  warpdex add INDEX --input new.jsonl --format jsonl\n"
    "  warpdex add INDEX --input changed.tsv --format tsv --update";

struct Arguments {
  std::string index;
  std::vector<std::string> inputs;
  std::string format;
  VectorInput vectors;
  std::string static_scores;
  std::string on_bad_document = "fail";
  bool update = false;
  bool merge = false;
  std::string memory = "1G";
  std::int64_t threads = 0;
  std::string json;
  bool quiet = false;
};

/// What was added, and the commit that it is in.
struct Added {
  BuildReport report;
  CommitReport committed;
};

void add_options(CommandLine& command, Arguments& given) {
  command.add_positional("INDEX", &given.index, "the folder of an index");
  po::options_description documents = option_group("Documents");
  documents.add_options()("input",
                          po::value(&given.inputs)->value_name("FILE...")->multitoken()->required(),
                          "files to add, in this order; - is standard input")(
      "format", po::value(&given.format)->value_name("FORMAT")->required(),
      "jsonl, tsv, csv, trec, text, html or sparse")(
      "update", po::bool_switch(&given.update),
      "documents whose ids the index has take the place of those that it has; without it they are "
      "bad documents")("vectors", po::value(&given.vectors.path)->value_name("FILE"),
                       "a vector for each document, in their order, for an index that holds such; "
                       "or field:NAME, for jsonl: a member of each document")(
      "static", po::value(&given.static_scores)->value_name("FILE"),
      "static scores of the new documents, id<TAB>value, for an index that has such. Default: 0")(
      "on-bad-document",
      po::value(&given.on_bad_document)->value_name("WHAT")->default_value(given.on_bad_document),
      "fail: nothing is added; skip: report it and go on");
  command.add(documents);
  po::options_description work = option_group("Work");
  work.add_options()("merge", po::bool_switch(&given.merge),
                     "meanwhile, merge segments as 'warpdex merge' does, on one more thread")(
      "memory", po::value(&given.memory)->value_name("SIZE")->default_value(given.memory),
      "memory to stay within, as 512M or 2GiB; at least 64M, with --merge 128M")(
      "quiet", po::bool_switch(&given.quiet),
      "no progress and no report; errors and skipped documents are still told");
  add_threads_option(work, &given.threads);
  add_json_option(work, "report", &given.json);
  command.add(work);
}

WriterOptions writer_options(const Arguments& given) {
  WriterOptions options{.memory = parse_size("--memory", given.memory)};
  if (options.memory < (given.merge ? 2 : 1) * kMinBuildMemory) {
    throw UsageError("--memory " + given.memory + " is too little; give " +
                     (given.merge ? "128M or more, or leave --merge out" : "64M or more"));
  }
  options.threads = checked_threads(given.threads);
  options.merges = given.merge;
  options.creates = false;
  return options;
}

ReaderOptions reader_options(const Arguments& given, const IndexSettings& index) {
  ReaderOptions options;
  options.format = document_format_from_name(given.format);
  check_inputs_named(given.inputs);
  options.inputs = given.inputs;
  const bool is_imported = index.fields.starts_with(kImportedFields);
  const bool has_fields =
      options.format == DocumentFormat::kJsonl || options.format == DocumentFormat::kCsv;
  if (has_fields && !is_imported) {
    options.fields = split_list(index.fields);
  }
  if (options.fields.empty()) options.fields = ReaderOptions{}.fields;
  options.stored = index.stored_fields;
  options.columns = columns_of(index.schema);
  options.text_fields = text_names_of(index.schema);
  options.vectors = vector_fields(index.schema);
  options.embedding = given.vectors.field(options.format);
  options.memory = parse_size("--memory", given.memory);
  options.on_read = InterruptGuard::check;
  return options;
}

/// Waits for the merges, and commits them. The documents are added already, so an error or a signal
/// becomes a note.
void finish_merges(Writer& writer, CommitReport& committed) {
  try {
    writer.finish_merges(InterruptGuard::check);
    CommitReport merged = writer.commit(InterruptGuard::check);
    committed.number = merged.number;
    committed.notes.insert(committed.notes.end(), merged.notes.begin(), merged.notes.end());
  } catch (const std::exception& error) {
    committed.notes.push_back(
        std::string("the documents are added, but segments are not merged: ") + error.what());
  }
}

Added add(const Arguments& given, bool skips, Writer& writer) {
  given.vectors.check(writer.settings().vectors, given.index);
  const std::unique_ptr<DocumentReader> reader =
      given.vectors.pair(open_documents(reader_options(given, writer.settings())));
  Progress progress = Progress::to_standard_error();
  SkippedDocuments skipped(progress);
  FilesOptions options{.update = given.update, .static_scores = given.static_scores};
  options.on_progress = [&](const BuildProgress& state) {
    InterruptGuard::check();
    if (given.quiet) return;
    progress.update("adding", counted(state.documents, "document"), state.bytes_consumed,
                    state.bytes_total, Progress::Unit::kBytes);
  };
  if (skips) {
    options.on_bad_document = [&](const std::string& message) { skipped.tell(message); };
  }
  Added added{writer.add(*reader, options), {}};
  added.committed = writer.commit(InterruptGuard::check);
  if (given.merge) finish_merges(writer, added.committed);
  progress.clear();
  skipped.tell_rest();
  return added;
}

void report(const Arguments& given, const Added& added) {
  const BuildReport& build = added.report;
  if (!given.quiet && given.json != "-") {
    std::cout << "added " << counted(build.documents, "document") << " to " << given.index;
    if (given.update) std::cout << ", " << grouped(build.updated) << " of them updated";
    if (build.skipped_documents > 0) {
      std::cout << ", skipped " << grouped(build.skipped_documents);
    }
    std::cout << " (commit " << added.committed.number << ")\n";
    print_passed_over(build, std::cout);
  }
  print_long_words(build.long_words);
  if (!given.quiet && build.static_scores_unused > 0) {
    std::cerr << "warpdex: " << counted(build.static_scores_unused, "static score")
              << (build.static_scores_unused == 1 ? " is of an id" : " are of ids")
              << " that no new document has; that of a document in the index changes only when "
                 "the document is given again, with --update\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", added.committed.number);
  json.member("added", build.documents);
  json.member("updated", build.updated);
  json.member("skipped", build.skipped_documents);
  json.member("long_words", build.long_words);
  json.member("static_scores_unused", build.static_scores_unused);
  write_passed_over(build, json);
  write_notes(added.committed.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_add(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("add", "INDEX --input FILE… --format FORMAT [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  for (const std::string& input : given.inputs) {
    check_shared_stream("standard input", {{"--input", input}, {"--static", given.static_scores}});
  }
  const bool skips = skips_bad_documents(given.on_bad_document);
  const WriterOptions options = writer_options(given);
  check_inputs_outside(given.index, given.inputs);
  check_outputs_outside(given.index, {given.json});
  check_inputs_outside(given.index, {given.static_scores, given.vectors.file()});
  const ChangedFolder folder(given.index);
  const InterruptGuard guard;
  try {
    Writer writer(given.index, {}, options);
    report_recovered(writer);
    const Added added = add(given, skips, writer);
    report_change(added.committed.notes, [&] { report(given, added); });
    folder.tell_if_replaced(given.quiet);
  } catch (const std::exception&) {
    if (InterruptGuard::signal() != 0) throw Interrupted(InterruptGuard::signal());
    throw;
  }
  return 0;
}

}  // namespace warpdex::tools
