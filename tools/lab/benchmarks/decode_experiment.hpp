// One measurement of the decode benchmark: lists, encoded, uploaded, decoded and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/synthetic_lists.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::tools {

/// What a measurement found.
struct Result {
  std::string codec;
  std::string what;
  std::string lists;
  std::uint64_t postings = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double floor_seconds = 0;
  bool right = false;

  double rate() const { return static_cast<double>(postings) / seconds / 1e9; }
};

/// What is measured once.
struct Experiment {
  CodecSettings settings;
  Distribution distribution;
  bool docids;
  bool bit_sets;
  std::size_t length;  ///< of a list
  std::size_t lists;   ///< different ones
  std::size_t postings;
  bool to_memory = false;  ///< whose writing is in the floor, too
};

/// "bitpack", "pfor/1".
std::string name_of(const CodecSettings& settings);

/// Lists that are measured: one codec, docIDs or values.
struct MeasuredLists {
  CodecSettings settings;
  bool docids;
  bool bit_sets;  ///< dense blocks of lists of a block and more
  bool to_memory;
  std::size_t count;
  std::function<std::vector<std::uint32_t>(std::size_t)> values;  ///< of each list; from any thread
  std::uint64_t postings;  ///< lists are repeated until there are about as many
};

/// Encodes lists on all threads, repeats them in GPU memory, and times launches that decode all.
/// Sets all but names of the result. `bytes_per_second` sets the floor.
Result measure(const MeasuredLists& lists, int passes, double bytes_per_second,
               const Stream& stream);

/// Of made-up lists.
Result measure(const Experiment& experiment, int passes, double bytes_per_second,
               const Stream& stream);

}  // namespace warpdex::tools
