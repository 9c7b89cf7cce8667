// Completes the arguments of each stage's kernels. Internal.
#pragma once

#include "gpu/batch/batch_image.hpp"
#include "gpu/index/searched_index.hpp"
#include "gpu/layout/batch.hpp"
#include "gpu/run/batch_plan.hpp"

namespace warpdex::gpu {

/// The lane's data for a part, beside its plan. Members have the names of those in the stages'
/// structs.
struct PartFacts {
  UnitForm form;
  ScorerKind scorer;
  float c0;
  float c1;
  FieldConstants fields;
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

/// Fills in all members that place_*() did not. `image` is the batch's image on the GPU.
void complete(const BatchPlan& plan, const ImageParts& image, const SearchedIndex& index,
              const PartFacts& facts, BatchStages& stages);

}  // namespace warpdex::gpu
