// warpdex export: writes an index for other programs.
#include <iostream>
#include <memory>
#include <ostream>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/exchange/exchange.hpp"
#include "warpdex/version.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes an index in a format that other programs read. DocIDs, terms, frequencies and lengths\n"
    "stay as they are. Files appear whole or not at all.";

constexpr const char* kNotes =
    "formats:\n"
    "  ciff  the Common Index File Format: one file; - is standard output\n"
    "  ds2i  the binary collections of ds2i and PISA: PREFIX.docs, PREFIX.freqs, PREFIX.sizes,\n"
    "        PREFIX.terms and PREFIX.documents\n"
    "\n"
    "Impacts are written in the place of frequencies: whoever reads them must add them up, and "
    "not\n"
    "score them once more. Static scores, stored texts and vectors have no place in these "
    "formats.\n"
    "\n"
    "examples:\n"
    "  warpdex export INDEX --format ciff --output - | gzip > index.ciff.gz\n"
    "  warpdex export INDEX --format ds2i --output pisa/index";

struct Arguments {
  std::string index;
  std::string format;
  std::string output;
  bool quiet = false;
};

/// Says what an export cannot carry.
void print_notes(const IndexSettings& index) {
  if (index.impacts) {
    std::cerr << "warpdex: the index holds impacts; they are written as frequencies, which other "
                 "programs must add up and not score\n";
  }
  const auto left_out = [](bool has, const char* what) {
    if (has) std::cerr << "warpdex: the index has " << what << ", which are left out\n";
  };
  left_out(index.has_static_scores, "static scores");
  left_out(!index.stored_fields.empty(), "stored texts");
  left_out(index.has_positions, "positions of words");
  left_out(!columns_of(index.schema).empty(), "columns");
  left_out(!vector_sets(index).empty(), "vectors");
}

/// What a reader wants to know of the terms.
std::string description_of(const IndexSettings& settings) {
  std::string text = std::string("Exported by Warpdex ") + WARPDEX_VERSION;
  text += "; analyzer " + settings.analyzer.name + "; fields " + settings.fields;
  if (settings.impacts) text += "; tf are impacts from 1 to 255, to be added up";
  return text;
}

exchange::ExportReport export_index(const Arguments& given, const IndexSettings& settings,
                                    const exchange::OnExportProgress& on_progress) {
  if (given.format == "ciff") {
    OutputFile file(given.output);
    const exchange::ExportReport report =
        exchange::export_ciff(given.index, description_of(settings), file.stream(), on_progress);
    file.commit();
    return report;
  }
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const char* ending : {".docs", ".freqs", ".sizes", ".terms", ".documents"}) {
    files.push_back(std::make_unique<OutputFile>(given.output + ending));
  }
  const exchange::ExportReport report =
      exchange::export_ds2i(given.index,
                            {files[0]->stream(), files[1]->stream(), files[2]->stream(),
                             files[3]->stream(), files[4]->stream()},
                            on_progress);
  for (const auto& file : files) file->write_through();
  for (const auto& file : files) file->commit();
  return report;
}

}  // namespace

int run_export(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("export", "INDEX --format FORMAT --output FILE|PREFIX [options]", kAbout,
                      kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  po::options_description group = option_group("Options");
  group.add_options()("format", po::value(&given.format)->value_name("FORMAT")->required(),
                      "ciff or ds2i")(
      "output", output_value(&given.output)->value_name("FILE|PREFIX")->required(),
      "the file to write, or what the files' names begin with; files that are there are replaced")(
      "quiet", po::bool_switch(&given.quiet), "no progress and no report; notes are still told");
  command.add(group);
  if (!command.parse(arguments)) return 0;
  if (given.format != "ciff" && given.format != "ds2i") {
    throw UsageError("there is no format '" + given.format + "'; take ciff or ds2i");
  }
  if (given.output.empty()) throw UsageError("--output is empty; name a file or a prefix");
  if (given.output == "-" && given.format == "ds2i") {
    throw UsageError("--format ds2i writes five files; name a prefix, and not -");
  }

  const IndexReader index(given.index);
  index.require_merged();
  check_outputs_outside(given.index, {given.output});
  print_notes(index.settings());
  const InterruptGuard guard;
  Progress progress = Progress::to_standard_error();
  const auto show = [&](const exchange::ExportProgress& state) {
    InterruptGuard::check();
    if (given.quiet) return;
    progress.update("exporting", counted(state.postings, "posting"), state.postings,
                    state.postings_total, Progress::Unit::kItems);
  };
  const exchange::ExportReport report = export_index(given, index.settings(), show);
  progress.clear();
  if (given.quiet || given.output == "-") return 0;
  std::cout << "exported " << counted(report.documents, "document") << " and "
            << counted(report.postings, "posting") << " to " << given.output
            << (given.format == "ds2i" ? ".*" : "") << "\n";
  return 0;
}

}  // namespace warpdex::tools
