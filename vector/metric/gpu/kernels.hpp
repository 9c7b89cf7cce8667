// The kernels of the search of objects and of their ranks: what each is given, and what it queues.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "metric/gpu/device_objects.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/select/selected_entry.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

struct ChoiceTask {
  const std::uint32_t* apart = nullptr;  ///< [q * stride + i] of object i
  std::uint64_t stride = 0;              ///< a multiple of 4
  std::uint32_t objects = 0;
  std::uint32_t bits = 0;           ///< of the largest distance of two permutations, 1 to 32
  std::uint32_t wanted = 0;         ///< 1 to objects
  std::uint32_t* chosen = nullptr;  ///< [q * wanted + ...]
};

/// Queues the choice, for each query, of the `wanted` objects that are the least apart, of equal
/// ones the first: their numbers, ascending. Larger distances than `bits` say, which damaged ranks
/// give, count as the largest. O(objects) a query.
void choose_similar(const ChoiceTask& task, std::uint32_t queries, const Stream& stream);

/// Distances of some queries to objects, as PairTask has them.
struct PairDistances {
  const float* values = nullptr;
  std::uint64_t stride = 0;
  const std::uint32_t* list = nullptr;  ///< null: the objects in order
  std::uint64_t list_stride = 0;
  std::uint32_t count = 0;
  std::uint32_t query_count = 0;
};

/// Queues the collection of all pairs of at most `radius`: `total` is how many there are, which may
/// be more than the `capacity` that are written, in any order. An entry's row is the query, its
/// code the bits of the distance, its id the object.
void collect_within(const PairDistances& distances, float radius, SelectedEntry* entries,
                    std::uint32_t capacity, unsigned long long* total, const Stream& stream);

struct ObjectRanksTask {
  const float* distances = nullptr;  ///< [p * stride + i] of object i to permutant p; no NaN
  std::uint64_t stride = 0;
  std::uint32_t objects = 0;
  std::uint32_t permutants = 0;           ///< up to kMaxPermutants
  const std::uint32_t* places = nullptr;  ///< object i's row, each once; null: row i
  std::uint8_t* rows = nullptr;           ///< as in Permutations; aligned to 16 bytes
};

/// Queues the ranking of the permutants for each object: its row as RankRow has it, to the bit.
void rank_objects(const ObjectRanksTask& task, const Stream& stream);

/// Permutations in GPU memory.
struct DeviceRanks {
  const std::uint8_t* rows = nullptr;  ///< of all objects, as in Permutations
  std::uint32_t objects = 0;
  std::uint32_t permutants = 0;

  std::uint32_t row_bytes() const {
    return static_cast<std::uint32_t>(rank_stride(permutants) * rank_bytes(permutants));
  }
};

/// Those of some queries: rows likewise, and with `permutants` entries each the permutants, nearest
/// first.
struct DeviceQueryRanks {
  std::uint8_t* rows = nullptr;
  std::uint16_t* order = nullptr;
  std::uint32_t count = 0;
};

/// Queues the ranking of permutants by distances[q * permutants + p], equal ones by number.
/// O(permutants^2) a query.
void rank_queries(const float* distances, std::uint32_t permutants, const DeviceQueryRanks& queries,
                  const Stream& stream);

/// Queues the comparison of all objects' permutations with those of queries: apart[q * stride + i]
/// is how far object i is from query q, as compare_ranks() has it. Not by kBits (DeviceRankCodes).
void compare_all_ranks(RankDistance distance, const DeviceRanks& ranks,
                       const DeviceQueryRanks& queries, std::uint32_t* apart, std::uint64_t stride,
                       const Stream& stream);

/// RankCodes in GPU memory. Immutable.
class DeviceRankCodes {
 public:
  /// Makes them of ranks that are there. Throws Error, which says how much is needed, where there
  /// is too little memory.
  DeviceRankCodes(const DeviceRanks& ranks, MemoryBudget& memory, int device);

  const vector::DeviceBinaryCodes& on_gpu() const { return codes_; }

 private:
  AccountedBuffer buffer_;
  vector::DeviceBinaryCodes codes_;
};

/// The codes of a block of queries.
class RankCodeQueries {
 public:
  /// For up to `queries` queries.
  RankCodeQueries(std::uint32_t permutants, std::size_t queries);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the comparison of all codes with those of the queries' ranks: apart[q * stride + i] is
  /// how far object i is from query q, as RankCodes::compare() has it.
  void compare(const vector::DeviceBinaryCodes& codes, const DeviceQueryRanks& queries,
               std::uint32_t* apart, std::uint64_t stride, const Stream& stream) const;

 private:
  std::uint32_t permutants_;
  std::size_t queries_;
  std::uint32_t* words_ = nullptr;
  float* weights_ = nullptr;
  float* bases_ = nullptr;
};

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
