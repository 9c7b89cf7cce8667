// The spaces of the distances that Warpdex defines, one for each kind of object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

std::unique_ptr<ObjectSpace> make_text_space(const ObjectsView& view);
std::unique_ptr<ObjectSpace> make_set_space(const ObjectsView& view);
std::unique_ptr<ObjectSpace> make_vector_space(const ObjectsView& view);

/// The words of a line, each once, ascending: what stands between ASCII white space.
std::vector<std::string_view> words_of(std::string_view line);

/// A query's set.
struct QuerySet {
  std::vector<std::uint32_t> words;  ///< numbers, ascending
  std::size_t unknown = 0;           ///< words that no object has
};
QuerySet query_set(const ObjectsView& view, std::string_view text);

/// Scales to length 1. False for a vector of length 0.
bool scale_to_unit(std::span<float> vector);

}  // namespace warpdex::metric
