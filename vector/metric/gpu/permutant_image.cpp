// Permutants as queries of kernels.
#include <algorithm>
#include <cstring>

#include "distance/distance_kernels.hpp"
#include "metric/gpu/object_blocks.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::metric {
namespace {

template <class Value>
void copy_part(Value* to, const std::vector<Value>& values) {
  if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(Value));
}

/// The bytes of a text, in whole groups filled up with zeros.
void append_groups(std::string_view text, std::vector<std::uint32_t>& values) {
  const std::size_t groups = (text.size() + kGroupUnits - 1) / kGroupUnits;
  const std::size_t begin = values.size();
  values.resize(begin + groups * kGroupUnits / sizeof(std::uint32_t));
  if (!text.empty()) std::memcpy(values.data() + begin, text.data(), text.size());
}

}  // namespace

PermutantImage::PermutantImage(const ObjectsView& view, std::span<const std::uint32_t> permutants) {
  const ObjectSettings& settings = view.settings;
  if (is_of_vectors(settings.distance)) {
    stride_ = vector::padded(settings.dimension);
    vectors_.resize((permutants.size() + kQueriesOfTile - 1) / kQueriesOfTile * kQueriesOfTile *
                    stride_);
    for (std::size_t p = 0; p < permutants.size(); ++p) {
      const auto row = view.vectors.subspan(permutants[p] * settings.dimension, settings.dimension);
      std::copy(row.begin(), row.end(),
                vectors_.begin() + static_cast<std::ptrdiff_t>(p * stride_));
    }
  } else {
    begins_.push_back(0);
    for (const std::uint32_t object : permutants) {
      if (settings.distance == DistanceKind::kJaccard) {
        const std::uint64_t begin = view.set_begins[object];
        const auto words = view.set_words.subspan(begin, view.set_begins[object + 1] - begin);
        values_.insert(values_.end(), words.begin(), words.end());
      } else if (settings.distance == DistanceKind::kHamming) {
        append_groups(view.texts.text(object), values_);
      } else {
        const std::vector<char32_t> units = text_units(view.texts.text(object), settings.unit);
        values_.insert(values_.end(), units.begin(), units.end());
        has_long_ = has_long_ || units.size() > kBandUnits;
      }
      begins_.push_back(values_.size());
    }
    unknown_.resize(permutants.size());
  }
  lay_out(nullptr, bytes_);
}

DeviceQueries PermutantImage::queries_at(const void* image) const {
  std::size_t used = 0;
  return lay_out(image, used);
}

DeviceQueries PermutantImage::lay_out(const void* image, std::size_t& used) const {
  Arena arena(const_cast<void*>(image));
  DeviceQueries queries;
  queries.begins = arena.take<std::uint64_t>(begins_.size());
  queries.values = arena.take<std::uint32_t>(values_.size());
  queries.unknown = arena.take<std::uint32_t>(unknown_.size());
  queries.vectors = arena.take<float>(vectors_.size());
  queries.stride = static_cast<std::uint32_t>(stride_);
  used = arena.used();
  return queries;
}

void PermutantImage::write(void* image) const {
  const DeviceQueries parts = queries_at(image);
  copy_part(const_cast<std::uint64_t*>(parts.begins), begins_);
  copy_part(const_cast<std::uint32_t*>(parts.values), values_);
  copy_part(const_cast<std::uint32_t*>(parts.unknown), unknown_);
  copy_part(const_cast<float*>(parts.vectors), vectors_);
}

}  // namespace warpdex::metric
