// Parts of OwnedIvfPqVectors.
#pragma once

#include <cstddef>

#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "pq/list_codes.hpp"
#include "warpdex/vector/lists/ivf_builder.hpp"

namespace warpdex::vector {

/// Takes centroids and members over, and computes the centroids' norms.
OwnedLists own_lists(IvfLists&& lists, Metric metric);

/// Encodes rows that are in their lists; sets codes, terms and group_begins.
void encode_lists(const FlatVectors& rows, const IvfLists& lists, const TrainedCodes& trained,
                  const PqSettings& pq, std::size_t threads, BuildSteps& steps,
                  OwnedIvfPqVectors& built);

/// The settings with a length for codes. Throws UsageError for those that codes cannot have.
PqSettings settled_codes(const PqSettings& settings, std::size_t dimension);

}  // namespace warpdex::vector
