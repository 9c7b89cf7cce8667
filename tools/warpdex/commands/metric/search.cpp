// warpdex metric search: the nearest objects of each query.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/at_most.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "search/metric_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/metric_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Finds the nearest objects of each query, nearest first, equal distances in the order of\n"
    "objects. The objects whose permutations are the most similar to the query's are compared by\n"
    "the true distance; others are missed. With --exact all are compared.";

constexpr const char* kNotes =
    "The answers go to standard output as lines: query, object, distance, between tabs. Queries\n"
    "and objects are numbers from 0, or with --texts the lines themselves.\n"
    "\n"
    "examples:\n"
    "  warpdex metric search words.index --queries misspelt.txt -k 3 --texts\n"
    "  warpdex metric search words.index --queries misspelt.txt --radius 2 --exact --device auto";

/// Queries that are answered before any is written.
constexpr std::size_t kPartQueries = 1024;

struct Arguments {
  std::string index;
  std::string queries;
  std::int64_t k = 10;
  float radius = 0;
  double share = 0.1;
  bool exact = false;
  std::string compare = "footrule";
  std::int64_t threads = 0;
  DeviceOptions device;
  std::string output;
  std::string json;
  bool texts = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("queries", po::value(&given.queries)->value_name("FILE")->required(),
                      "the queries: a line or a row each, as in the file of objects")(
      ",k", po::value(&given.k)->value_name("N")->default_value(given.k),
      "objects for each query, 1 or more; all that there are where these are fewer")(
      "radius", po::value(&given.radius)->value_name("R"),
      "instead of -k: all objects that are at most R away")(
      "share", po::value(&given.share)->value_name("F")->default_value(given.share, "0.1"),
      "the part of the objects that is compared by the true distance, over 0 and up to 1; more "
      "finds more")("exact", po::bool_switch(&given.exact),
                    "compare all objects: every answer is right")(
      "compare", po::value(&given.compare)->value_name("HOW")->default_value(given.compare),
      "how permutations are compared: footrule or rho (Spearman's), tau (Kendall's), or bits: by "
      "codes of 3 bits a rank");
  add_threads_option(group, &given.threads);
  command.add(group);
  given.device.add_to(command, "The index has to fit");
  po::options_description output = option_group("Output");
  output.add_options()("output", output_value(&given.output)->value_name("FILE"),
                       "the lines of answers; - is standard output")(
      "json", output_value(&given.json)->value_name("FILE"),
      "answers as JSON, an object for each query on a line of its own; - is standard output")(
      "texts", po::bool_switch(&given.texts), "in lines, texts and not numbers");
  command.add(output);
}

metric::MetricSearchSettings search_settings(const Arguments& given, const CommandLine& command) {
  if (command.given("radius") && command.given("-k")) {
    throw UsageError("-k and --radius are two kinds of search; give one of them");
  }
  if (given.exact && command.given("share")) {
    throw UsageError("--exact compares all objects; leave --share out");
  }
  metric::MetricSearchSettings settings;
  settings.share = given.share;
  if (given.exact) settings.share.reset();
  settings.compare = metric::rank_distance_from_name(given.compare);
  settings.threads = checked_threads(given.threads);
  if (!(given.share > 0 && given.share <= 1)) {
    throw UsageError("--share is over 0 and at most 1, as in 0.1 for a tenth of the objects");
  }
  if (!(given.radius >= 0)) throw UsageError("--radius is 0 or more");
  return settings;
}

/// Lines, JSON or both.
class Answers {
 public:
  Answers(const Arguments& given, const MetricIndex& index, const MetricQueries& queries)
      : index_(index), queries_(queries), wants_texts_(given.texts) {
    if (!given.output.empty() || given.json.empty()) lines_.emplace(given.output);
    if (!given.json.empty()) json_.emplace(given.json);
  }

  void add(std::size_t query, const std::vector<metric::Match>& matches) {
    if (lines_) add_lines(query, matches);
    if (json_) add_json(query, matches);
  }

