// What the decode benchmark prints and writes.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "benchmarks/decode_experiment.hpp"
#include "collections/codec_comparison.hpp"

namespace warpdex::tools {

/// Rates by list length: one list alone, and as many as make up a number of postings.
struct LengthResult {
  Result alone;
  Result many;
  std::size_t length;
};

/// One codec on the lists of an index.
struct IndexResult {
  Result docids;
  Result frequencies;
  CodecFigures on_cpu;
};

/// Lists of an index, by all codecs.
struct IndexResults {
  std::string index;
  std::size_t lists = 0;       ///< of two postings and more
  std::uint64_t postings = 0;  ///< of them
  std::vector<IndexResult> codecs;
};

void print(const std::vector<Result>& results, std::ostream& out);
void print_lengths(const std::vector<LengthResult>& results, std::ostream& out);
void print(const IndexResults& results, std::ostream& out);

/// JSON of all that was measured, with the GPU's name and its copy bandwidth.
std::string to_json(const std::vector<Result>& results, const std::vector<LengthResult>& lengths,
                    double gigabytes_per_second);
std::string to_json(const IndexResults& results, double gigabytes_per_second);

}  // namespace warpdex::tools
