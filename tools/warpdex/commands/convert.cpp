// warpdex convert: writes an index's postings under another codec.
#include <iostream>

#include "command.hpp"
#include "options/codec_options.hpp"
#include "options/options.hpp"
#include "options/rewrite_options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/rewrite/convert.hpp"

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
  bool impacts = false;
  double impact_k1 = ImpactSettings{}.k1;
  double impact_b = ImpactSettings{}.b;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description index = option_group("Index");
  given.codec.add_change_to(index);
  index.add_options()("impacts", po::bool_switch(&given.impacts),
                      "turn frequencies into BM25 in whole numbers from 1 to 255, as warpdex index "
                      "--impacts does")(
      "impact-k1",
      po::value(&given.impact_k1)->value_name("X")->default_value(given.impact_k1, "0.9"),
      "impacts: BM25's k1, 0 or more")(
      "impact-b", po::value(&given.impact_b)->value_name("X")->default_value(given.impact_b, "0.4"),
      "impacts: BM25's b, 0 to 1");
  command.add(index);
  given.work.add_to(command);
}

void check_some_change(const CommandLine& command) {
  for (const char* option : {"codec", "pfor-levels", "no-bit-sets", "impacts"}) {
    if (command.given(option)) return;
  }
  throw UsageError("convert changes the codec or makes impacts; give --codec, --impacts or both");
}

std::optional<ImpactSettings> impact_settings(const Arguments& given, const CommandLine& command) {
  if (given.impacts) {
    check_bm25_settings(given.impact_k1, given.impact_b);
    return ImpactSettings{given.impact_k1, given.impact_b};
  }
  for (const char* option : {"impact-k1", "impact-b"}) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) + " is for --impacts; add that or leave it out");
    }
  }
  return std::nullopt;
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
  options.impacts = impact_settings(given, command);
  Progress progress = Progress::to_standard_error();
  options.rewrite = given.work.options(progress);
  options.codec = given.codec.settings(command, Index::open(given.work.input()).settings().codec);
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
