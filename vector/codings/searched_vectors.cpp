// What the kinds of vectors have in common.
#include "warpdex/vector/codings/searched_vectors.hpp"

#include <type_traits>

namespace warpdex::vector {
namespace {

/// The kinds that have codes have a quantizer.
template <class Vectors>
concept Coded = requires(const Vectors& vectors) {
  vectors.quantizer;
};
template <class Vectors>
concept InLists = requires(const Vectors& vectors) {
  vectors.centroids;
};

/// The vectors themselves.
template <class Vectors>
auto& flat_in(Vectors& vectors) {
  if constexpr (std::is_same_v<std::remove_const_t<Vectors>, FlatVectors>) {
    return vectors;
  } else {
    return vectors.vectors;
  }
}

}  // namespace

Metric metric_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) {
        if constexpr (Coded<decltype(own)>) {
          return own.metric;
        } else {
          return flat_in(own).metric;
        }
      },
      vectors);
}

std::size_t dimension_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) {
        if constexpr (Coded<decltype(own)>) {
          return own.quantizer.dimension;
        } else {
          return flat_in(own).vectors.dimension;
        }
      },
      vectors);
}

std::size_t rows_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) -> std::size_t {
        if constexpr (InLists<decltype(own)>) {
          return own.rows();
        } else if constexpr (Coded<decltype(own)>) {
          return own.rows;
        } else {
          return own.vectors.rows;
        }
      },
      vectors);
}

const FlatVectors& flat_of(const SearchedVectors& vectors) {
  return std::visit([](const auto& own) -> const FlatVectors& { return flat_in(own); }, vectors);
}

std::span<const std::uint64_t> list_begins_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) -> std::span<const std::uint64_t> {
        if constexpr (InLists<decltype(own)>) return own.begins;
        return {};
      },
      vectors);
}

std::span<const std::uint32_t> row_numbers_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) -> std::span<const std::uint32_t> {
        if constexpr (Coded<decltype(own)> && InLists<decltype(own)>) return own.row_numbers;
        if constexpr (!Coded<decltype(own)>) return flat_in(own).row_numbers;
        return {};
      },
      vectors);
}

const FlatVectors& centroids_of(const SearchedVectors& vectors) {
  return std::visit(
      [](const auto& own) -> const FlatVectors& {
        if constexpr (InLists<decltype(own)>) return own.centroids;
        throw std::bad_variant_access();
      },
      vectors);
}

bool has_codes(const SearchedVectors& vectors) {
  return std::visit([](const auto& own) { return Coded<decltype(own)>; }, vectors);
}

SearchedVectors with_metric(const SearchedVectors& vectors, Metric metric) {
  SearchedVectors changed = vectors;
  std::visit(
      [metric](auto& own) {
        flat_in(own).metric = metric;
        if constexpr (Coded<decltype(own)>) own.metric = metric;
      },
      changed);
  return changed;
}

}  // namespace warpdex::vector
