// warpdex metric build: builds a permutation index from a file of objects.
#include <chrono>
#include <iostream>
#include <optional>
#include <string>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/metric_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Builds a permutation index, which 'warpdex metric search' searches. Some objects are chosen\n"
    "as permutants, and each object is described by the order in which it sees them, nearest\n"
    "first. A permutation index that is there already is replaced at the end, in one step.";

constexpr const char* kNotes =
    "distances:\n"
    "  levenshtein  of texts: bytes to insert, delete or replace\n"
    "  hamming      of texts of one length: bytes that differ\n"
    "  jaccard      of sets of words: 1 - common words / all words\n"
    "  l1           of vectors: the sum of the differences\n"
    "  l2           of vectors: Euclidean distance\n"
    "  angular      of vectors: the angle between them, 0 to pi\n"
    "\n"
    "Objects are numbered from 0. Texts and sets are the lines of a text file; the words of a set\n"
    "stand between white space. An empty line is the empty text or set. Vectors are the rows of\n"
    ".fvecs .bvecs .fbin .u8bin .i8bin .npy .hdf5 ('warpdex vector convert --help').\n"
    "\n"
    "example:\n"
    "  warpdex metric build --input words.txt --distance levenshtein --output words.index";

struct Arguments {
  std::string input;
  std::string output;
  std::string distance;
  bool code_points = false;
  std::int64_t permutants = 128;
  std::string choose = "random";
  std::uint64_t seed = 1;
  std::int64_t threads = 0;
  DeviceOptions device;
  std::string json;
  bool quiet = false;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("input", po::value(&given.input)->value_name("FILE")->required(),
                      "the objects: a line or a row each")(
      "distance", po::value(&given.distance)->value_name("NAME")->required(),
      "levenshtein, hamming, jaccard, l1, l2 or angular")(
      "output", po::value(&given.output)->value_name("DIR")->required(), "the folder of the index")(
      "code-points", po::bool_switch(&given.code_points),
      "for levenshtein: edits change code points of UTF-8, not bytes")(
      "permutants", po::value(&given.permutants)->value_name("N")->default_value(given.permutants),
      "how many objects are permutants, up to 2048 and to the number of objects; more find more "
      "and take more room: a byte for each and object, from 257 on two. By default all objects, "
      "where these are fewer")(
      "choose", po::value(&given.choose)->value_name("HOW")->default_value(given.choose),
      "random, or farthest: always the object that is farthest from those chosen")(
      "seed", po::value(&given.seed)->value_name("S")->default_value(given.seed), "of the choice");
  add_threads_option(group, &given.threads);
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  given.device.add_to(command, "Objects go through it block by block");
}

metric::ObjectSettings object_settings(const Arguments& given) {
  metric::ObjectSettings settings;
  settings.distance = metric::distance_from_name(given.distance);
  if (given.code_points) settings.unit = metric::TextUnit::kCodePoints;
  if (given.code_points && settings.distance != metric::DistanceKind::kLevenshtein) {
    throw UsageError("--code-points is for --distance levenshtein; leave it out");
  }
  return settings;
}

void report(const Arguments& given, std::size_t objects, std::size_t permutants, double seconds) {
  if (!given.quiet && given.json != "-") {
    std::cout << "indexed " << counted(objects, "object") << " (" << given.distance << ") by "
              << counted(permutants, "permutant") << " in " << duration_text(seconds) << "\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("distance", given.distance);
  json.member("code_points", given.code_points);
  json.member("objects", std::uint64_t{objects});
  json.member("permutants", std::uint64_t{permutants});
  json.member("choose", given.choose);
  json.member("seed", given.seed);
  json.member("seconds", seconds);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_metric_build(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("metric build", "--input FILE --distance NAME --output DIR [options]", kAbout,
                      kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  NewMetricIndex settings;
  settings.objects = object_settings(given);
  const std::size_t permutants =
      checked_number("--permutants", given.permutants, 1, metric::kMaxPermutants);
  // The default is for as many objects or more.
  if (command.given("permutants")) settings.permutants = permutants;
  settings.choice = metric::choice_from_name(given.choose);
  settings.seed = given.seed;
  settings.threads = checked_threads(given.threads);
  given.device.check(command);
  check_inputs_outside(given.output, {given.input});
  const auto begin = std::chrono::steady_clock::now();
  const ChangedFolder folder(given.output);
  const InterruptGuard guard;
  Progress progress = Progress::to_standard_error();
  const bool works = given.device.start_gpu(
      [&](const GpuChoice& one) { settings.gpu.emplace(one.device, one.memory); });
  if (works) settings.device = given.device.is_auto() ? Device::kAuto : Device::kGpu;
  settings.on_cpu = [&](const Error& error) {
    progress.clear();
    given.device.take_cpu(error);
  };
  const MetricBuildReport built = MetricIndex::build(
      given.output, settings, given.input, [&](std::uint64_t done, std::uint64_t total) {
        InterruptGuard::check();
        if (given.quiet) return;
        progress.update("comparing", "", done, total, Progress::Unit::kSteps);
      });
  progress.clear();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  report_change(built.notes,
                [&] { report(given, built.objects, built.permutants, passed.count()); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
