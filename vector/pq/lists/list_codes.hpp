// The codes of an inverted file: codebooks are trained on residuals, then all rows are encoded.
#pragma once

#include <cstddef>
#include <vector>

#include "lists/build/encoded_block.hpp"
#include "lists/build/list_groups.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::vector {

/// Components that codes are made of.
constexpr std::size_t coded_dimension(std::size_t dimension, const PqSettings& pq) {
  return pq.rotated_dimension == 0 ? dimension : pq.rotated_dimension;
}
/// Throws UsageError for bits or bytes that codes of so many components cannot have.
void check_codes(std::size_t dimension, const PqSettings& pq);
/// The default length of a code of so many components.
constexpr std::size_t default_code_bytes(std::size_t dimension) { return (dimension + 3) / 4; }
/// Checks the settings of codes of vectors and sets what they leave open. A rotation to as many
/// components is one without a number. Throws as check_codes() does, and UsageError for a rotation
/// to more.
void settle_codes(std::size_t dimension, PqSettings& pq);

/// Trains on the residuals of a sample of the rows. Memory: of residuals up to 256 MiB, with a
/// rotation up to 4 times. Throws what listeners throw.
TrainedCodes train_codes(const FlatVectors& rows, const IvfLists& lists, const IvfSettings& ivf,
                         const PqSettings& pq, BuildSteps& steps);

/// Encodes all groups and hands them on, some thousands at a time. Throws what `sink` and listeners
/// throw. The bytes depend neither on the number of threads nor on the processor that encodes.
void encode_list_codes(const FlatVectors& rows, const EncodingRules& rules,
                       const ListGroups& groups, std::size_t threads, BuildSteps& steps,
                       const BlockSink& sink);

}  // namespace warpdex::vector
