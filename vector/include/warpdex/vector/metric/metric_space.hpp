// A metric space: objects, numbered from 0, and the distance between them. Searches need only this
// interface.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace warpdex::metric {

inline constexpr float kNoLimit = std::numeric_limits<float>::infinity();

/// The distances of one object, a query perhaps, to those of a space. For one thread at a time.
class DistanceFrom {
 public:
  virtual ~DistanceFrom() = default;
  /// The distance to that object if it is at most `limit`, else any number above `limit`. Never
  /// NaN. `object` is below the space's size.
  virtual float to(std::size_t object, float limit = kNoLimit) = 0;
};

/// Any number of threads may use it at once.
class MetricSpace {
 public:
  virtual ~MetricSpace() = default;
  /// The number of objects.
  virtual std::size_t size() const = 0;
  /// The distances from one of its own objects; valid while the space lives.
  virtual std::unique_ptr<DistanceFrom> from_object(std::size_t object) const = 0;
};

/// A function that gives the distance of two objects of a type.
template <class D, class T>
concept DistanceOver = requires(const D& distance, const T& a, const T& b) {
  { distance(a, b) } -> std::convertible_to<float>;
};

/// A space of objects of any type under any distance. The answers of an index are good only if the
/// distance is a metric; those of an exact search are always right.
template <class T, DistanceOver<T> D>
class SpaceOf : public MetricSpace {
 public:
  /// The objects must outlive the space.
  SpaceOf(std::span<const T> objects, D distance)
      : objects_(objects), distance_(std::move(distance)) {}

  std::size_t size() const override { return objects_.size(); }
  std::unique_ptr<DistanceFrom> from_object(std::size_t object) const override {
    return from(objects_[object]);
  }
  /// The distances from a query, which is copied.
  std::unique_ptr<DistanceFrom> from(T query) const {
    return std::make_unique<From>(*this, std::move(query));
  }

 private:
  class From : public DistanceFrom {
   public:
    From(const SpaceOf& space, T query) : space_(space), query_(std::move(query)) {}
    float to(std::size_t object, float /*limit*/) override {
      return static_cast<float>(space_.distance_(query_, space_.objects_[object]));
    }

   private:
    const SpaceOf& space_;
    T query_;
  };

  std::span<const T> objects_;
  D distance_;
};

}  // namespace warpdex::metric
