// Reports the results of a benchmark of queries, for people and for scripts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "bench/bench_measure.hpp"
#include "search/timing.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::tools {

/// All that a report says.
struct BenchReport {
  std::string index;
  std::uint64_t documents = 0;  ///< live ones
  std::uint64_t terms = 0;      ///< of all segments, added up
  std::uint64_t postings = 0;   ///< likewise
  std::uint64_t segments = 1;
  std::uint64_t deleted_documents = 0;  ///< that are in segments still
  IndexSettings index_settings;
  std::string queries_file;
  std::size_t queries = 0;
  double terms_per_query = 0;
  double postings_per_query = 0;
  double bytes_per_query = 0;  ///< encoded lists; short ones aside
  BenchSettings settings;
  std::string device = "cpu";  ///< or the GPU's name
  bool is_resident = true;     ///< all lists are in GPU memory for good
  std::size_t gpu_memory = 0;  ///< bytes that the index takes
  Measurement measurement;

  bool is_gpu() const { return device != "cpu"; }
  /// Queries of all timed passes.
  std::size_t timed_queries() const { return queries * settings.repetitions; }
  /// Over the wall time of all timed passes.
  double queries_per_second() const {
    return static_cast<double>(timed_queries()) / measurement.seconds;
  }
  /// Of the samples.
  Latency latency() const { return summarise(measurement.samples); }
};

/// Where a sample begins and ends, and what lies outside; for people.
const char* timed_region(const BenchReport& report);

/// Microseconds a query of a stage, a GpuStage's number.
double stage_time(const BenchReport& report, std::size_t stage);

/// Of a stage's cycles, those of each phase; all 0 if there were none.
std::array<double, kGpuPhases> shares_of(const PhaseCycles& cycles);

void print_report(const BenchReport& report, std::ostream& out);

std::string to_json(const BenchReport& report);

}  // namespace warpdex::tools
