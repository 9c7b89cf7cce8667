// Tables and JSON.
#include "benchmarks/decode_report.hpp"

#include <cstdio>
#include <utility>

#include "output/json.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::tools {
namespace {

std::string format(const char* pattern, double value) {
  char text[32];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
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

/// The members that begin the figures of a GPU.
void write_device(JsonWriter& json, double gigabytes_per_second) {
  json.member("device", device_info(0).name);
  json.member("copy_gigabytes_per_second", gigabytes_per_second);
}

}  // namespace

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

void print(const IndexResults& results, std::ostream& out) {
  out << results.index << ": " << counted(results.lists, "list") << " of two postings and more, "
      << counted(results.postings, "posting") << "\n\n";
  Table table({{"codec", Table::Align::kLeft},
               {"bits a docID"},
               {"frequency"},
               {"a core: docIDs, M/s"},
               {"frequencies"},
               {"GPU: docIDs, G/s"},
               {"frequencies"},
               {"both"},
               {"time/floor"},
               {"checksums"}});
  for (const IndexResult& one : results.codecs) {
    const double seconds = one.docids.seconds + one.frequencies.seconds;
    const double floor = one.docids.floor_seconds + one.frequencies.floor_seconds;
    table.add({one.docids.codec, format("%.3f", one.on_cpu.docid_bits),
               format("%.3f", one.on_cpu.frequency_bits), format("%.0f", one.on_cpu.docid_rate),
               format("%.0f", one.on_cpu.frequency_rate), format("%.1f", one.docids.rate()),
               format("%.1f", one.frequencies.rate()),
               format("%.1f", static_cast<double>(one.docids.postings) / seconds / 1e9),
               format("%.2f", seconds / floor),
               one.docids.right && one.frequencies.right ? "right" : "WRONG"});
  }
  table.print(out);
}

std::string to_json(const std::vector<Result>& results, const std::vector<LengthResult>& lengths,
                    double gigabytes_per_second) {
  JsonWriter json;
  json.begin_object();
  write_device(json, gigabytes_per_second);
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
  return json.take() + "\n";
}

std::string to_json(const IndexResults& results, double gigabytes_per_second) {
  JsonWriter json;
  json.begin_object();
  write_device(json, gigabytes_per_second);
  json.member("index", results.index);
  json.member("lists", std::uint64_t{results.lists});
  json.member("postings", results.postings);
  json.begin_array("codecs");
  for (const IndexResult& one : results.codecs) {
    json.begin_object();
    json.member("codec", one.docids.codec);
    json.member("bits_per_docid", one.on_cpu.docid_bits);
    json.member("bits_per_frequency", one.on_cpu.frequency_bits);
    json.member("cpu_docids_per_second", one.on_cpu.docid_rate * 1e6);
    json.member("cpu_frequencies_per_second", one.on_cpu.frequency_rate * 1e6);
    for (const auto& [name, result] :
         {std::pair{"docids", &one.docids}, {"frequencies", &one.frequencies}}) {
      json.begin_object(name);
      write(*result, json);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

}  // namespace warpdex::tools
