// What a coding says of its codes and queries where their products are whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpdex::vector {

/// A query on the host.
struct IntegerQuery {
  std::vector<std::uint32_t> words;  ///< of its code
  float weight = 0;                  ///< of products
  float shift = 0;                   ///< of what the coding has of a list, or of terms
  double largest = 0;  ///< what both count in a distance, as an absolute value, at the most
};

/// Those of a block in GPU memory, each behind the other.
struct IntegerQueries {
  std::uint32_t* words;
  std::uint32_t stride;  ///< words of a query, a multiple of 4
  float* weights;
  float* shifts;  ///< if the coding has some
  std::uint32_t count;
};

/// Made of the lists on the host, to which it refers. Has:
/// - Device, the codes in GPU memory: Queries, those of queries; is_l2, dimension, terms;
/// - kWhat, for messages; kHasShifts;
/// - place(arena, stream): the codes in GPU memory; queues their copies unless `stream` is null;
/// - query_bits(options), query_words(bits): of a query's code;
/// - encode(query, bits): an IntegerQuery; the query is prepared;
/// - queries(queries, bits): as kernels read them;
/// - suits_products(bits): whether the tensor cores can multiply the codes as bytes;
/// - pack(queries, codes, panels, stream): queues the making of the queries' panels of bytes.
/// There are kernels scan_list_codes(task, stream) and match_list_codes(task, stream).
template <class Coding>
class IntegerCodes;

}  // namespace warpdex::vector
