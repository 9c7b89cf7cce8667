// Groups of rows on their way to a GPU that encodes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lists/build/gpu/gpu_builder.hpp"
#include "lists/build/list_groups.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// What of a block of groups the host sends: for each group its rows, 32 places, then the list of
/// each group, then how many rows each has.
struct BlockInput {
  BlockInput(void* memory, std::size_t groups, std::size_t dimension)
      : rows(static_cast<float*>(memory)),
        lists(reinterpret_cast<std::uint32_t*>(rows + groups * kGroupVectors * dimension)),
        sizes(lists + groups) {}

  static std::size_t bytes(std::size_t groups, std::size_t dimension) {
    return groups * (kGroupVectors * dimension * sizeof(float) + 2 * sizeof(std::uint32_t));
  }

  float* rows;
  std::uint32_t* lists;
  std::uint32_t* sizes;
};

/// Fills a block's memory with the rows of its groups. Places without a row keep what they had.
inline void fill_block(const VectorView& rows, const ListGroups& groups, std::size_t first,
                       std::size_t count, void* memory) {
  const BlockInput input(memory, count, rows.dimension);
  std::vector<std::span<const std::uint32_t>> members(count);
  groups.for_each(first, first + count, [&](std::size_t group, std::size_t list, auto own) {
    members[group - first] = own;
    input.lists[group - first] = static_cast<std::uint32_t>(list);
    input.sizes[group - first] = static_cast<std::uint32_t>(own.size());
  });
  const std::size_t group_floats = kGroupVectors * rows.dimension;
  copy_in_parallel(count, group_floats * sizeof(float), [&](std::size_t group) {
    for (std::size_t i = 0; i < members[group].size(); ++i) {
      copy_row(rows, members[group][i], input.rows + group * group_floats + i * rows.dimension);
    }
  });
}

}  // namespace warpdex::vector
