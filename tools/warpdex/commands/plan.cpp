// warpdex plan: what an index of a collection will take, from the collection's size.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "command.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Estimates the bytes of an index from the size of its collection, how many GPUs hold them, "
    "and,\n"
    "where one does, how fast it answers. Measure your own collection before you rely on it.";

constexpr const char* kNotes =
    "Figures are those of docs/codecs.md, without texts, ids and positions: bits a posting of\n"
    "Wikipedia in random order, and OR with k 10 over 25.2 million documents on an H100. A GPU\n"
    "holds 0.9 of its memory less 4 GB. Text is searched by one GPU: a larger index keeps part of\n"
    "its lists in the host's memory (docs/gpu.md), or is searched in parts by CPUs\n"
    "(docs/cluster.md).\n"
    "\n"
    "example (ClueWeb12):\n"
    "  warpdex plan --documents 731645161 --postings-per-document 293";

struct CodecFigures {
  const char* name;
  double bits;      ///< a posting
  double or_10_us;  ///< a query, over kMeasuredDocuments
};
constexpr std::array<CodecFigures, 3> kCodecs{
    {{"bitpack", 14.24, 3.30}, {"pfor", 11.86, 5.15}, {"rice", 10.89, 4.68}}};
constexpr double kMeasuredDocuments = 25.2e6;
/// How time grows with documents, at least: OR with k 1000 from 5 to 25.2 million. At most: as
/// they.
constexpr double kMinGrowth = 0.59;

struct Estimate {
  const char* codec;
  std::uint64_t index = 0;   ///< bytes
  std::uint64_t memory = 0;  ///< of a GPU: lengths of documents take two bytes more
  std::uint64_t gpus = 0;
  double min_us = 0;  ///< a query of a batch, where one GPU holds the index
  double max_us = 0;
};

Estimate estimate(const CodecFigures& codec, double documents, double postings, double usable) {
  Estimate found{.codec = codec.name};
  found.index = static_cast<std::uint64_t>(std::ceil(postings * codec.bits / 8));
  found.memory = found.index + 2 * static_cast<std::uint64_t>(documents);
  found.gpus = static_cast<std::uint64_t>(std::ceil(static_cast<double>(found.memory) / usable));
  const double factor = documents / kMeasuredDocuments;
  const double least = std::pow(factor, kMinGrowth);
  found.min_us = codec.or_10_us * std::min(factor, least);
  found.max_us = codec.or_10_us * std::max(factor, least);
  return found;
}

void show(const std::vector<Estimate>& estimates) {
  Table table(
      {{"codec", Table::Align::kLeft}, {"index"}, {"GPU memory"}, {"GPUs"}, {"OR 10, µs a query"}});
  for (const Estimate& each : estimates) {
    table.add({each.codec, bytes_text(each.index), bytes_text(each.memory), grouped(each.gpus),
               each.gpus > 1 ? "" : fixed(each.min_us, 1) + " to " + fixed(each.max_us, 1)});
  }
  table.print(std::cout);
}

void write(const std::vector<Estimate>& estimates, const std::string& file) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("codecs");
  for (const Estimate& each : estimates) {
    json.begin_object();
    json.member("codec", each.codec);
    json.member("index_bytes", each.index);
    json.member("gpu_bytes", each.memory);
    json.member("gpus", each.gpus);
    if (each.gpus == 1) {
      json.member("or_10_min_us", each.min_us);
      json.member("or_10_max_us", each.max_us);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  write_output(file, json.take() + "\n");
}

/// Bytes of a GPU that an index may take. Throws UsageError where it is none.
double usable_memory(const std::string& size) {
  const double usable = 0.9 * static_cast<double>(parse_size("--gpu-memory", size)) - 4e9;
  if (usable <= 0) throw UsageError("--gpu-memory takes 4.5GB or more, not " + size);
  return usable;
}

}  // namespace

int run_plan(const std::vector<std::string>& arguments) {
  std::uint64_t documents = 0;
  double postings = 0;
  std::string gpu_memory = "83.8GB";
  std::string file;
  CommandLine command("plan", "--documents N --postings-per-document X [options]", kAbout, kNotes);
  po::options_description options = option_group("Options");
  options.add_options()("documents", po::value(&documents)->value_name("N")->required(),
                        "documents of the collection")(
      "postings-per-document", po::value(&postings)->value_name("X")->required(),
      "different words of a document, on average: 'warpdex stats' of a sample tells postings; of "
      "web "
      "pages half of the tokens")(
      "gpu-memory", po::value(&gpu_memory)->value_name("SIZE")->default_value(gpu_memory),
      "of one GPU, as 'warpdex devices' tells; the default is an H100's");
  add_json_option(options, "estimates", &file);
  command.add(options);
  if (!command.parse(arguments)) return 0;
  if (documents < 1 || documents > std::uint64_t{1} << 50) {
    throw UsageError("--documents takes 1 to 2^50, not " + std::to_string(documents));
  }
  if (!(postings > 0 && postings <= 1e6)) {
    throw UsageError("--postings-per-document takes more than 0 and up to 1000000");
  }
  const double usable = usable_memory(gpu_memory);
  std::vector<Estimate> estimates;
  const auto count = static_cast<double>(documents);
  for (const CodecFigures& codec : kCodecs) {
    estimates.push_back(estimate(codec, count, count * postings, usable));
  }
  if (file != "-") show(estimates);
  if (!file.empty()) write(estimates, file);
  return 0;
}

}  // namespace warpdex::tools
