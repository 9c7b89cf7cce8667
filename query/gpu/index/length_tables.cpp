// Makes two passes over the lengths of each field, tile by tile: the first counts the long
// documents of each group, the second writes the tables.
#include "gpu/index/length_tables.hpp"

#include <algorithm>
#include <utility>

#include "gpu/layout/layout.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kGroupsOfTile = kTileDocuments / kLengthGroup;
static_assert(kGroupsOfTile * kLengthGroup == kTileDocuments);

std::size_t groups_of(std::size_t lengths) { return (lengths + kLengthGroup - 1) / kLengthGroup; }

std::span<const std::uint32_t> group_of(std::span<const std::uint32_t> lengths, std::size_t group) {
  const std::size_t begin = group * kLengthGroup;
  return lengths.subspan(begin, std::min<std::size_t>(kLengthGroup, lengths.size() - begin));
}

bool is_long(std::uint32_t length) { return encode_length(length) >= kLongCode; }

/// Writes the lengths of a group, which is number `group` of all fields together.
void write_group(std::span<const std::uint32_t> lengths, std::size_t group, LengthTables& tables) {
  std::size_t place = group * kLengthGroup;
  std::uint32_t long_documents = 0;
  for (const std::uint32_t length : lengths) {
    const std::uint8_t code = encode_length(length);
    tables.codes[place] = code;
    std::uint32_t rest = length - decode_length(code);
    if (code >= kLongCode) {
      tables.long_lengths[tables.long_bases[group] + long_documents] = length;
      rest = long_documents++;
    }
    tables.remainders[place++] = static_cast<std::uint8_t>(rest);
  }
}

/// Calls function(group) for each group; one thread takes the groups of a tile.
template <class Function>
void for_each_group(std::size_t groups, const Function& function) {
  const std::size_t tiles = (groups + kGroupsOfTile - 1) / kGroupsOfTile;
  parallel_for(0, tiles, [&](std::size_t, std::size_t tile) {
    const std::size_t begin = tile * kGroupsOfTile;
    const std::size_t end = std::min(begin + kGroupsOfTile, groups);
    for (std::size_t group = begin; group < end; ++group) function(group);
  });
}

}  // namespace

LengthTables make_length_tables(std::span<const std::span<const std::uint32_t>> fields) {
  const std::size_t documents = fields[0].size();
  const std::size_t groups = groups_of(documents);
  const std::size_t stride = (documents + kTileDocuments - 1) / kTileDocuments * kTileDocuments;
  const std::size_t before = (fields.size() - 1) * stride;  // places of all fields but the last
  LengthTables tables;
  tables.field_stride = static_cast<std::uint32_t>(stride);
  tables.codes.resize(before + stride);
  tables.remainders.resize(before + documents);
  tables.long_bases.resize(before / kLengthGroup + groups);
  const auto for_each = [&](const auto& use) {
    for (std::size_t field = 0; field < fields.size(); ++field) {
      for_each_group(groups, [&](std::size_t group) {
        use(group_of(fields[field], group), field * stride / kLengthGroup + group);
      });
    }
  };
  for_each([&](std::span<const std::uint32_t> lengths, std::size_t group) {
    tables.long_bases[group] = static_cast<std::uint32_t>(std::ranges::count_if(lengths, is_long));
  });
  std::uint32_t all = 0;
  for (std::uint32_t& base : tables.long_bases) all += std::exchange(base, all);
  tables.long_lengths.resize(all);
  for_each([&](std::span<const std::uint32_t> lengths, std::size_t group) {
    write_group(lengths, group, tables);
  });
  for (const auto& lengths : fields) {
    for (const std::uint32_t length : lengths) tables.longest = std::max(tables.longest, length);
  }
  return tables;
}

LengthTables make_length_tables(const Index& index) {
  std::vector<std::span<const std::uint32_t>> fields;
  for (std::size_t i = 0; i < index.texts(); ++i) fields.push_back(index.lengths(i));
  return make_length_tables(fields);
}

}  // namespace warpdex::gpu
