// Products of signed bytes: a query's with those of groups of codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pq/code_groups.hpp"

namespace warpdex::vector {

/// One form for each of core's instruction sets; all give the same numbers.
/// out[32 g + v] = the product of vector v of group g < `groups` and the query, whose bytes are
/// padded with zeros to a multiple of 16. `codes` are groups as in CodeGroups. Exact for up to
/// 4,096 bytes a code.
using ByteProducts = void (*)(const std::uint8_t* codes, std::size_t groups,
                              const CodeGroups& layout, const std::int8_t* query,
                              std::int32_t* out);

/// The form for this processor.
void byte_products(const std::uint8_t* codes, std::size_t groups, const CodeGroups& layout,
                   const std::int8_t* query, std::int32_t* out);

/// For byte_products() and for tests; what this processor lacks must not be called.
void byte_products_baseline(const std::uint8_t* codes, std::size_t groups, const CodeGroups& layout,
                            const std::int8_t* query, std::int32_t* out);
#if defined(__x86_64__)
void byte_products_avx2(const std::uint8_t* codes, std::size_t groups, const CodeGroups& layout,
                        const std::int8_t* query, std::int32_t* out);
#endif

}  // namespace warpdex::vector
