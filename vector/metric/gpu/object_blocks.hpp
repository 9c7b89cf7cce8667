// Objects in blocks, each laid out as kernels read it, for a build that sends them through a GPU;
// and the permutants that they are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/gpu/device_objects.hpp"

namespace warpdex::metric {

/// How large a block may become. It has one object at least.
struct BlockLimits {
  std::size_t objects = 0;
  std::size_t bytes = 0;  ///< of texts, sets or vectors
};

struct ObjectBlock {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t bytes = 0;  ///< of texts, sets or vectors, at most
};

/// Whether an object is left to the CPU: a text that one thread of a GPU would take seconds for
/// (Levenshtein: more than 16,384 bytes), or a text or set of more than 1 MiB. Blocks have it as
/// an empty one.
bool is_left_to_cpu(const ObjectsView& view, std::size_t object);

/// Immutable; any number of threads may fill blocks.
class ObjectBlocks {
 public:
  /// O(objects). `view` must outlive it.
  ObjectBlocks(const ObjectsView& view, const BlockLimits& limits);

  const std::vector<ObjectBlock>& blocks() const { return blocks_; }
  /// Of the largest block.
  std::size_t max_objects() const { return max_objects_; }
  std::size_t max_image_bytes() const { return max_image_bytes_; }

  /// Writes a block's image to `image`, aligned to 256 bytes. Returns its bytes. O(its bytes).
  std::size_t fill(const ObjectBlock& block, void* image) const;
  /// The block as kernels read it, where `image` is its image in GPU memory. Its objects are in
  /// the order of order_of().
  DeviceObjects objects_at(const ObjectBlock& block, const void* image) const;
  /// The place in the block of each object of objects_at(), in the image. Null: their own.
  const std::uint32_t* order_of(const ObjectBlock& block, const void* image) const;

 private:
  const ObjectsView& view_;
  std::vector<ObjectBlock> blocks_;
  std::size_t max_objects_ = 0;
  std::size_t max_image_bytes_ = 0;
  std::uint32_t longest_ = 0;  ///< bytes of the longest text that is not left to the CPU
};

/// Permutants as queries: the objects themselves, which are not checked or scaled again.
class PermutantImage {
 public:
  PermutantImage(const ObjectsView& view, std::span<const std::uint32_t> permutants);

  /// Whether one has more than kBandUnits units, of texts under Levenshtein's distance.
  bool has_long() const { return has_long_; }
  std::size_t bytes() const { return bytes_; }
  /// Writes them to `image`, aligned to 256 bytes.
  void write(void* image) const;
  /// Them as kernels read them, where `image` is in GPU memory. Vectors have rows of zeros behind
  /// them, up to a multiple of kQueriesOfTile.
  DeviceQueries queries_at(const void* image) const;

 private:
  DeviceQueries lay_out(const void* image, std::size_t& used) const;

  bool has_long_ = false;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> unknown_;
  std::vector<float> vectors_;
  std::size_t stride_ = 0;
};

}  // namespace warpdex::metric
