// The residuals of a block of vectors in GPU memory, rotated where there is a rotation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "distance/distance_kernels.hpp"
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

class RotatedResiduals {
 public:
  /// `rotation` is empty, or `dimension` rows or fewer; it must outlive this.
  RotatedResiduals(std::span<const float> rotation, std::uint32_t dimension)
      : rotation_(rotation),
        dimension_(dimension),
        stride_(static_cast<std::uint32_t>(padded(dimension))) {}

  /// Takes memory for that many residuals, of which as many as `room` have room before they are
  /// rotated; or measures it.
  void lay_out(Arena& arena, std::size_t count, std::size_t room) {
    residuals_ = arena.take<float>(std::max(count, room) * stride_);
    if (rotation_.empty()) return;
    on_gpu_ = arena.take<float>(rotation_.size());
    rotated_ = arena.take<float>(count * stride_);
  }
  void upload(const Stream& stream) const {
    if (is_rotated()) copy_to_gpu(on_gpu_, rotation_.data(), rotation_.size(), stream);
  }

  /// Queues the subtraction, whose `out` and `stride` are set here, and the rotation; returns the
  /// vectors.
  const float* find(SubtractTask task, const Stream& stream) const {
    task.out = residuals_;
    task.stride = stride_;
    subtract_rows(task, stream);
    if (!is_rotated()) return residuals_;
    rotate(residuals_, task.count, rotated_, stream);
    return rotated_;
  }
  /// Queues the rotation of other vectors.
  void rotate(const float* rows, std::uint32_t count, float* out, const Stream& stream) const {
    const auto size = static_cast<std::uint32_t>(rotation_.size());
    rotate_rows(rows, count, stride_, {on_gpu_, dimension_, size / dimension_}, out, stream);
  }

  bool is_rotated() const { return !rotation_.empty(); }
  std::uint32_t stride() const { return stride_; }  ///< floats from one to the next
  float* residuals() const { return residuals_; }   ///< not rotated

 private:
  std::span<const float> rotation_;
  std::uint32_t dimension_;
  std::uint32_t stride_;
  float* residuals_ = nullptr;
  float* rotated_ = nullptr;
  float* on_gpu_ = nullptr;  ///< the rotation
};

}  // namespace warpdex::vector
