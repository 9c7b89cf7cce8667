// Encodes queries as DeviceQueries has them.
#include "metric/gpu/query_image.hpp"

#include <algorithm>
#include <cstring>

#include "distance/distance_kernels.hpp"
#include "metric/spaces.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::metric {
namespace {

template <class Value>
void copy_into(const void* to, const std::vector<Value>& values) {
  if (values.empty()) return;
  std::memcpy(const_cast<void*>(to), values.data(), values.size() * sizeof(Value));
}

}  // namespace

QueryImage::QueryImage(const GpuObjects& objects, const ObjectSpace& space,
                       const QueryObjects& queries)
    : distance_(objects.on_gpu().distance), count_(queries.size(objects.host().settings)) {
  if (is_of_vectors(distance_)) {
    const std::size_t dimension = objects.host().settings.dimension;
    stride_ = vector::padded(dimension);
    vectors_.resize(count_ * stride_);
    for (std::size_t q = 0; q < count_; ++q) {
      const std::vector<float> own =
          space.checked_vector(queries.vectors.subspan(q * dimension, dimension));
      std::copy(own.begin(), own.end(),
                vectors_.begin() + static_cast<std::ptrdiff_t>(q * stride_));
    }
    return;
  }
  begins_.push_back(0);
  for (const std::string_view text : queries.texts) {
    space.check_text(text);
    add_text(objects, text);
    begins_.push_back(values_.size());
  }
}

void QueryImage::add_text(const GpuObjects& objects, std::string_view text) {
  if (distance_ == DistanceKind::kJaccard) {
    const QuerySet set = query_set(objects.host(), text);
    values_.insert(values_.end(), set.words.begin(), set.words.end());
    unknown_.push_back(static_cast<std::uint32_t>(set.unknown));
  } else if (distance_ == DistanceKind::kHamming) {
    const std::size_t groups = (text.size() + kGroupUnits - 1) / kGroupUnits;
    const std::size_t begin = values_.size();
    values_.resize(begin + groups * kGroupUnits / sizeof(std::uint32_t));
    if (!text.empty()) std::memcpy(values_.data() + begin, text.data(), text.size());
  } else {
    std::vector<std::uint32_t> units;
    objects.alphabet().encode(text, units);
    has_long_ = has_long_ || units.size() > kBandUnits;
    values_.insert(values_.end(), units.begin(), units.end());
  }
}

DeviceQueries QueryImage::lay_out(void* begin, std::size_t& used) const {
  Arena arena(begin);
  DeviceQueries queries;
  queries.begins = arena.take<std::uint64_t>(begins_.size());
  queries.values = arena.take<std::uint32_t>(values_.size());
  queries.unknown = arena.take<std::uint32_t>(unknown_.size());
  queries.vectors = arena.take<float>(vectors_.size());
  queries.stride = static_cast<std::uint32_t>(stride_);
  used = arena.used();
  return queries;
}

std::size_t QueryImage::bytes() const {
  std::size_t used = 0;
  lay_out(nullptr, used);
  return used;
}

void QueryImage::send(void* pinned, void* on_gpu, const Stream& stream) {
  std::size_t used = 0;
  const DeviceQueries host = lay_out(pinned, used);
  copy_into(host.begins, begins_);
  copy_into(host.values, values_);
  copy_into(host.unknown, unknown_);
  copy_into(host.vectors, vectors_);
  sent_ = lay_out(on_gpu, used);
  copy_to_gpu(static_cast<std::uint8_t*>(on_gpu), static_cast<const std::uint8_t*>(pinned), used,
              stream);
}

DeviceQueries QueryImage::from(std::size_t first) const {
  DeviceQueries queries = sent_;
  // `begins` count from the first of all values.
  queries.begins += first;
  if (queries.unknown != nullptr) queries.unknown += first;
  queries.vectors += first * stride_;
  return queries;
}

}  // namespace warpdex::metric
