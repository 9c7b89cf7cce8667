// warpdex split: writes ranges of an index's documents as indexes of their own.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/rewrite_options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes the documents of an index as --into indexes of like sizes, DIR/part-0, DIR/part-1 and\n"
    "so on: ranges that follow each other, without the documents that were deleted. Parts appear\n"
    "one after the other, each whole, in the place of indexes of these names.";

constexpr const char* kNotes =
    "A part has the bytes that warpdex index gives for its documents, but for impacts, which stay\n"
    "what they are in INDEX. Alone, it scores by its own statistics.\n"
    "\n"
    "example:\n"
    "  warpdex split INDEX --into 8 --output PARTS";

struct Arguments {
  RewriteArguments work{"the folder of the parts, which is made if it is not there"};
  std::int64_t parts = 0;
};

void print_report(const Arguments& given, const SplitReport& report) {
  std::cout << "split " << given.work.input() << " into " << counted(report.parts.size(), "part")
            << "\n";
  Table table({{"", Table::Align::kLeft}, {"documents"}, {"bytes"}});
  for (const SplitPart& part : report.parts) {
    table.add({"  " + part.folder.string(), grouped(part.documents),
               bytes_text(folder_bytes(part.folder))});
  }
  table.print(std::cout);
  std::cout << "  time " << duration_text(report.seconds) << "\n";
}

}  // namespace

int run_split(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("split", "INDEX --into N --output DIR [options]", kAbout, kNotes);
  po::options_description parts = option_group("Parts");
  parts.add_options()("into", po::value(&given.parts)->value_name("N")->required(),
                      "the number of parts, 1 to 4096 and no more than documents");
  command.add(parts);
  given.work.add_to(command);
  if (!command.parse(arguments)) return 0;
  const std::uint32_t count = checked_number("--into", given.parts, 1, kMaxParts);
  Progress progress = Progress::to_standard_error();
  const RewriteOptions options = given.work.options(progress);
  const InterruptGuard guard;
  const SplitReport report = split_index(options, count);
  progress.clear();
  report_change(report.notes, [&] {
    if (!given.work.quiet()) print_report(given, report);
  });
  return 0;
}

}  // namespace warpdex::tools
