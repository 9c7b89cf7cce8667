// warpdex delete: deletes documents from an index by their ids or by a filter.
#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/output_file.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/readers/input_stream.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Deletes documents from an index, by ids or by a filter, in one step: searches find none of\n"
    "them afterwards, and scores are those of an index without them. What they take up on the\n"
    "disk goes with 'warpdex merge'.";

constexpr const char* kNotes =
    "An id that no document has, or that is named twice, ends the command, and nothing is "
    "deleted;\n"
    "--ignore-unknown passes over it.\n"
    "\n"
    "examples:\n"
    "  cut -f1 old.tsv | warpdex delete INDEX --ids -\n"
    "  warpdex delete INDEX --filter 'year < 1990'";

struct Arguments {
  std::string index;
  std::string ids;
  std::string filter;
  bool ignore_unknown = false;
  std::string json;
  bool quiet = false;
};

/// Deletes the documents that the lines name. Returns how many ids the index did not have.
std::uint64_t remove_all(LineReader& lines, const Arguments& given, Writer& writer,
                         std::uint64_t& deleted) {
  std::uint64_t unknown = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> hashes;  // of ids so far, with their lines
  for (std::string id; lines.next(id);) {
    if (lines.line_number() % 256 == 0) InterruptGuard::check();
    if (id.empty()) continue;
    if (!given.ignore_unknown) {
      hashes.push_back({std::hash<std::string>()(id), lines.line_number()});
    }
    if (writer.remove(id)) {
      ++deleted;
      continue;
    }
    ++unknown;
    if (given.ignore_unknown) continue;
    const std::uint64_t first = std::ranges::find(hashes, hashes.back().first,
                                                  &std::pair<std::size_t, std::uint64_t>::first)
                                    ->second;
    const bool is_new = first == lines.line_number();
    throw InputError(lines.name() + ":" + std::to_string(lines.line_number()) + ": " +
                     (is_new ? "the index has no document with the id '" + excerpt(id) + "'"
                             : "the id '" + excerpt(id) + "' was named on line " +
                                   std::to_string(first) + " already") +
                     "; nothing is deleted: correct the file, or pass over such ids by "
                     "--ignore-unknown");
  }
  return unknown;
}

void report(const Arguments& given, std::uint64_t deleted, std::uint64_t unknown,
            const CommitReport& committed) {
  if (!given.quiet && given.json != "-") {
    std::cout << "deleted " << counted(deleted, "document") << " from " << given.index;
    if (unknown > 0) std::cout << ", passed over " << counted(unknown, "id");
    std::cout << " (commit " << committed.number << ")\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("commit", committed.number);
  json.member("deleted", deleted);
  json.member("unknown", unknown);
  write_notes(committed.notes, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_delete(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("delete", "INDEX --ids FILE | INDEX --filter TEXT [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of an index");
  po::options_description options = option_group("Options");
  options.add_options()("ids", po::value(&given.ids)->value_name("FILE"),
                        "ids of documents, one a line; - is standard input")(
      "filter", po::value(&given.filter)->value_name("TEXT"),
      "the documents that fit, as in 'warpdex search --filter'")(
      "ignore-unknown", po::bool_switch(&given.ignore_unknown),
      "pass over ids that no document has");
  add_json_option(options, "report", &given.json);
  add_quiet_option(options, &given.quiet);
  command.add(options);
  if (!command.parse(arguments)) return 0;
  if (given.ids.empty() == given.filter.empty()) {
    throw UsageError("delete takes --ids FILE or --filter TEXT; give one of them");
  }
  check_inputs_outside(given.index, {given.ids});
  check_outputs_outside(given.index, {given.json});
  const ChangedFolder folder(given.index);
  const InterruptGuard guard;
  Writer writer(given.index, {}, {.merges = false, .creates = false});
  report_recovered(writer);
  std::uint64_t deleted = 0;
  std::uint64_t unknown = 0;
  if (given.ids.empty()) {
    deleted = writer.remove_where(given.filter);
  } else {
    LineReader lines(given.ids, InterruptGuard::check);
    unknown = remove_all(lines, given, writer, deleted);
  }
  const CommitReport committed = writer.commit(InterruptGuard::check);
  report_change(committed.notes, [&] { report(given, deleted, unknown, committed); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
