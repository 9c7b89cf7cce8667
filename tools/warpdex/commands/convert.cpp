// warpdex convert: writes an index's postings under another codec.
#include <iostream>

#include "command.hpp"
#include "options/codec_options.hpp"
#include "options/impact_options.hpp"
#include "options/options.hpp"
#include "options/rewrite_options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes an index with the same documents and postings under another codec or with impacts,\n"
    "without the documents' texts. It has the very bytes that warpdex index gives with these "
    "settings\n"
    "for the same documents (by the analyzer's version that INDEX has), and answers alike. It "
    "appears\n"
    "at --output whole, or not at all; --output may be INDEX itself.";

constexpr const char* kNotes =
    "Frequencies can become impacts, and not the other way round: 8 bits do not say what they "
    "came\n"
    "from. An index that holds impacts keeps them. Another analyzer or other fields take the\n"
    "documents: build with warpdex index.\n"
    "\n"
    "examples:\n"
    "  warpdex convert INDEX --codec bitpack --output INDEX2\n"
    "  warpdex convert INDEX --codec pfor --pfor-levels 2 --output INDEX\n"
    "  warpdex convert INDEX --impacts --output INDEX2";

struct Arguments {
  RewriteArguments work;
  CodecOptions codec;
  ImpactOptions impacts;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description index = option_group("Index");
  given.codec.add_change_to(index);
  given.impacts.add_change_to(index);
  command.add(index);
  given.work.add_to(command);
}

void check_some_change(const CommandLine& command) {
  for (const char* option : {"codec", "pfor-levels", "no-bit-sets", "impacts"}) {
    if (command.given(option)) return;
  }
  throw UsageError("convert changes the codec or makes impacts; give --codec, --impacts or both");
}

/// Of the index that is converted. Throws UsageError where that cannot be.
CodecSettings codec_before(const std::string& folder) {
  const IndexReader index(folder);
  index.require_merged();
  return index.settings().codec;
}

void print_report(const Arguments& given, const ConvertReport& report, const std::string& codec,
                  const RewrittenFolder& folder) {
  std::cout << "converted " << given.work.input() << " to " << given.work.output() << "\n";
  Table table({{"", Table::Align::kLeft}, {""}});
  table.add({"  codec", codec});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  postings", grouped(report.postings)});
  table.add({"  index before", bytes_text(folder.bytes_before())});
  table.add({"  index now", bytes_text(folder.bytes_now())});
  table.add({"  time", duration_text(report.seconds)});
  table.print(std::cout);
}

}  // namespace

int run_convert(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("convert", "INDEX --output DIR [--codec CODEC] [--impacts] [options]", kAbout,
                      kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  check_some_change(command);
  ConvertOptions options;
  options.impacts = given.impacts.settings(command);
  Progress progress = Progress::to_standard_error();
  options.rewrite = given.work.options(progress);
  options.codec = given.codec.settings(command, codec_before(given.work.input()));
  const RewrittenFolder folder(given.work);
  const InterruptGuard guard;
  const ConvertReport report = convert_index(options);
  progress.clear();
  report_change(report.notes, [&] {
    if (!given.work.quiet()) print_report(given, report, codec_text(options.codec), folder);
  });
  if (!given.work.quiet() && folder.is_current()) print_replaced_current_folder();
  return 0;
}

}  // namespace warpdex::tools
