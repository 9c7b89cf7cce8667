// Vectors under L1, L2 and the angle.
#include <array>
#include <cmath>
#include <string>

#include "distance/distance_kernels.hpp"
#include "metric/angle.hpp"
#include "metric/spaces.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::metric {
namespace {

using vector::kLanes;

/// In lanes, which the compiler can add side by side; the order is the same on every processor.
float l1(const float* x, const float* y, std::size_t dimension) {
  std::array<float, kLanes> sums{};
  std::size_t c = 0;
  for (; c + kLanes <= dimension; c += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) sums[l] += std::abs(x[c + l] - y[c + l]);
  }
  for (std::size_t l = 0; c < dimension; ++c, ++l) sums[l] += std::abs(x[c] - y[c]);
  double sum = 0;
  for (const float lane : sums) sum += double{lane};
  return static_cast<float>(sum);
}

class FromVector : public DistanceFrom {
 public:
  FromVector(const ObjectsView& view, std::span<const float> vector)
      : view_(view), padded_(vector.begin(), vector.end()) {
    padded_.resize(vector::padded(vector.size()));
  }

  float to(std::size_t object, float /*limit*/) override {
    const std::size_t dimension = view_.settings.dimension;
    const float* const row = view_.vectors.data() + object * dimension;
    float distance = 0;
    if (view_.settings.distance == DistanceKind::kL1) {
      distance = l1(padded_.data(), row, dimension);
    } else {
      vector::distance_kernels().l2_float(padded_.data(), dimension, row, dimension, 1, &distance);
      distance = std::sqrt(distance);
    }
    if (view_.settings.distance == DistanceKind::kAngular) {
      // Of unit vectors; precise for small angles, where the cosine is not.
      distance = angle_of_chord(distance);
    }
    // Overflow, or a damaged index.
    return std::isnan(distance) ? kNoLimit : distance;
  }

 private:
  const ObjectsView& view_;
  std::vector<float> padded_;
};

class VectorSpace : public ObjectSpace {
 public:
  explicit VectorSpace(const ObjectsView& view) : view_(view) {}
  std::size_t size() const override { return view_.objects; }

  std::unique_ptr<DistanceFrom> from_object(std::size_t object) const override {
    const std::size_t dimension = view_.settings.dimension;
    return std::make_unique<FromVector>(view_,
                                        view_.vectors.subspan(object * dimension, dimension));
  }

  std::vector<float> checked_vector(std::span<const float> vector) const override {
    if (vector.size() != view_.settings.dimension) {
      throw InputError("has " + std::to_string(vector.size()) +
                       " components, the vectors of the index " +
                       std::to_string(view_.settings.dimension));
    }
    std::vector<float> checked(vector.begin(), vector.end());
    if (view_.settings.distance == DistanceKind::kAngular && !scale_to_unit(checked)) {
      throw InputError("has length 0, and so no angle to others; leave it out");
    }
    return checked;
  }

  std::unique_ptr<DistanceFrom> from_vector(std::span<const float> vector) const override {
    return std::make_unique<FromVector>(view_, checked_vector(vector));
  }

 private:
  ObjectsView view_;
};

}  // namespace

bool scale_to_unit(std::span<float> vector) {
  double squares = 0;
  for (const float x : vector) squares += double{x} * double{x};
  if (squares == 0) return false;
  const double length = std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(double{x} / length);
  return true;
}

std::unique_ptr<ObjectSpace> make_vector_space(const ObjectsView& view) {
  return std::make_unique<VectorSpace>(view);
}

}  // namespace warpdex::metric
