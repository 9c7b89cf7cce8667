// Trains a quantizer: its centre, scale and rotation, from the data and the settings. *XOR-Friendly
// Binary Quantization*, section 3.5.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

/// Throws UsageError for bits or a share out of range.
void check_binary(const BinarySettings& settings);

/// The centre is that of the rows or, where they have none, the mean of rows that are spread evenly
/// over all, some millions of components of them; the scale is such that the share `settings.clip`
/// of their components lies outside of it, once they are rotated and, for corrections, scaled to
/// length 1. The same for any number of threads. Memory: these components.
BinaryTraining train_binary(const FlatVectors& rows, const BinarySettings& settings);

/// The mean of such a sample.
std::vector<float> centre_of_sample(const VectorView& rows);

/// Sets `dimension` floats to a row less what is taken from it before it is encoded.
using SampledRow = std::function<void(std::size_t number, float* row)>;

/// The scale likewise, and the rotation, without a centre: `row_of` takes it away. Called by all
/// threads.
BinaryTraining train_scale(const VectorView& rows, const BinarySettings& settings,
                           const SampledRow& row_of);

/// The smallest value that at most the share `clip` of the values is above; 1 if that is 0 or
/// there are none. Values are not negative, and are put in another order.
float clipped_scale(std::span<float> values, double clip);

/// `dimension` rows of an orthogonal matrix that is drawn evenly of all.
std::vector<float> random_rotation(std::size_t dimension, std::uint64_t seed);

}  // namespace warpdex::vector
