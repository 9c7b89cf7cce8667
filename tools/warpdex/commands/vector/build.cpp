// warpdex vector build: builds an index from a file of vectors.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include "command.hpp"
#include "options/device_options.hpp"
#include "options/options.hpp"
#include "options/places.hpp"
#include "options/vector_kind_options.hpp"
#include "output/change_report.hpp"
#include "output/interrupt.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/text.hpp"
#include "output/vector_progress.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Builds an index of vectors, which 'warpdex vector search' searches. The file is read from\n"
    "front to end and may be larger than memory. An index of vectors that is there already is\n"
    "replaced at the end, in one step.";

constexpr const char* kNotes =
    "metrics:\n"
    "  l2      squared Euclidean distance; smaller is nearer\n"
    "  ip      inner product; larger is nearer\n"
    "  cosine  inner product of the vectors scaled to length 1; they are stored so\n"
    "\n"
    "Formats: .fvecs .bvecs .fbin .u8bin .i8bin .npy .hdf5 ('warpdex vector convert --help').\n"
    "Of an HDF5 file the dataset 'train' is taken; FILE.hdf5:NAME takes another.\n"
    "\n"
    "examples:\n"
    "  warpdex vector build --input base.fvecs --index flat --metric l2 --output base.index\n"
    "  warpdex vector build --input base.fvecs --index ivf-flat --lists 4096 --output base.ivf\n"
    "  warpdex vector build --input base.fvecs --index ivf-pq --bytes 32 --output base.pq\n"
    "  warpdex vector build --input base.fvecs --index xfbq --bits 4 --output base.xfbq\n"
    "  warpdex vector build --input base.fvecs --index ivf-sq8 --output base.sq8";

struct Arguments {
  std::string input;
  std::string output;
  VectorKindOptions kind{"index"};
  std::string metric = "l2";
  std::string store = "float";
  std::int64_t threads = 0;
  bool no_vectors = false;
  std::string ids;
  std::string json;
  bool quiet = false;
  DeviceOptions device;
};

void add_options(CommandLine& command, Arguments& given) {
  po::options_description group = option_group("Options");
  group.add_options()("input", po::value(&given.input)->value_name("FILE")->required(),
                      "the vectors, a row each")(
      "output", po::value(&given.output)->value_name("DIR")->required(), "the folder of the index");
  given.kind.add_kind_to(group);
  group.add_options()("metric",
                      po::value(&given.metric)->value_name("NAME")->default_value(given.metric),
                      "l2, ip or cosine")(
      "store", po::value(&given.store)->value_name("TYPE")->default_value(given.store),
      "float or half, which takes half the room and rounds. Bytes fit into halves exactly")(
      "ids", po::value(&given.ids)->value_name("FILE"),
      "an id for each row: 64-bit integers in a .npy file, or a text file with a line each. "
      "Default: row numbers from 0");
  add_json_option(group, "report", &given.json);
  add_quiet_option(group, &given.quiet);
  command.add(group);
  po::options_description ivf = option_group("For all but flat");
  given.kind.add_lists_to(ivf);
  add_threads_option(ivf, &given.threads);
  command.add(ivf);
  po::options_description codes = option_group("For codes: all but flat and ivf-flat");
  given.kind.add_bits_to(codes);
  codes.add_options()("no-vectors", po::bool_switch(&given.no_vectors),
                      "keep codes only, not the vectors, which 'search --refine' needs");
  command.add(codes);
  given.kind.add_codes_to(command, true);
  given.device.add_to(command,
                      "It holds what lists are trained on, and the vectors block by block");
}

NewVectorIndex settings_of(const Arguments& given, const CommandLine& command) {
  NewVectorIndex settings = given.kind.settings(command);
  settings.metric = vector::metric_from_name(given.metric);
  settings.store = vector::store_from_name(given.store);
  checked_threads(given.threads);
  settings.keeps_vectors = !given.no_vectors;
  const bool has_codes = settings.coding != VectorCoding::kRows;
  VectorKindOptions::check(command, settings.lists != 0 || has_codes, {"device", "gpu-memory"},
                           "an inverted file or for codes; add --index ivf-flat");
  VectorKindOptions::check(command, has_codes, {"no-vectors"},
                           "codes; add --index ivf-pq, xfbq or ivf-xfbq");
  return settings;
}

