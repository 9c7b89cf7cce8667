// A list's rows ascend, so that those of a slice lie beside each other in every list.
#include "warpdex/vector/search/row_slice.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

void cut_flat(FlatVectors& flat, std::size_t first, std::size_t count) {
  flat.vectors = flat.vectors.slice(first, count);
  if (!flat.norms.empty()) flat.norms = flat.norms.subspan(first, count);
}

}  // namespace

RowSlice::RowSlice(const SearchedVectors& all, std::size_t first, std::size_t count)
    : vectors_(all) {
  const std::size_t rows = rows_of(all);
  if (first > rows || count > rows - first) {
    throw UsageError("there are " + std::to_string(rows) +
                     " rows, of which none can be those from " + std::to_string(first) + " to " +
                     std::to_string(first + count));
  }
  if (count == rows) return;
  std::visit([&](const auto& vectors) { cut(vectors, first, count); }, all);
  sources_ = {};
}

void RowSlice::cut(const FlatVectors& all, std::size_t first, std::size_t count) {
  FlatVectors flat = all;
  cut_flat(flat, first, count);
  vectors_ = flat;
}

/// Sets row_numbers_, begins_ and sources_. Nothing else may rely on numbers that it refuses.
void RowSlice::find_rows(std::span<const std::uint32_t> row_numbers,
                         std::span<const std::uint64_t> begins, std::size_t first,
                         std::size_t count) {
  const auto refuse = [] {
    throw FormatError("the row numbers of an inverted file are damaged; build the index again");
  };
  row_numbers_.reserve(count);
  begins_.push_back(0);
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    const std::span<const std::uint32_t> rows =
        row_numbers.subspan(begins[list], begins[list + 1] - begins[list]);
    const auto begin = std::lower_bound(rows.begin(), rows.end(), first);
    const auto end = std::lower_bound(begin, rows.end(), first + count);
    sources_.push_back(begins[list] + static_cast<std::uint64_t>(begin - rows.begin()));
    for (auto row = begin; row != end; ++row) {
      if (*row < first || *row - first >= count) refuse();
      row_numbers_.push_back(*row - static_cast<std::uint32_t>(first));
    }
    begins_.push_back(row_numbers_.size());
  }
  if (row_numbers_.size() != count) refuse();
}

void RowSlice::cut(const Lists<RowCoding>& all, std::size_t first, std::size_t count) {
  find_rows(all.vectors.row_numbers, all.begins, first, count);
  const VectorView& view = all.vectors.vectors;
  const std::size_t row_bytes = view.stride * store_bytes(view.store);
  bytes_.resize(count * row_bytes);
  floats_.resize(count);
  for (std::size_t list = 0; list < sources_.size(); ++list) {
    const std::size_t rows = begins_[list + 1] - begins_[list];
    if (rows == 0) continue;
    // The last row may end without its padding.
    const std::size_t bytes = (rows - 1) * row_bytes + view.dimension * store_bytes(view.store);
    std::memcpy(bytes_.data() + begins_[list] * row_bytes, view.row(sources_[list]), bytes);
    std::copy_n(all.vectors.norms.begin() + static_cast<std::ptrdiff_t>(sources_[list]), rows,
                floats_.begin() + static_cast<std::ptrdiff_t>(begins_[list]));
  }
  Lists<RowCoding> ivf = all;
  ivf.vectors.vectors = {bytes_.data(), view.store, count, view.dimension, view.stride};
  ivf.vectors.norms = floats_;
  ivf.vectors.row_numbers = row_numbers_;
  ivf.begins = begins_;
  vectors_ = ivf;
}

void RowSlice::copy_codes(const CodeLists& all, std::size_t code_bytes) {
  const CodeGroups layout{code_bytes};
  std::vector<std::uint8_t> code(code_bytes);
  group_begins_.push_back(0);
  for (std::size_t list = 0; list < sources_.size(); ++list) {
    const std::size_t rows = begins_[list + 1] - begins_[list];
    const std::uint64_t groups = group_begins_.back();
    group_begins_.push_back(groups + groups_of(rows));
    bytes_.resize(group_begins_.back() * layout.group_bytes());
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t place = sources_[list] - all.begins[list] + i;
      const std::uint64_t source = all.group_begins[list] + place / kGroupVectors;
      layout.read(all.codes.data() + source * layout.group_bytes(), place % kGroupVectors,
                  code.data());
      layout.write(code.data(), i % kGroupVectors,
                   bytes_.data() + (groups + i / kGroupVectors) * layout.group_bytes());
    }
  }
}

std::vector<float> RowSlice::copy_floats(std::span<const float> all) const {
  std::vector<float> copied;
  for (std::size_t list = 0; list < sources_.size() && !all.empty(); ++list) {
    const std::span<const float> own =
        all.subspan(sources_[list], begins_[list + 1] - begins_[list]);
    copied.insert(copied.end(), own.begin(), own.end());
  }
  return copied;
}

template <class Coding>
void RowSlice::cut(const Lists<Coding>& all, std::size_t first, std::size_t count) {
  find_rows(all.row_numbers, all.begins, first, count);
  copy_codes(all, all.quantizer.code_bytes());
  floats_ = copy_floats(all.terms);
  factors_ = copy_floats(all.factors);
  Lists<Coding> codes = all;
  codes.codes = bytes_;
  codes.terms = floats_;
  codes.factors = factors_;
  codes.row_numbers = row_numbers_;
  codes.begins = begins_;
  codes.group_begins = group_begins_;
  if (codes.keeps_vectors()) cut_flat(codes.vectors, first, count);
  vectors_ = codes;
}

/// Row `first` begins a group of its own.
void RowSlice::cut(const BinaryVectors& all, std::size_t first, std::size_t count) {
  const CodeGroups layout{all.quantizer.code_bytes()};
  std::vector<std::uint8_t> code(layout.code_bytes);
  bytes_.resize(groups_of(count) * layout.group_bytes());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = first + i;
    layout.read(all.codes.data() + row / kGroupVectors * layout.group_bytes(), row % kGroupVectors,
                code.data());
    layout.write(code.data(), i % kGroupVectors,
                 bytes_.data() + i / kGroupVectors * layout.group_bytes());
  }
  BinaryVectors codes = all;
  codes.rows = count;
  codes.codes = bytes_;
  if (!all.terms.empty()) codes.terms = all.terms.subspan(first, count);
  if (!all.factors.empty()) {
    codes.factors = all.factors.subspan(first, count);
    codes.residuals = all.residuals.subspan(first, count);
  }
  if (all.keeps_vectors()) cut_flat(codes.vectors, first, count);
  vectors_ = codes;
}

}  // namespace warpdex::vector
