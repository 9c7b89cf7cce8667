// Completes what the kernels of each stage get. Internal.
#pragma once

#include "gpu/batch/batch_image.hpp"
#include "gpu/index/searched_index.hpp"
#include "gpu/layout/batch.hpp"
#include "gpu/run/batch_plan.hpp"

namespace warpdex::gpu {

/// What the lane knows of a part, beside its plan. Members of the stages' structs, by their names.
struct PartFacts {
  ScoreForm form;
  float c0;
  float c1;
  Hit* hits;
  Answer* answers;
  const std::uint32_t* removed;
  std::uint32_t ticket;
  bool has_clusters;
  bool overlaps_launches;
  bool spares_bus;
  bool skips_nothing;
  bool stores_all;
};

/// Fills in all that place_*() did not. `image` is the batch's image on the GPU.
void complete(const BatchPlan& plan, const ImageParts& image, const SearchedIndex& index,
              const PartFacts& facts, BatchStages& stages);

}  // namespace warpdex::gpu
