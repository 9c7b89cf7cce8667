// Batches whose answers have fields or counts.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "answers.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::python {

/// The answers to many queries, by one commit, as hits, and the same as `arrays`. Without texts,
/// vectors are searched alone. Without the GIL.
std::vector<Hits> search_hits(const Searcher& searcher, std::span<const std::string_view> texts,
                              const std::optional<FloatRows>& vectors, SearchOptions options,
                              BatchAnswer& arrays);

}  // namespace warpdex::python