  /// Both are written before either appears.
  void finish() {
    if (lines_) lines_->write_through();
    if (json_) json_->write_through();
    if (lines_) lines_->commit();
    if (json_) json_->commit();
  }

 private:
  void add_lines(std::size_t query, const std::vector<metric::Match>& matches) {
    for (const metric::Match& match : matches) {
      if (wants_texts_) {
        lines_->stream() << queries_.text(query) << '\t' << index_.text(match.object);
      } else {
        lines_->stream() << query << '\t' << match.object;
      }
      lines_->stream() << '\t' << shortest(match.distance) << '\n';
    }
  }

  void add_json(std::size_t query, const std::vector<metric::Match>& matches) {
    const bool are_texts = !metric::is_of_vectors(index_.settings().distance);
    writer_.begin_object();
    writer_.member("query", std::uint64_t{query});
    if (are_texts) writer_.member("text", queries_.text(query));
    writer_.begin_array("matches");
    for (const metric::Match& match : matches) {
      writer_.begin_object();
      writer_.member("object", std::uint64_t{match.object});
      if (are_texts) writer_.member("text", index_.text(match.object));
      if (std::isfinite(match.distance)) {
        writer_.member("distance", match.distance);
      } else {
        writer_.null_member("distance");  // past the range of floats
      }
      writer_.end_object();
    }
    writer_.end_array();
    writer_.end_object();
    json_->stream() << writer_.take() << '\n';
  }

  const MetricIndex& index_;
  const MetricQueries& queries_;
  bool wants_texts_;
  std::optional<OutputFile> lines_;
  std::optional<OutputFile> json_;
  JsonWriter writer_;
};

void answer_all(const MetricIndex& index, const MetricKind& kind, const MetricQueries& queries,
                const metric::MetricSearchSettings& settings, Answers& answers,
                Progress* progress) {
  for (std::size_t first = 0; first < queries.size(); first += kPartQueries) {
    const std::size_t count = std::min(kPartQueries, queries.size() - first);
    const metric::Matches matches = search_metric(index, queries, first, count, kind, settings);
    for (std::size_t q = 0; q < count; ++q) answers.add(first + q, matches[q]);
    if (progress == nullptr) continue;
    progress->update("searching", counted(first + count, "query"), first + count, queries.size(),
                     Progress::Unit::kItems);
  }
}

}  // namespace

int run_metric_search(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("metric search", "INDEX --queries FILE [options]", kAbout, kNotes);
  command.add_positional("INDEX", &given.index, "the folder of a permutation index");
  add_options(command, given);
  if (!command.parse(arguments)) return 0;
  const metric::MetricSearchSettings settings = search_settings(given, command);
  given.device.check(command);
  check_shared_stream("standard output", {{"--output", given.output}, {"--json", given.json}});
  check_outputs_not_inputs({given.queries}, {given.output, given.json});
  check_outputs_outside(given.index, {given.output, given.json});

  const InterruptGuard guard;
  MetricIndex index(given.index);
  const metric::ObjectSettings& objects = index.settings();
  if (given.texts && metric::is_of_vectors(objects.distance)) {
    throw UsageError("--texts is for texts and sets, '" + given.index +
                     "' holds vectors; leave it out");
  }
  const MetricQueries queries = MetricQueries::read(given.queries, objects);
  MetricKind kind{0, given.radius};
  if (!command.given("radius")) {
    const std::size_t count = index.objects();
    // The default is for indexes that have so many.
    kind.k =
        command.given("-k")
            ? at_most("-k", given.k,
                      {count, "the index '" + given.index + "' has " + counted(count, "object"),
                       "a query finds these at most"})
            : std::min<std::size_t>(given.k, count);
  }
  set_search(index, given.device);
  Answers answers(given, index, queries);
  Progress progress = Progress::to_standard_error();
  const bool is_seen =
      isatty(STDERR_FILENO) != 0 && !(given.output.empty() && isatty(STDOUT_FILENO) != 0);
  answer_all(index, kind, queries, settings, answers, is_seen ? &progress : nullptr);
  progress.clear();
  answers.finish();
  return 0;
}

}  // namespace warpdex::tools
