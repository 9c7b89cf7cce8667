// Tables of a query, and sums of their entries.
#include "pq/code_scan.hpp"

#include <algorithm>

#include "lists/list_searcher.hpp"

namespace warpdex::vector {

PqCoding::ListScan::ListScan(const Lists<PqCoding>& vectors, const SearchOptions& options,
                             const float* query)
    : vectors_(vectors),
      query_(query),
      filter_(options.filter),
      layout_{vectors.quantizer.bytes},
      tables_(vectors.quantizer.bytes * kByteValues) {
  const std::size_t dimension = vectors.quantizer.dimension;
  std::vector<float> moved(query, query + padded(dimension));
  for (std::size_t c = 0; c < vectors.centre.size(); ++c) moved[c] -= vectors.centre[c];
  std::vector<float> rotated(vectors.quantizer.coded_dimension());
  rotate(vectors.quantizer, moved.data(), rotated.data());
  const float factor = vectors.metric == Metric::kL2 ? -2.0F : -1.0F;
  for (float& component : rotated) component *= factor;
  byte_tables(vectors.quantizer, rotated.data(), tables_.data());
}

bool PqCoding::ListScan::allows_any(std::span<const std::uint32_t> rows) const {
  return filter_ == nullptr || std::any_of(rows.begin(), rows.end(), [this](std::uint32_t row) {
           return filter_->contains(row);
         });
}

void PqCoding::ListScan::distances(float base, std::uint64_t first, std::uint64_t group,
                                   std::size_t count, Values& values) const {
  const bool is_l2 = vectors_.metric == Metric::kL2;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = is_l2 ? base + vectors_.terms[first + i] : base;
  }
  const std::uint8_t* chunk = vectors_.codes.data() + group * layout_.group_bytes();
  for (std::size_t begin = 0; begin < layout_.code_bytes; begin += kCodeChunkBytes) {
    const std::size_t width = layout_.chunk_width(begin);
    const std::size_t bytes = std::min(kCodeChunkBytes, layout_.code_bytes - begin);
    const float* const tables = tables_.data() + begin * kByteValues;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t* const code = chunk + i * width;
      float sum = values[i];
      for (std::size_t b = 0; b < bytes; ++b) sum += tables[b * kByteValues + code[b]];
      values[i] = sum;
    }
    chunk += kGroupVectors * width;
  }
  if (!is_l2 && !vectors_.terms.empty()) {
    for (std::size_t i = 0; i < count; ++i) values[i] *= vectors_.terms[first + i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = is_l2 && values[i] < 0 ? 0.0F : values[i] + 0.0F;
  }
}

template std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<PqCoding>&, std::size_t);

}  // namespace warpdex::vector
