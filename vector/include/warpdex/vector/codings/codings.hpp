// The codings of vectors: each is a folder, and has its lines here.
#pragma once

#include <cstdint>
#include <tuple>

#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

/// What vectors are compared by.
enum class CodingKind : std::uint8_t {
  kRows,    ///< the vectors themselves
  kPq,      ///< codes of a few bytes a vector
  kBinary,  ///< codes of a few bits a component
  kSq8,     ///< codes of a byte a component
};

/// In the order of CodingKind.
using Codings = std::tuple<RowCoding, PqCoding, BinaryCoding, Sq8Coding>;

/// Codes have a quantizer.
template <class Coding>
concept HasCodes = requires {
  typename Coding::Quantizer;
};

/// Codes whose vectors have terms for products as well as for squared distances.
template <class Coding>
concept HasProductTerms = requires {
  requires Coding::kHasProductTerms;
};

}  // namespace warpdex::vector
