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
  std::string index = "flat";
  std::string metric = "l2";
  std::string store = "float";
  std::int64_t lists = 0;
  std::int64_t train = 0;
  std::uint64_t seed = 1;
  std::int64_t threads = 0;
  std::int64_t bytes = 0;
  std::int64_t bits = 0;
  bool opq = false;
  std::int64_t opq_dimension = 0;
  bool rotate = false;
  bool correct = false;
  double clip = 0;
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
      "output", po::value(&given.output)->value_name("DIR")->required(), "the folder of the index")(
      "index", po::value(&given.index)->value_name("TYPE")->default_value(given.index),
      "flat: all vectors are compared, so that every answer is exact. ivf-flat: an inverted file; "
      "only the lists nearest to a query are compared. ivf-pq: the same, by codes of a few bytes a "
      "vector. xfbq: all vectors are compared, by codes of a few bits a component. ivf-xfbq: those "
      "of "
      "the nearest lists, by such codes. sq8 and ivf-sq8: likewise by codes of a byte a "
      "component")("metric",
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
  ivf.add_options()("lists", po::value(&given.lists)->value_name("N")->default_value(0),
                    "not xfbq and sq8: how many lists; 0: about 4 times the root of the number of "
                    "vectors, or one "
                    "for each 32 vectors if these are fewer, such as 32 lists for 1,000 vectors")(
      "train", po::value(&given.train)->value_name("N")->default_value(0),
      "not xfbq and sq8: vectors that the lists' centroids are trained on; 0: 256 a list. Codes of "
      "ivf-pq "
      "are trained on as many, up to 65,536")(
      "seed", po::value(&given.seed)->value_name("S")->default_value(given.seed),
      "of the training; with xfbq, of the rotation (--rotate)");
  add_threads_option(ivf, &given.threads);
  command.add(ivf);
  po::options_description codes = option_group("For codes: all but flat and ivf-flat");
  codes.add_options()("bits", po::value(&given.bits)->value_name("B"),
                      "ivf-pq: 8 (default), a byte of a code is the number of one of 256 "
                      "codewords; or 4, it is two numbers, each of one of 16. xfbq, "
                      "ivf-xfbq: bits of a component's code, 1 to 8 (default 4)")(
      "no-vectors", po::bool_switch(&given.no_vectors),
      "keep codes only, not the vectors, which 'search --refine' needs");
  command.add(codes);
  po::options_description pq = option_group("For ivf-pq");
  pq.add_options()("bytes", po::value(&given.bytes)->value_name("M")->default_value(0),
                   "of a vector's code; 0: one for each 4 components")(
      "opq", po::bool_switch(&given.opq),
      "rotate vectors first, so that codes lose less; takes longer to train")(
      "opq-dimension", po::value(&given.opq_dimension)->value_name("D"),
      "rotate to D components, at least --bytes, and make codes of these. Implies --opq. Default: "
      "as many as vectors have");
  command.add(pq);
  po::options_description binary = option_group("For xfbq and ivf-xfbq");
  binary.add_options()("rotate", po::bool_switch(&given.rotate),
                       "rotate vectors at random first, for those with few large components; takes "
                       "longer to encode")(
      "correct", po::bool_switch(&given.correct),
      "keep a scale and a correction of each vector (RaBitQ), so that codes lose less; takes 8 "
      "bytes a vector, in lists 4. Best with --rotate")(
      "clip", po::value(&given.clip)->value_name("SHARE"),
      "of the components, those that may lie outside of the range that codes stand for, from 0 to "
      "below 1. Default: what suits the bits, 0.0073 for 4");
  command.add(binary);
  given.device.add_to(command,
                      "It holds what lists are trained on, and the vectors block by block");
}

/// Refuses options that are for other kinds of index.
void check_options(const NewVectorIndex& settings, const CommandLine& command) {
  const bool has_lists = settings.lists != 0;
  const bool is_binary = settings.coding == VectorCoding::kBinary;
  const bool has_codes = settings.coding != VectorCoding::kRows;
  const auto check = [&](bool suits, std::initializer_list<const char*> options,
                         const char* purpose) {
    for (const char* option : options) {
      if (suits || !command.given(option)) continue;
      throw UsageError("--" + std::string(option) + " is for " + purpose + ", or leave it out");
    }
  };
  check(has_lists, {"lists", "train"}, "an inverted file; add --index ivf-flat");
  check(has_lists || has_codes, {"seed", "device", "gpu-memory"},
        "an inverted file or for codes; add --index ivf-flat");
  check(has_lists || settings.is_rotated, {"seed"}, "the rotation of xfbq; add --rotate");
  const bool is_pq = settings.coding == VectorCoding::kPq;
  check(has_codes, {"no-vectors"}, "codes; add --index ivf-pq, xfbq or ivf-xfbq");
  check(is_pq || is_binary, {"bits"}, "codes; add --index ivf-pq, xfbq or ivf-xfbq");
  check(is_pq, {"bytes", "opq", "opq-dimension"}, "codes; add --index ivf-pq");
  check(is_binary, {"rotate", "correct", "clip"}, "binary codes; add --index xfbq or ivf-xfbq");
}

NewVectorIndex settings_of(const Arguments& given, const CommandLine& command) {
  NewVectorIndex settings;
  set_vector_kind(given.index, settings);
  const bool is_binary = settings.coding == VectorCoding::kBinary;
  settings.metric = vector::metric_from_name(given.metric);
  settings.store = vector::store_from_name(given.store);
  const std::size_t lists = checked_number("--lists", given.lists, 0, vector::kMaxRows);
  if (settings.lists != 0 && lists != 0) settings.lists = lists;
  settings.train = checked_number("--train", given.train, 0, vector::kMaxRows);
  settings.seed = given.seed;
  checked_threads(given.threads);
  settings.pq_bytes = checked_number("--bytes", given.bytes, 0, vector::kMaxDimension);
  if (command.given("bits")) {
    const std::size_t bits = checked_number("--bits", given.bits, 1, 8);
    (is_binary ? settings.binary_bits : settings.pq_bits) = bits;
  }
  settings.is_rotated = is_binary ? given.rotate : given.opq;
  if (command.given("opq-dimension")) {
    settings.rotated_dimension =
        checked_number("--opq-dimension", given.opq_dimension, 1, vector::kMaxDimension);
  }
  settings.keeps_vectors = !given.no_vectors;
  settings.is_corrected = given.correct;
  if (command.given("clip")) {
    if (!(given.clip >= 0)) throw UsageError("--clip takes a share from 0 to below 1");
    settings.clip = given.clip;
  }
  check_options(settings, command);
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
  json.member("index", given.index);
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
