// warpdex reorder: writes an index with its documents in an order that makes it smaller.
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "options/rewrite_options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/progress.hpp"
#include "output/reorder_report.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes an index with its documents in another order: by recursive graph bisection, those "
    "that\n"
    "share terms get docIDs near each other, so gaps and lists become smaller. Names, lengths and\n"
    "static scores follow their documents. The new index appears at --output whole, or not at "
    "all;\n"
    "--output may be INDEX itself.";

constexpr const char* kNotes =
    "A document's score for a query stays the same, bit for bit. Documents of one score rank by\n"
    "docID, so their order among themselves changes; where such documents are the last ones of an\n"
    "answer, others of the same score may take their place. Documents without terms come last.\n"
    "\n"
    "The order is found from lists of --min-list postings and more. They are held by document, at\n"
    "about 4 bytes a posting, 40 a document and 16 a list. Where --memory is too little for that,\n"
    "the rarest lists are left out, and a line says so. The order is the same for any --threads.\n"
    "\n"
    "examples:\n"
    "  warpdex reorder INDEX --output INDEX2\n"
    "  warpdex reorder INDEX --output INDEX --memory 8G\n"
    "  warpdex index --input docs.jsonl --format jsonl --output INDEX --reorder";

struct Arguments {
  RewriteArguments work;
  std::int64_t min_list = OrderSettings{}.min_list;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description order = option_group("Order");
  order.add_options()(
      "min-list", po::value(&given.min_list)->value_name("N")->default_value(given.min_list),
      "postings that a list must have to count for the order, 2 or more; more is faster");
  command.add(order);
  given.work.add_to(command);
}

void print_report(const Arguments& given, const ReorderReport& report,
                  const RewrittenFolder& folder) {
  std::cout << "reordered " << given.work.input() << " to " << given.work.output() << "\n";
  Table table({{"", Table::Align::kLeft}, {""}, {"", Table::Align::kLeft}});
  table.add({"  documents", grouped(report.documents)});
  table.add({"  postings", grouped(report.postings)});
  table.add({"  index before", bytes_text(folder.bytes_before())});
  table.add({"  index now", bytes_text(folder.bytes_now())});
  add_order(table, report);
  table.add({"  time", duration_text(report.seconds)});
  table.print(std::cout);
}

}  // namespace

int run_reorder(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("reorder", "INDEX --output DIR [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  OrderSettings settings;
  settings.min_list = checked_number("--min-list", given.min_list, 2);
  Progress progress = Progress::to_standard_error();
  const RewriteOptions options = given.work.options(progress);
  const RewrittenFolder folder(given.work);
  const InterruptGuard guard;
  const ReorderReport report = reorder_index(options, settings);
  progress.clear();
  report_change(report.notes, [&] {
    print_order_notes(report, settings);
    if (!given.work.quiet()) print_report(given, report, folder);
  });
  if (!given.work.quiet() && folder.is_current()) print_replaced_current_folder();
  return 0;
}

}  // namespace warpdex::tools
