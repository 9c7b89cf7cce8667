// Numbers the units of texts, packs them in groups, and uploads all.
#include "metric/gpu/gpu_objects.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "metric/utf8.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::metric {
namespace {

/// Code points, and the bytes that are no part of any.
constexpr std::size_t kCodePoints = std::size_t{kStrayByte} + 256;
constexpr std::size_t kMaxUnits = std::size_t{1} << 30;

/// Takes room for values and, where there is a stream, copies them there.
template <class Value>
const Value* place(Arena& arena, std::span<const Value> values, const Stream* stream) {
  Value* const taken = arena.take<Value>(values.size());
  if (stream != nullptr && !values.empty()) {
    copy_to_gpu(taken, values.data(), values.size(), *stream);
  }
  return taken;
}

}  // namespace

Alphabet::Alphabet(const TextsView& texts) : numbers_(kCodePoints, kUnknownUnit), units_(0) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string_view text = texts.text(i);
    while (!text.empty()) numbers_[take_code_point(text)] = 0;
  }
  for (std::uint32_t& number : numbers_) {
    if (number == 0) number = static_cast<std::uint32_t>(units_++);
  }
}

void Alphabet::encode(std::string_view text, std::vector<std::uint32_t>& units) const {
  units.clear();
  if (numbers_.empty()) {
    for (const char c : text) units.push_back(static_cast<unsigned char>(c));
    return;
  }
  while (!text.empty()) units.push_back(numbers_[take_code_point(text)]);
}

/// Texts as DeviceObjects has them.
struct GpuObjects::PackedTexts {
  std::vector<std::uint32_t> order;  ///< of kLevenshtein: objects by length, as groups lie
  std::vector<TextPlace> places;
  std::vector<std::uint8_t> groups;
  std::uint32_t longest = 0;
};

GpuObjects::PackedTexts GpuObjects::pack_texts() const {
  PackedTexts packed;
  const TextsView& texts = host_.texts;
  const std::size_t unit_bytes = alphabet_.is_wide() ? sizeof(std::uint32_t) : 1;
  const std::size_t group_bytes = kGroupUnits * unit_bytes;
  packed.order.resize(texts.size());
  std::iota(packed.order.begin(), packed.order.end(), 0U);
  std::stable_sort(packed.order.begin(), packed.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return texts.text(a).size() < texts.text(b).size();
  });
  packed.places.resize(texts.size());
  std::vector<std::uint32_t> units;
  for (const std::uint32_t i : packed.order) {
    alphabet_.encode(texts.text(i), units);
    if (units.size() > kMaxUnits) {
      throw Error("text " + std::to_string(i) + " is too long for the GPU; search on the CPU");
    }
    const std::size_t groups = (units.size() + kGroupUnits - 1) / kGroupUnits;
    const std::size_t begin = packed.groups.size();
    packed.groups.resize(begin + groups * group_bytes);
    std::uint8_t* to = packed.groups.data() + begin;
    for (const std::uint32_t unit : units) {
      std::memcpy(to, &unit, unit_bytes);  // little-endian
      to += unit_bytes;
    }
    const auto count = static_cast<std::uint32_t>(units.size());
    packed.places[i] = {begin / group_bytes, count};
    packed.longest = std::max(packed.longest, count);
  }
  return packed;
}

GpuObjects::GpuObjects(const ObjectsView& view, std::span<const std::uint32_t> permutants,
                       const Permutations& permutations, Resources& resources, std::size_t memory)
    : host_(view),
      device_(resources.device()),
      memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()) {
  const CurrentDevice current(device_);
  const DistanceKind distance = view.settings.distance;
  objects_.distance = distance;
  objects_.count = static_cast<std::uint32_t>(view.objects);
  objects_.dimension = static_cast<std::uint32_t>(view.settings.dimension);
  if (distance == DistanceKind::kLevenshtein && view.settings.unit == TextUnit::kCodePoints) {
    alphabet_ = Alphabet(view.texts);
  }
  objects_.is_wide = alphabet_.is_wide();
  const bool are_texts =
      distance == DistanceKind::kLevenshtein || distance == DistanceKind::kHamming;
  upload(are_texts ? pack_texts() : PackedTexts(), permutants, permutations);
}

void GpuObjects::upload(const PackedTexts& texts, std::span<const std::uint32_t> permutants,
                        const Permutations& permutations) {
  Arena measure(nullptr);
  copy_all(measure, texts, permutants, permutations, nullptr);
  if (!buffer_.allocate(measure.used(), memory_, device_)) {
    throw Error("these objects and their permutations need " +
                std::to_string((measure.used() >> 20) + 1) +
                " MiB of GPU memory, and room to search; give more, or search them on the CPU");
  }
  const Stream stream(device_);
  Arena arena(buffer_.data());
  copy_all(arena, texts, permutants, permutations, &stream);
  stream.synchronize();
}

void GpuObjects::copy_all(Arena& arena, const PackedTexts& texts,
                          std::span<const std::uint32_t> permutants,
                          const Permutations& permutations, const Stream* stream) {
  ranks_.objects = objects_.count;
  ranks_.permutants = static_cast<std::uint32_t>(permutants.size());
  ranks_.rows = place(arena,
                      std::span(static_cast<const std::uint8_t*>(permutations.ranks),
                                std::size_t{objects_.count} * ranks_.row_bytes()),
                      stream);
  permutants_ = place(arena, permutants, stream);
  if (objects_.distance == DistanceKind::kLevenshtein) {
    scan_order_ = place(arena, std::span<const std::uint32_t>(texts.order), stream);
  }
  objects_.longest = texts.longest;
  objects_.places = place(arena, std::span<const TextPlace>(texts.places), stream);
  objects_.groups = place(arena, std::span<const std::uint8_t>(texts.groups), stream);
  if (objects_.distance == DistanceKind::kJaccard) {
    objects_.set_begins = place(arena, host_.set_begins, stream);
    objects_.set_words = place(arena, host_.set_words, stream);
  }
  if (is_of_vectors(objects_.distance)) objects_.vectors = place(arena, host_.vectors, stream);
}

}  // namespace warpdex::metric
