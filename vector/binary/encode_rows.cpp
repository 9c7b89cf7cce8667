// Rows to codes, on all threads.
#include "binary/encode_rows.hpp"

#include <algorithm>
#include <vector>

#include "binary/row_encoder.hpp"
#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"

namespace warpdex::vector {
namespace {

/// Rows that are encoded before they are handed on.
constexpr std::size_t kEncodedRows = 65'536;
constexpr std::size_t kEncodedGroups = 16;
/// Of a thread's part of terms.
constexpr std::size_t kTermRows = 4096;

}  // namespace

void encode_rows(const VectorView& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                 const CodeSink& sink, const std::function<void(std::size_t rows)>& on_block) {
  const CodeGroups layout{quantizer.code_bytes()};
  std::vector<std::uint8_t> codes;
  std::vector<float> factors;
  std::vector<float> residuals;
  for (std::size_t first = 0; first < rows.rows; first += kEncodedRows) {
    const std::size_t last = std::min(rows.rows, first + kEncodedRows);
    const std::size_t groups = groups_of(last - first);
    codes.assign(groups * layout.group_bytes(), 0);
    factors.resize(quantizer.is_corrected ? last - first : 0);
    residuals.resize(factors.size());
    for_each_part(groups, kEncodedGroups, threads, [&](std::size_t begin, std::size_t end) {
      RowEncoder encoder(rows, quantizer);
      for (std::size_t i = begin * kGroupVectors; i < end * kGroupVectors; ++i) {
        if (first + i >= last) break;
        const CodeCorrection correction =
            encoder.encode_row(first + i, codes.data() + i / kGroupVectors * layout.group_bytes());
        if (factors.empty()) continue;
        factors[i] = correction.factor;
        residuals[i] = correction.residual;
      }
    });
    sink({codes, factors, residuals});
    on_block(last);
  }
}

float product_term(std::span<const float> row, std::span<const float> centre) {
  double sum = 0;
  for (std::size_t c = 0; c < centre.size(); ++c) {
    sum += double{centre[c]} * (double{row[c]} - double{centre[c]});
  }
  return static_cast<float>(-sum);
}

std::vector<float> product_terms(const VectorView& rows, std::span<const float> centre,
                                 std::size_t threads) {
  std::vector<float> terms(rows.rows);
  for_each_part(rows.rows, kTermRows, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<float> row(rows.dimension);
    for (std::size_t i = begin; i < end; ++i) {
      copy_row(rows, i, row.data());
      terms[i] = product_term(row, centre);
    }
  });
  return terms;
}

}  // namespace warpdex::vector
