// The names of the GPU engine's stages; in every build.
#include "warpdex/query/gpu/gpu_searcher.hpp"

namespace warpdex {

std::string_view gpu_stage_name(GpuStage stage) {
  constexpr std::array<std::string_view, kGpuStages> kNames{
      "build", "upload", "match", "tables", "order", "tiles", "gather", "rescore", "select"};
  return kNames[static_cast<std::size_t>(stage)];
}

}  // namespace warpdex
