// Product codes of vectors in lists.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// Owns what a quantizer of lists refers to.
struct TrainedCodes {
  std::size_t bytes = 0;
  std::size_t bits = 8;
  std::vector<float> codebooks;
  std::vector<float> rotation;  ///< or none

  ProductQuantizer quantizer(std::size_t dimension) const {
    return {dimension, bytes, bits, codebooks, rotation};
  }
  /// As searches of lists take it.
  ProductQuantizer of_queries(std::size_t dimension, std::span<const float> /*centre*/) const {
    return quantizer(dimension);
  }
};

/// A query is compared with the codes of the lists that it probes. *Billion-scale similarity search
/// with GPUs*, section 5 (IVFADC).
///
/// With q1 the centroid and y the decoded residual of a vector, |x - q1 - y|^2 is
/// |x - q1|^2 + (|y|^2 + 2 q1·y) - 2 x·y. The first term is one of the query and the list. The
/// second is kept with each vector, summed up. So the tables of the third depend on the query
/// alone, and are made once for all lists.
///
/// The product of a query and a vector is (x·q1 + x·y) times the vector's length over that of
/// q1 + y, the *length ratio*, which is kept as its term.
///
/// Such a distance is one sum in float, in the order that docs/vector.md has: it does not depend on
/// the processor, the number of threads or what else is in a batch. Answers are ranked by it, equal
/// ones by row.
struct PqCoding {
  static constexpr bool kHasProductTerms = true;
  using Quantizer = ProductQuantizer;
  using Trained = TrainedCodes;
  class ListScan;
  class GpuSearch;
  using ListSearch = CodeListSearch<PqCoding>;
};

}  // namespace warpdex::vector
