// Rows are made floats, moved by the centre, and transposed.
#include "flat/row_panels.hpp"

#include "flat/allowed.hpp"
#include "product/panel.hpp"

namespace warpdex::vector {

RowPanels::RowPanels(const FlatVectors& vectors, const ProductKernels& kernels,
                     const RowFilter* filter, std::size_t first, std::size_t last)
    : vectors_(vectors),
      panel_vectors_(kernels.vectors),
      filter_(filter),
      next_(first),
      last_(last),
      bound_(vectors.metric, vectors.vectors.dimension),
      row_(vectors.vectors.dimension) {
  panel_.components.resize(panel_vectors_ * vectors.vectors.dimension);
}

const RowPanel* RowPanels::next() {
  if (!collect()) return nullptr;
  for (std::size_t place = 0; place < panel_.count; ++place) pack(place);
  return &panel_;
}

bool RowPanels::collect() {
  panel_.count = 0;
  while (panel_.count < panel_vectors_ && next_ < last_) {
    next_ = next_allowed(vectors_, filter_, next_, last_);
    if (next_ == last_) break;
    panel_.positions[panel_.count++] = static_cast<std::uint32_t>(next_++);
  }
  return panel_.count > 0;
}

void RowPanels::pack(std::size_t place) {
  const std::size_t position = panel_.positions[place];
  copy_row(vectors_.vectors, position, row_.data());
  const float* const centre = vectors_.centre.empty() ? nullptr : vectors_.centre.data();
  pack_row(row_.data(), centre, 1, row_.size(), panel_vectors_, panel_.components.data() + place);
  panel_.offsets[place] = bound_.offset(vectors_.norms[position]);
  panel_.slacks[place] = bound_.slack(vectors_.norms[position]);
}

}  // namespace warpdex::vector
