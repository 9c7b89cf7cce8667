// warpdex merge: writes segments as fewer ones, without deleted documents.
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/build_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Writes segments of an index again as fewer ones, without the documents that were deleted "
    "from\n"
    "them. Neighbours of like sizes are merged, so that there are few segments and each document "
    "is\n"
    "seldom written again; documents keep their order, and answers stay as they are. Searches go "
    "on\n"
    "meanwhile.";

struct Arguments {
  std::string index;
  bool all = false;
  std::string memory = "1G";
  std::int64_t threads = 0;
  std::string json;
  bool quiet = false;
};

WriterOptions options_of(const Arguments& given) {
  return {.memory = parse_build_memory(given.memory),
          .threads = checked_threads(given.threads),
          .merges = false,
          .creates = false};
}

void report(const Arguments& given, const MergeReport& merged, const CommitReport& committed) {
  if (!given.quiet && given.json != "-") {
    std::cout << given.index << " has " << counted(merged.segments, "segment") << ", had "
              << grouped(merged.segments_before) << "; "
              << counted(merged.dropped_documents, "deleted document")
              << (merged.dropped_documents == 1 ? " is" : " are") << " gone for good";
    if (merged.removed_documents > 0) {
      std::cout << ", " << grouped(merged.removed_documents)
                << (merged.removed_documents == 1 ? " stays (--all drops it)"
                                                  : " stay (--all drops them)");
    }
    std::cout << " (commit " << committed.number << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", committed.number);
  json.member("segments_before", merged.segments_before);
  json.member("segments", merged.segments);
  json.member("dropped_documents", merged.dropped_documents);
  json.member("deleted_documents", merged.removed_documents);
  write_notes(committed.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_merge(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("merge", "INDEX [options]", kAbout);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  po::options_description work = option_group("Options");
  work.add_options()("all", po::bool_switch(&given.all), "all segments into one")(
      "memory", po::value(&given.memory)->value_name("SIZE")->default_value(given.memory),
      "memory to stay within, as 512M or 2GiB; at least 64M");
  add_json_option(work, "report", &given.json);
  add_quiet_option(work, &given.quiet);
  add_threads_option(work, &given.threads);
  command.add(work);
  if (!command.parse(arguments)) return 0;
  check_outputs_outside(given.index, {given.json});
  const ChangedFolder folder(given.index);
  Progress progress = Progress::to_standard_error();
  const WriterOptions options = options_of(given);
  const InterruptGuard guard;
  Writer writer(given.index, {}, options);
  report_recovered(writer);
  const MergeReport merged = writer.merge(given.all, [&](double share) {
    InterruptGuard::check();
    if (!given.quiet) progress.update("merging", share);
  });
  const CommitReport committed = writer.commit(InterruptGuard::check);
  progress.clear();
  report_change(committed.notes, [&] { report(given, merged, committed); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
