// Checks of arguments.
#include "binary/check_depth.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

namespace {

void check_query_bits(std::size_t bits) {
  if (bits <= kMaxBinaryBits) return;
  throw UsageError("a query's component has 1 to " + std::to_string(kMaxBinaryBits) +
                   " bits, not " + std::to_string(bits));
}

}  // namespace

std::size_t check_list_depth(const BinaryQuantizer& quantizer, const SearchOptions& options) {
  check_query_bits(options.query_bits);
  if (options.extra > 0) {
    throw UsageError(
        "codes in lists have no extra distance; search without, or build an index of binary codes "
        "without lists");
  }
  return settled_query_bits(options.query_bits, quantizer.bits);
}

std::size_t check_depth(const BinaryVectors& vectors, const SearchOptions& options) {
  check_query_bits(options.query_bits);
  if (options.refine > 0 && !vectors.keeps_vectors()) {
    throw UsageError(
        "the index keeps no vectors to refine answers by; search without refining, or build it "
        "again with its vectors");
  }
  return settled_query_bits(options.query_bits, vectors.quantizer.bits);
}

std::size_t candidate_count(const SearchOptions& options, std::size_t k, std::size_t rows) {
  return std::min(std::max(k, options.refine), rows);
}

}  // namespace warpdex::vector
