// Uploads codes, section by section.
#include "pq/gpu/search/gpu_codes.hpp"

#include <algorithm>
#include <string>

#include "flat/gpu/products.hpp"
#include "lists/gpu/place_lists.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

/// Groups behind the last one: a panel takes four at a time.
constexpr std::size_t kGroupsOfPanel = kPanelRows / kGroupVectors;

/// The run that each component is in.
std::vector<std::uint32_t> find_parts(const ProductQuantizer& quantizer) {
  std::vector<std::uint32_t> parts(quantizer.coded_dimension());
  for (std::size_t part = 0; part < quantizer.parts(); ++part) {
    for (std::size_t c = quantizer.part_begin(part); c < quantizer.part_begin(part + 1); ++c) {
      parts[c] = static_cast<std::uint32_t>(part);
    }
  }
  return parts;
}

UnitCodes find_unit(const std::vector<std::uint32_t>& parts, std::size_t first, std::size_t bits,
                    const CodeGroups& layout) {
  const std::uint32_t parts_of_byte = bits == 8 ? 1 : 2;
  const std::uint32_t first_byte = parts[first] / parts_of_byte;
  UnitCodes unit{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::size_t word =
        std::min<std::size_t>(first_byte / 4 + i, layout.stored_bytes() / 4 - 1);
    const std::size_t width = layout.chunk_width(word / 4 * 16);
    unit.words[i] =
        static_cast<std::uint32_t>(layout.offset(0, word * 4) | width << UnitCodes::kWidthBits);
  }
  unit.words[0] |= first_byte % 4 << UnitCodes::kFirstByteBits;
  for (std::uint32_t i = 0; i < UnitCodes::kComponents; ++i) {
    const std::uint32_t part = parts[std::min(first + i, parts.size() - 1)];
    unit.bytes |= (part / parts_of_byte - first_byte) << (4 * i);
    unit.words[1 + i / 4] |= part % parts_of_byte << (UnitCodes::kOwnBits + i % 4);
  }
  return unit;
}

std::vector<UnitCodes> find_units(const ProductQuantizer& quantizer) {
  const std::vector<std::uint32_t> parts = find_parts(quantizer);
  std::vector<UnitCodes> units;
  for (std::size_t first = 0; first < parts.size(); first += UnitCodes::kComponents) {
    units.push_back(find_unit(parts, first, quantizer.bits, {quantizer.bytes}));
  }
  return units;
}

std::vector<std::uint16_t> round_books(const ProductQuantizer& quantizer, float scale) {
  std::vector<float> scaled(quantizer.codebooks.begin(), quantizer.codebooks.end());
  for (float& component : scaled) component *= scale;
  scaled.resize((quantizer.coded_dimension() + UnitCodes::kComponents - 1) /
                UnitCodes::kComponents * UnitCodes::kComponents * quantizer.codewords());
  std::vector<std::uint16_t> halves(scaled.size());
  to_half(scaled, halves.data());
  return halves;
}

/// The codes, and zeros behind them for the groups that the last panel may lack.
const std::uint8_t* place_groups(Arena& arena, std::span<const std::uint8_t> groups,
                                 std::size_t group_bytes, const Stream* stream) {
  const std::size_t spare = (kGroupsOfPanel - 1) * group_bytes;
  auto* const to = arena.take<std::uint8_t>(groups.size() + spare);
  if (stream == nullptr) return to;
  copy_to_gpu(to, groups.data(), groups.size(), *stream);
  check_cuda(cudaMemsetAsync(to + groups.size(), 0, spare, stream->handle()), "cudaMemsetAsync");
  return to;
}

}  // namespace

GpuCodes::GpuCodes(const Lists<PqCoding>& vectors, Resources& resources, std::size_t memory)
    : CodesOnGpu(vectors, resources, memory),
      bound_(CodeBound::of(vectors)),
      sizes_(sizes_of_largest(vectors.begins)),
      shared_memory_(device_info(device()).shared_memory_per_block) {
  codes_.lists = static_cast<std::uint32_t>(vectors.lists());
  codes_.dimension = static_cast<std::uint32_t>(vectors.quantizer.dimension);
  codes_.coded_dimension = static_cast<std::uint32_t>(vectors.quantizer.coded_dimension());
  codes_.bytes = static_cast<std::uint32_t>(vectors.quantizer.bytes);
  codes_.bits = static_cast<std::uint32_t>(vectors.quantizer.bits);
  codes_.is_l2 = vectors.metric == Metric::kL2;
  upload("codes", [this](Arena& arena, const Stream* stream) { lay_out(arena, stream); });
  codes_.centroids = centroids().rows();
}

void GpuCodes::lay_out(Arena& arena, const Stream* stream) {
  const ProductQuantizer& quantizer = host().quantizer;
  codes_.groups = place_groups(arena, host().codes, codes_.group_bytes(), stream);
  codes_.terms = place<float>(arena, host().terms, stream);
  codes_.row_numbers = place<std::uint32_t>(arena, host().row_numbers, stream);
  codes_.begins = place<std::uint32_t>(arena, host().begins, stream);
  codes_.group_begins = place<std::uint32_t>(arena, host().group_begins, stream);
  codes_.codebooks = place<float>(arena, quantizer.codebooks, stream);
  codes_.rotation = place<float>(arena, quantizer.rotation, stream);
  codes_.centre = place<float>(arena, host().centre, stream);
  half_books_ = place(arena, round_books(quantizer, bound_.scale), stream);
  units_ = place(arena, find_units(quantizer), stream);
}

std::size_t GpuCodes::max_rows(std::size_t probes) const {
  return std::max<std::size_t>(1, sizes_[std::min(probes, sizes_.size() - 1)]);
}

}  // namespace warpdex::vector
