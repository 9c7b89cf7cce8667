// Packs texts in groups, sets by their words, vectors as they are.
#include "metric/gpu/object_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "metric/utf8.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::metric {
namespace {

constexpr std::size_t kMaxSteppedBytes = std::size_t{1} << 14;
constexpr std::size_t kMaxObjectBytes = std::size_t{1} << 20;

bool is_wide(const ObjectSettings& settings) {
  return settings.distance == DistanceKind::kLevenshtein && settings.unit == TextUnit::kCodePoints;
}

std::size_t groups_of(std::size_t units) { return (units + kGroupUnits - 1) / kGroupUnits; }

std::size_t group_bytes(const ObjectSettings& settings) {
  return kGroupUnits * (is_wide(settings) ? sizeof(std::uint32_t) : 1);
}

std::span<const std::uint32_t> set_of(const ObjectsView& view, std::size_t object) {
  const std::uint64_t begin = view.set_begins[object];
  return view.set_words.subspan(begin, view.set_begins[object + 1] - begin);
}

/// Bytes of a text or a set as it is.
std::size_t own_bytes(const ObjectsView& view, std::size_t object) {
  return view.settings.distance == DistanceKind::kJaccard ? set_of(view, object).size_bytes()
                                                          : view.texts.text(object).size();
}

/// What an object takes in an image, beside its entries in tables; at most.
std::size_t packed_bytes(const ObjectsView& view, std::size_t object) {
  if (is_of_vectors(view.settings.distance)) return view.settings.dimension * sizeof(float);
  if (is_left_to_cpu(view, object)) return 0;
  const std::size_t bytes = own_bytes(view, object);
  // A unit is a byte or more.
  return view.settings.distance == DistanceKind::kJaccard
             ? bytes
             : groups_of(bytes) * group_bytes(view.settings);
}

/// Where the parts of an image lie. Which there are depends on the distance.
struct ImageParts {
  ImageParts(const ObjectSettings& settings, std::size_t count, const void* image) {
    Arena arena(const_cast<void*>(image));
    if (settings.distance == DistanceKind::kJaccard) {
      set_begins = arena.take<std::uint64_t>(count + 1);
    } else if (!is_of_vectors(settings.distance)) {
      places = arena.take<TextPlace>(count);
    }
    if (settings.distance == DistanceKind::kLevenshtein) order = arena.take<std::uint32_t>(count);
    before = arena.used();
    packed = arena.take<std::uint8_t>(0);
  }
  TextPlace* places = nullptr;
  std::uint32_t* order = nullptr;
  std::uint64_t* set_begins = nullptr;
  std::uint8_t* packed = nullptr;  ///< the objects
  std::size_t before = 0;          ///< bytes before these
};

/// The objects of a block by the length of their texts, as threads of a warp wait for the longest
/// of theirs. O(objects).
void sort_by_length(const ObjectsView& view, const ObjectBlock& block, std::uint32_t* order) {
  const auto length = [&](std::size_t i) {
    const std::size_t object = block.first + i;
    return is_left_to_cpu(view, object) ? 0 : groups_of(view.texts.text(object).size());
  };
  std::vector<std::uint32_t> begins(groups_of(kMaxSteppedBytes) + 2);
  for (std::size_t i = 0; i < block.count; ++i) ++begins[length(i) + 1];
  for (std::size_t l = 1; l < begins.size(); ++l) begins[l] += begins[l - 1];
  for (std::size_t i = 0; i < block.count; ++i) {
    order[begins[length(i)]++] = static_cast<std::uint32_t>(i);
  }
}

/// Writes a text's units, and zeros up to the end of its last group. Returns their number.
std::size_t pack_text(std::string_view text, bool wide, std::uint8_t* to) {
  if (!wide) {
    std::copy(text.begin(), text.end(), to);
    std::fill(to + text.size(), to + groups_of(text.size()) * kGroupUnits, std::uint8_t{0});
    return text.size();
  }
  auto* const units = reinterpret_cast<std::uint32_t*>(to);
  std::size_t count = 0;
  while (!text.empty()) units[count++] = take_code_point(text);
  std::fill(units + count, units + groups_of(count) * kGroupUnits, 0U);
  return count;
}

std::size_t pack_texts(const ObjectsView& view, const ObjectBlock& block, const ImageParts& parts) {
  if (parts.order != nullptr) sort_by_length(view, block, parts.order);
  std::size_t group = 0;
  const std::size_t bytes = group_bytes(view.settings);
  for (std::size_t i = 0; i < block.count; ++i) {
    const std::size_t object = block.first + (parts.order != nullptr ? parts.order[i] : i);
    const std::string_view text =
        is_left_to_cpu(view, object) ? std::string_view() : view.texts.text(object);
    const std::size_t units = pack_text(text, is_wide(view.settings), parts.packed + group * bytes);
    parts.places[i] = {group, static_cast<std::uint32_t>(units), 0};
    group += groups_of(units);
  }
  return group * bytes;
}

std::size_t pack_sets(const ObjectsView& view, const ObjectBlock& block, const ImageParts& parts) {
  auto* const words = reinterpret_cast<std::uint32_t*>(parts.packed);
  std::uint64_t end = 0;
  parts.set_begins[0] = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    if (!is_left_to_cpu(view, block.first + i)) {
      const auto own = set_of(view, block.first + i);
      std::copy(own.begin(), own.end(), words + end);
      end += own.size();
    }
    parts.set_begins[i + 1] = end;
  }
  return end * sizeof(std::uint32_t);
}

}  // namespace

