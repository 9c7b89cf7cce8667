// Puts together what the kernels of each stage get. Internal.
#pragma once

#include "gpu/batch/batch_image.hpp"
#include "gpu/index/gpu_index_state.hpp"
#include "gpu/layout/batch.hpp"
#include "gpu/run/batch_places.hpp"

namespace warpdex::gpu {

/// The arguments of a batch's kernels, by stage. `rounds` serves for the tables of OR, too, also
/// where OR goes by bound.
struct BatchStages {
  AndBatch matching;
  OrRounds rounds;
  OrByBound by_bound;
  FinishBatch finishing;
};

/// What the lane knows of a part, beside its plan. Members of the stages' structs, by their names.
struct PartFacts {
  ScoreForm form;
  float c0;
  float c1;
  Hit* hits;
  Answer* answers;
  std::uint32_t ticket;
  bool has_clusters;
  bool overlaps_launches;
  bool spares_bus;
  bool skips_nothing;
};

/// `image` is the batch's image on the GPU.
BatchStages make_stages(const BatchPlan& plan, const BatchPlaces& places, const ImageParts& image,
                        const GpuIndex::State& index, const PartFacts& facts);

}  // namespace warpdex::gpu
