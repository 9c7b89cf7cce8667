// The names of the GPU engine's stages, phases and methods; in every build.
#include "warpdex/query/gpu/gpu_stages.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"

namespace warpdex {
namespace {

constexpr std::array<std::string_view, 5> kOrMethods{"cost", "adding-up", "looking-up", "searching",
                                                     "global-memory"};

}  // namespace

std::string_view gpu_stage_name(GpuStage stage) {
  constexpr std::array<std::string_view, kGpuStages> kNames{"build",   "upload", "match", "tables",
                                                            "bounds",  "plan",   "find",  "read",
                                                            "lookups", "tiles",  "finish"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view gpu_phase_name(GpuPhase phase) {
  constexpr std::array<std::string_view, kGpuPhases> kNames{"decode", "intersect", "score",
                                                            "select", "wait"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view or_method_name(OrMethod method) {
  return kOrMethods[static_cast<std::size_t>(method)];
}

OrMethod parse_or_method(std::string_view name) {
  const auto* const found = std::find(kOrMethods.begin(), kOrMethods.end(), name);
  if (found == kOrMethods.end()) {
    throw UsageError(
        "'" + std::string(name) +
        "' is no way to treat OR; use cost, adding-up, looking-up, searching or global-memory");
  }
  return static_cast<OrMethod>(found - kOrMethods.begin());
}

}  // namespace warpdex
