// Collects the rows that are allowed, and copies them to the GPU where they are not there.
#include "flat/gpu/row_pages.hpp"

#include <algorithm>
#include <cstring>

#include "flat/allowed.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of a pinned buffer, of which there are two.
constexpr std::size_t kPageBufferBytes = std::size_t{32} << 20;

}  // namespace

std::size_t choose_page_rows(const GpuRows& rows, std::size_t bytes) {
  const std::size_t row = rows.row_bytes() + sizeof(std::uint32_t);
  return std::clamp<std::size_t>(bytes / 4 / row, std::min<std::size_t>(1024, rows.count()),
                                 rows.count());
}

RowPages::RowPages(const GpuRows& rows, const RowFilter* filter, std::size_t page_rows)
    : rows_(rows), is_filtered_(filter != nullptr), allowed_(rows.count()) {
  if (is_copied()) events_.emplace(rows.device());
  const FlatVectors& host = rows.host();
  if (is_filtered_) {
    std::size_t position = next_allowed(host, filter, 0, rows.count());
    for (; position < rows.count();
         position = next_allowed(host, filter, position + 1, rows.count())) {
      positions_.push_back(static_cast<std::uint32_t>(position));
      ids_.push_back(host.row_number(position));
    }
    allowed_ = positions_.size();
  }
  page_rows_ = rows.is_resident() ? allowed_ : std::min(allowed_, page_rows);
  pages_ = allowed_ == 0 ? 0 : (allowed_ - 1) / page_rows_ + 1;
}

void RowPages::lay_out(Arena& arena) {
  for (Memory& memory : memory_) {
    if (!rows_.is_resident()) {
      memory.vectors = arena.take<std::uint8_t>(page_rows_ * (rows_.row_bytes() - sizeof(float)));
      memory.norms = arena.take<float>(page_rows_);
    }
    if (is_filtered_ && rows_.is_resident()) {
      memory.positions = arena.take<std::uint32_t>(page_rows_);
    }
    if (is_filtered_ || (!rows_.is_resident() && !rows_.host().row_numbers.empty())) {
      memory.ids = arena.take<std::uint32_t>(page_rows_);
    }
    if (rows_.is_resident()) break;  // there is one page
  }
}

void RowPages::start(std::size_t page, Workspace& workspace) {
  if (page >= pages_ || !is_copied()) return;
  copy_choice(page, workspace);
  if (!rows_.is_resident()) copy_page(page, workspace);
  events_->copied[page % 2].record(workspace.copies);
}

void RowPages::copy_choice(std::size_t page, Workspace& workspace) {
  const Memory& memory = memory_[page % 2];
  const std::size_t first = page * page_rows_;
  const std::size_t count = std::min(page_rows_, allowed_ - first);
  const auto copy = [&](std::uint32_t* to, const std::uint32_t* from) {
    copy_to_gpu(to, from + first, count, workspace.copies);
  };
  if (memory.positions != nullptr) copy(memory.positions, positions_.data());
  if (memory.ids != nullptr) {
    copy(memory.ids, is_filtered_ ? ids_.data() : rows_.host().row_numbers.data());
  }
}

void RowPages::fill(std::size_t first, std::size_t count, std::uint8_t* vectors,
                    float* norms) const {
  const VectorView& view = rows_.host().vectors;
  const std::size_t bytes = view.dimension * store_bytes(view.store);
  const std::size_t row_bytes = rows_.row_bytes() - sizeof(float);
  constexpr std::size_t kPart = 4096;
  parallel_for(0, (count + kPart - 1) / kPart, [&](std::size_t /*thread*/, std::size_t part) {
    for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
      const std::size_t position = is_filtered_ ? positions_[first + i] : first + i;
      std::memcpy(vectors + i * row_bytes, view.row(position), bytes);
      norms[i] = rows_.host().norms[position];
    }
  });
}

void RowPages::copy_page(std::size_t page, Workspace& workspace) {
  const Memory& memory = memory_[page % 2];
  const std::size_t end = std::min(allowed_, (page + 1) * page_rows_);
  const std::size_t row_bytes = rows_.row_bytes() - sizeof(float);
  const std::size_t part = std::max<std::size_t>(1, kPageBufferBytes / rows_.row_bytes());
  auto* const pinned = static_cast<std::uint8_t*>(workspace.pinned_bytes(2 * kPageBufferBytes));
  std::size_t buffer = 0;
  for (std::size_t first = page * page_rows_; first < end; first += part, buffer ^= 1) {
    const std::size_t count = std::min(part, end - first);
    auto* const vectors = pinned + buffer * kPageBufferBytes;
    auto* const norms = reinterpret_cast<float*>(vectors + count * row_bytes);
    events_->buffer_free[buffer].synchronize();
    fill(first, count, vectors, norms);
    const std::size_t to = first - page * page_rows_;
    copy_to_gpu(memory.vectors + to * row_bytes, vectors, count * row_bytes, workspace.copies);
    copy_to_gpu(memory.norms + to, norms, count, workspace.copies);
    events_->buffer_free[buffer].record(workspace.copies);
  }
}

RowPage RowPages::get(std::size_t page, Workspace& workspace) {
  if (is_copied()) events_->copied[page % 2].make_wait(workspace.stream);
  const Memory& memory = memory_[page % 2];
  const std::size_t first = page * page_rows_;
  RowPage result;
  result.rows = rows_.is_resident() ? rows_.rows()
                                    : DeviceRows{memory.vectors, rows_.host().vectors.store,
                                                 rows_.dimension(), rows_.stride(), memory.norms};
  result.choice = {.count = static_cast<std::uint32_t>(std::min(page_rows_, allowed_ - first)),
                   .positions = memory.positions,
                   .ids = memory.ids != nullptr ? memory.ids : rows_.row_numbers(),
                   .first_id = static_cast<std::uint32_t>(first)};
  return result;
}

}  // namespace warpdex::vector
