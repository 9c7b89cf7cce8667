// True distances of pairs of a query and an object, to the bit of the CPU's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metric/gpu/device_objects.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::metric {

/// Memory for texts that are compared in bands, because the query has more than kBandUnits units.
struct BandScratch {
  std::uint32_t* steps = nullptr;
  std::size_t size = 0;  ///< words; 0 where no query of the task is so long
};

/// The words of BandScratch with which the GPU works at full speed; fewer will do, down to those
/// of one CTA.
std::size_t wanted_band_words(const DeviceObjects& objects);
std::size_t needed_band_words(const DeviceObjects& objects);

/// Queues the computation of all distances of the task.
void compute_distances(const PairTask& task, const BandScratch& bands, const Stream& stream);

/// The same, for texts under Levenshtein's distance; for texts and sets under the other distances
/// of theirs; for vectors.
void compute_levenshtein(const PairTask& task, const BandScratch& bands, const Stream& stream);
void compute_counts(const PairTask& task, const Stream& stream);
void compute_vectors(const PairTask& task, const Stream& stream);
/// The same for many queries and all objects by number: without a list. There must be rows of
/// queries up to a multiple of kQueriesOfTile.
void compute_vector_tiles(const PairTask& task, const Stream& stream);

}  // namespace warpdex::metric
