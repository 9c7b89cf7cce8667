// The rows of one search, part by part: all at once where they lie in GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/workspace.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// A part of the rows, in GPU memory.
struct RowPage {
  DeviceRows rows;
  DeviceChoice choice;
};

/// Rows of a page where they are not resident and `bytes` of memory may be used: two pages take
/// half of it.
std::size_t choose_page_rows(const GpuRows& rows, std::size_t bytes);

/// Rows that a filter allows, in pages. While one page is searched the next is copied, through two
/// pinned buffers.
class RowPages {
 public:
  /// `filter` may be null. All must outlive it. Pages have `page_rows` rows; resident ones, all.
  RowPages(const GpuRows& rows, const RowFilter* filter, std::size_t page_rows);

  std::size_t pages() const { return pages_; }
  /// Rows that are allowed.
  std::size_t rows() const { return allowed_; }
  /// Of a page, at the most.
  std::size_t page_rows() const { return page_rows_; }

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);
  /// Starts the copy of a page, waiting for the host's part of it. What was in its half of the
  /// memory must have been searched.
  void start(std::size_t page, Workspace& workspace);
  /// The page, once work that `workspace.stream` gets from now on runs.
  RowPage get(std::size_t page, Workspace& workspace);

 private:
  /// Whether anything of a page must be copied to the GPU.
  bool is_copied() const { return is_filtered_ || !rows_.is_resident(); }
  void copy_choice(std::size_t page, Workspace& workspace);
  void copy_page(std::size_t page, Workspace& workspace);
  void fill(std::size_t first, std::size_t count, std::uint8_t* vectors, float* norms) const;

  const GpuRows& rows_;
  bool is_filtered_;
  std::vector<std::uint32_t> positions_;  ///< of allowed rows, if it is filtered
  std::vector<std::uint32_t> ids_;        ///< their numbers
  std::size_t allowed_;
  std::size_t page_rows_;
  std::size_t pages_;

  struct Memory {
    std::uint8_t* vectors = nullptr;
    float* norms = nullptr;
    std::uint32_t* positions = nullptr;
    std::uint32_t* ids = nullptr;
  };
  Memory memory_[2];

  struct Events {
    explicit Events(int device)
        : copied{Event(device, EventUse::kOrder), Event(device, EventUse::kOrder)},
          buffer_free{Event(device, EventUse::kOrder), Event(device, EventUse::kOrder)} {}

    Event copied[2];
    Event buffer_free[2];
  };
  std::optional<Events> events_;  ///< where anything is copied
};

}  // namespace warpdex::vector