/// The GPU that is to work, or none.
std::optional<Gpu> start_gpu(const DeviceOptions& device) {
  std::optional<Gpu> gpu;
  const bool works =
      device.start_gpu([&](const auto& one) { gpu.emplace(one.device, one.memory); });
  return works ? gpu : std::nullopt;
}

VectorBuildReport build(const Arguments& given, const NewVectorIndex& settings,
                        vector::VectorReader& reader, const vector::VectorIds& ids,
                        const std::optional<Gpu>& gpu) {
  Progress progress = Progress::to_standard_error();
  VectorBuildOptions options;
  options.threads = checked_threads(given.threads);
  if (gpu) {
    options.device = given.device.is_auto() ? Device::kAuto : Device::kGpu;
    options.gpu = gpu;
    options.on_cpu = [&](const Error& error) {
      progress.clear();
      given.device.take_cpu(error);
    };
  }
  options.work.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    InterruptGuard::check();
    if (!given.quiet) update_vector_progress(stage, done, total, progress);
  };
  return VectorIndex::build(given.output, settings, reader, ids, options);
}

void write_steps(const std::vector<VectorBuildStep>& steps, JsonWriter& json) {
  json.begin_array("steps");
  for (const VectorBuildStep& step : steps) {
    json.begin_object();
    json.member("step", step.name);
    json.member("seconds", step.seconds);
    json.member("device", step.is_on_gpu ? "gpu" : "cpu");
    json.end_object();
  }
  json.end_array();
}

void report(const Arguments& given, std::size_t dimension, const VectorBuildReport& built,
            double seconds) {
  if (!given.quiet && given.json != "-") {
    std::cout << "indexed " << counted(built.vectors, "vector") << " of "
              << counted(dimension, "component") << " (" << given.metric << ", " << given.store
              << ") in " << duration_text(seconds) << "\n";
  }
  if (given.json.empty()) return;
  JsonWriter json;
  json.begin_object();
  json.member("index", given.kind.kind());
  json.member("metric", given.metric);
  json.member("store", given.store);
  json.member("dimension", std::uint64_t{dimension});
  json.member("vectors", std::uint64_t{built.vectors});
  json.member("seconds", seconds);
  if (!built.steps.empty()) write_steps(built.steps, json);
  json.end_object();
  write_output(given.json, json.take() + "\n");
}

}  // namespace

int run_vector_build(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("vector build", "--input FILE --output DIR [options]", kAbout, kNotes);
  add_options(command, given);
  if (!command.parse(arguments)) return 0;

  given.device.check(command);
  const NewVectorIndex settings = settings_of(given, command);
  check_inputs_outside(given.output, {given.input, given.ids});
  const auto begin = std::chrono::steady_clock::now();
  const ChangedFolder folder(given.output);
  const InterruptGuard guard;
  const std::optional<Gpu> gpu = start_gpu(given.device);
  const std::unique_ptr<vector::VectorReader> reader = vector::open_vectors(given.input);
  const vector::VectorIds ids =
      given.ids.empty() ? vector::VectorIds() : vector::read_ids(given.ids);
  if (!given.ids.empty() && ids.size() != reader->rows()) {
    throw InputError("'" + given.ids + "' has " + counted(ids.size(), "id") + ", '" + given.input +
                     "' has " + counted(reader->rows(), "vector") + "; give one id for each");
  }
  const VectorBuildReport built = build(given, settings, *reader, ids, gpu);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  report_change(built.notes, [&] { report(given, reader->dimension(), built, passed.count()); });
  folder.tell_if_replaced(given.quiet);
  return 0;
}

}  // namespace warpdex::tools
