// warpdex_bench_decode: how fast the GPU decodes posting lists, to registers and to memory, by
// codec, by what is decoded, and by the length of lists (Table 1 and Figure 4 of Ding et al.),
// beside the time that reading the bytes takes; or the lists of an index, beside the CPU.
#include <algorithm>
#include <iostream>

#include "benchmarks/copy_bandwidth.hpp"
#include "benchmarks/decode_experiment.hpp"
#include "benchmarks/decode_report.hpp"
#include "collections/codec_comparison.hpp"
#include "collections/list_sample.hpp"
#include "options/options.hpp"
#include "output/output_file.hpp"
#include "output/text.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::tools {
namespace {

struct Arguments {
  std::string index;
  std::int64_t postings = 1 << 30;
  std::int64_t lists = 16;
  std::int64_t length = 1 << 20;
  std::int64_t passes = 7;
  std::string only;
  bool no_lengths = false;
  std::string json;
};

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

/// All codecs on the lists of an index. Returns whether all was decoded right.
bool measure_index(const Arguments& given, double gigabytes_per_second, const Stream& stream) {
  const Index index = Index::open(given.index);
  IndexResults results;
  results.index = given.index;
  const Comparison on_cpu = compare_codecs(index, {}, [](const std::string&) {});
  const ListSample all = read_lists(index);
  results.lists = all.lists();
  results.postings = all.docids.size();
  bool right = true;
  for (std::size_t i = 0; i < on_cpu.variants.size(); ++i) {
    const CodecSettings& settings = on_cpu.variants[i].settings;
    if (!given.only.empty() && given.only != name_of(settings)) continue;
    const auto decode = [&](bool docids) {
      const auto values = [&all, docids](std::size_t list) {
        const auto some = all.list(docids ? all.docids : all.frequencies, list);
        return std::vector<std::uint32_t>(some.begin(), some.end());
      };
      Result result = measure(MeasuredLists{settings, docids, docids, false, all.lists(), values,
                                            static_cast<std::uint64_t>(given.postings)},
                              static_cast<int>(given.passes), gigabytes_per_second * 1e9, stream);
      result.what = docids ? "docIDs" : "frequencies";
      result.lists = "of an index";
      right &= result.right;
      return result;
    };
    results.codecs.push_back({decode(true), decode(false), on_cpu.overall[i]});
  }
  print(results, std::cout);
  if (!given.json.empty()) write_output(given.json, to_json(results, gigabytes_per_second));
  return right;
}

/// Made-up lists. Returns whether all was decoded right.
bool measure_made(const Arguments& given, double gigabytes_per_second, const Stream& stream) {
  const double bytes_per_second = gigabytes_per_second * 1e9;
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
    write_output(given.json, to_json(results, lengths, gigabytes_per_second));
  }
  return right;
}

int run(const std::vector<std::string>& arguments) {
  Arguments given;
  CommandLine command("warpdex_bench_decode", "[options]",
                      "Decodes posting lists on the GPU: made-up ones, to registers and to memory, "
                      "or those of an index.");
  po::options_description group = option_group("Options");
  group.add_options()("index", po::value(&given.index)->value_name("DIR"),
                      "decode the lists of this index of text, and show what warpdex-lab codecs "
                      "finds on the CPU beside it. Default: made-up lists")(
      "postings", po::value(&given.postings),
      "to decode in one launch; lists are repeated. Default: 2^30, with --index 2^28")(
      "lists", po::value(&given.lists)->default_value(given.lists), "different made-up ones")(
      "length", po::value(&given.length)->default_value(given.length), "of a made-up list")(
      "passes", po::value(&given.passes)->default_value(given.passes), "timed")(
      "only", po::value(&given.only), "codec, such as pfor/1. Default: all")(
      "no-lengths", po::bool_switch(&given.no_lengths), "leave out the rates by list length")(
      "json", po::value(&given.json), "also write the figures there");
  command.add(group);
  if (!command.parse(arguments)) return 0;
  // Short lists take more memory than their postings.
  if (!given.index.empty() && !command.given("postings")) given.postings = 1 << 28;

  const double bandwidth = measure_copy_bandwidth().gigabytes_per_second();
  std::cout
      << device_info(0).to_string() << "\ncopy bandwidth: " << fixed(bandwidth, 0)
      << " GB/s; the floor is the time to read the bytes, and to write what is written, at that "
         "rate\n\n";
  const Stream stream;
  const bool right = given.index.empty() ? measure_made(given, bandwidth, stream)
                                         : measure_index(given, bandwidth, stream);
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