bool is_left_to_cpu(const ObjectsView& view, std::size_t object) {
  if (is_of_vectors(view.settings.distance)) return false;
  const bool steps = view.settings.distance == DistanceKind::kLevenshtein;
  return own_bytes(view, object) > (steps ? kMaxSteppedBytes : kMaxObjectBytes);
}

ObjectBlocks::ObjectBlocks(const ObjectsView& view, const BlockLimits& limits) : view_(view) {
  ObjectBlock block;
  const auto finish = [&] {
    max_objects_ = std::max(max_objects_, block.count);
    max_image_bytes_ =
        std::max(max_image_bytes_, ImageParts(view.settings, block.count, nullptr).before +
                                       aligned_piece(block.bytes));
    blocks_.push_back(block);
    block = {block.first + block.count, 0, 0};
  };
  const bool are_texts = !is_of_vectors(view.settings.distance);
  for (std::size_t object = 0; object < view.objects; ++object) {
    const std::size_t bytes = packed_bytes(view, object);
    const bool is_full = block.count >= limits.objects || block.bytes + bytes > limits.bytes;
    if (block.count > 0 && is_full) finish();
    ++block.count;
    block.bytes += bytes;
    if (!are_texts || is_left_to_cpu(view, object)) continue;
    longest_ = std::max(longest_, static_cast<std::uint32_t>(own_bytes(view, object)));
  }
  if (block.count > 0) finish();
}

std::size_t ObjectBlocks::fill(const ObjectBlock& block, void* image) const {
  const ImageParts parts(view_.settings, block.count, image);
  if (is_of_vectors(view_.settings.distance)) {
    const std::size_t dimension = view_.settings.dimension;
    std::memcpy(parts.packed, view_.vectors.data() + block.first * dimension, block.bytes);
    return parts.before + block.bytes;
  }
  const bool are_sets = view_.settings.distance == DistanceKind::kJaccard;
  return parts.before + (are_sets ? pack_sets : pack_texts)(view_, block, parts);
}

DeviceObjects ObjectBlocks::objects_at(const ObjectBlock& block, const void* image) const {
  const ImageParts parts(view_.settings, block.count, image);
  DeviceObjects objects;
  objects.distance = view_.settings.distance;
  objects.count = static_cast<std::uint32_t>(block.count);
  objects.groups = parts.packed;
  objects.places = parts.places;
  objects.is_wide = is_wide(view_.settings);
  objects.longest = longest_;
  objects.set_begins = parts.set_begins;
  objects.set_words = reinterpret_cast<const std::uint32_t*>(parts.packed);
  objects.vectors = reinterpret_cast<const float*>(parts.packed);
  objects.dimension = static_cast<std::uint32_t>(view_.settings.dimension);
  return objects;
}

const std::uint32_t* ObjectBlocks::order_of(const ObjectBlock& block, const void* image) const {
  return ImageParts(view_.settings, block.count, image).order;
}

}  // namespace warpdex::metric
