// warpdex_bench_decode: how fast the GPU decodes posting lists, to registers and to memory, by
// codec, by what is decoded, and by the length of lists (Table 1 and Figure 4 of Ding et al.),
// beside the time that reading the bytes takes.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/decode_experiment.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::tools {
namespace {

struct Arguments {
  std::int64_t postings = 1 << 30;
  std::int64_t lists = 16;
  std::int64_t length = 1 << 20;
  std::int64_t passes = 7;
  std::string only;
  bool no_lengths = false;
  std::string json;
};

std::string format(const char* pattern, double value) {
  char text[32];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::vector<CodecSettings> all_codecs() {
  std::vector<CodecSettings> all = {{CodecKind::kBitpack}};
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    all.push_back({CodecKind::kPfor, levels});
  }
  all.push_back({CodecKind::kPforBlock});
  all.push_back({CodecKind::kRice});
  return all;
}

std::vector<Experiment> experiments_for(const CodecSettings& settings, const Arguments& given) {
  const auto length = static_cast<std::size_t>(given.length);
  const auto lists = static_cast<std::size_t>(given.lists);
  const auto postings = static_cast<std::size_t>(given.postings);
  std::vector<Experiment> all = {
      {settings, Distribution::kRandom, true, true, length, lists, postings},
      {settings, Distribution::kClustered, true, true, length, lists, postings},
      {settings, Distribution::kRandom, false, false, length, lists, postings},
      {settings, Distribution::kFrequencies, false, false, length, lists, postings},
      {settings, Distribution::kDense, true, true, length, lists, postings},
      {settings, Distribution::kDense, true, false, length, lists, postings}};
  for (const std::size_t i : {0U, 3U}) {
    all.push_back(all[i]);
    all.back().to_memory = true;
  }
  return all;
}

void print(const std::vector<Result>& results, std::ostream& out) {
  Table table({{"codec", Table::Align::kLeft},
               {"decoded", Table::Align::kLeft},
               {"lists", Table::Align::kLeft},
               {"G postings"},
               {"bits each"},
               {"ms"},
               {"G/s"},
               {"floor ms"},
               {"time/floor"},
               {"checksum"}});
  for (const Result& result : results) {
    const auto postings = static_cast<double>(result.postings);
    table.add({result.codec, result.what, result.lists, format("%.3f", postings / 1e9),
               format("%.2f", 8 * static_cast<double>(result.bytes) / postings),
               format("%.4f", result.seconds * 1e3), format("%.0f", result.rate()),
               format("%.4f", result.floor_seconds * 1e3),
               format("%.2f", result.seconds / result.floor_seconds),
               result.right ? "right" : "WRONG"});
  }
  table.print(out);
}

/// Rates by list length: one list alone, and as many as make up `postings`.
struct LengthResult {
  Result alone;
  Result many;
  std::size_t length;
};

std::vector<LengthResult> measure_lengths(const CodecSettings& settings, bool docids,
                                          const Arguments& given, double bytes_per_second,
                                          const Stream& stream) {
  std::vector<LengthResult> results;
  for (const std::size_t length : {1000, 10'000, 100'000, 1'000'000, 10'000'000}) {
    Experiment experiment = {settings, Distribution::kRandom, docids, docids, length, 1, 1};
    const int passes = static_cast<int>(given.passes);
    LengthResult result;
    result.length = length;
    result.alone = measure(experiment, passes, bytes_per_second, stream);
    experiment.lists = std::max<std::size_t>(1, 8'000'000 / length);
    experiment.postings = static_cast<std::size_t>(given.postings) / 2;
    result.many = measure(experiment, passes, bytes_per_second, stream);
    results.push_back(result);
  }
  return results;
}

void print_lengths(const std::vector<LengthResult>& results, std::ostream& out) {
  Table table({{"codec", Table::Align::kLeft},
               {"decoded", Table::Align::kLeft},
               {"postings a list"},
               {"one list a launch, us"},
               {"G/s"},
               {"many lists a launch, G/s"},
               {"checksums"}});
  for (const LengthResult& result : results) {
    table.add({result.alone.codec, result.alone.what, std::to_string(result.length),
               format("%.1f", result.alone.seconds * 1e6), format("%.2f", result.alone.rate()),
               format("%.0f", result.many.rate()),
               result.alone.right && result.many.right ? "right" : "WRONG"});
  }
  table.print(out);
}

void write(const Result& result, JsonWriter& json) {
  json.member("codec", result.codec);
  json.member("decoded", result.what);
  json.member("lists", result.lists);
  json.member("postings", result.postings);
  json.member("bytes", result.bytes);
  json.member("seconds", result.seconds);
  json.member("floor_seconds", result.floor_seconds);
  json.member("right", result.right);
}

int run(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("warpdex_bench_decode", "[options]",
                      "Decodes made-up posting lists on the GPU, to registers and to memory.");
  po::options_description group = option_group("Options");
  group.add_options()("postings", po::value(&given.postings)->default_value(given.postings),
                      "to decode in one launch")(
      "lists", po::value(&given.lists)->default_value(given.lists),
      "different ones, which are repeated")(
      "length", po::value(&given.length)->default_value(given.length), "of a list")(
      "passes", po::value(&given.passes)->default_value(given.passes), "timed")(
      "only", po::value(&given.only), "codec, such as pfor/1. Default: all")(
      "no-lengths", po::bool_switch(&given.no_lengths), "leave out the rates by list length")(
      "json", po::value(&given.json), "also write the figures there");
  command.add(group);
  if (!command.parse(arguments)) return 0;

  const CopyBandwidth bandwidth = measure_copy_bandwidth();
  const double bytes_per_second = bandwidth.gigabytes_per_second() * 1e9;
  std::cout
      << device_info(0).to_string()
      << "\ncopy bandwidth: " << format("%.0f", bandwidth.gigabytes_per_second())
      << " GB/s; the floor is the time to read the bytes, and to write what is written, at that "
         "rate\n\n";
  const Stream stream;
  std::vector<Result> results;
  std::vector<LengthResult> lengths;
  for (const CodecSettings& settings : all_codecs()) {
    if (!given.only.empty() && given.only != name_of(settings)) continue;
    for (const Experiment& experiment : experiments_for(settings, given)) {
      results.push_back(
          measure(experiment, static_cast<int>(given.passes), bytes_per_second, stream));
    }
    if (given.no_lengths || (settings.kind == CodecKind::kPfor && settings.pfor_levels != 1)) {
      continue;
    }
    for (const bool docids : {true, false}) {
      const auto some = measure_lengths(settings, docids, given, bytes_per_second, stream);
      lengths.insert(lengths.end(), some.begin(), some.end());
    }
  }
  print(results, std::cout);
  if (!lengths.empty()) {
    std::cout << '\n';
    print_lengths(lengths, std::cout);
  }
  bool right = true;
  for (const Result& result : results) right &= result.right;
  for (const LengthResult& result : lengths) right &= result.alone.right && result.many.right;
  if (!given.json.empty()) {
    JsonWriter json;
    json.begin_object();
    json.member("device", device_info(0).name);
    json.member("copy_gigabytes_per_second", bandwidth.gigabytes_per_second());
    json.begin_array("results");
    for (const Result& result : results) {
      json.begin_object();
      write(result, json);
      json.end_object();
    }
    json.end_array();
    json.begin_array("by_length");
    for (const LengthResult& result : lengths) {
      json.begin_object();
      json.member("length", std::uint64_t{result.length});
      json.begin_object("alone");
      write(result.alone, json);
      json.end_object();
      json.begin_object("many");
      write(result.many, json);
      json.end_object();
      json.end_object();
    }
    json.end_array();
    json.end_object();
    write_output(given.json, json.take() + "\n");
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace warpdex::tools

int main(int argc, char** argv) {
  try {
    return warpdex::tools::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_decode: " << error.what() << '\n';
    return 1;
  }
}
