// Reads the rows of a file, part by part. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex {

/// Gives `take` all rows from where the reader stands, some MiB at a time, and tells `progress`,
/// whose stage is "reading", of each part that was taken. Throws UsageError for rows of another
/// dimension than `dimension`, and as the reader and both functions do.
void read_rows(vector::VectorReader& reader, std::size_t dimension,
               const vector::BuildProgress& progress,
               const std::function<void(std::span<const float>)>& take);

}  // namespace warpdex
