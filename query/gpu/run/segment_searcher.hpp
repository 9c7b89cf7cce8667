// The interface that answers batches over one segment, for a batch over all segments. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/batch/segment_plans.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time.
class SegmentSearcher {
 public:
  virtual ~SegmentSearcher() = default;

  /// As Engine::submit(), for the queries `slots` only; others have no answers. Documents are the
  /// segment's. The settings must have been checked.
  virtual Ticket submit(SegmentPlans plans, std::span<const SearchSettings> settings,
                        std::span<const std::uint32_t> slots) = 0;
  virtual bool poll(Ticket ticket) = 0;
  virtual BatchAnswers wait(Ticket ticket) = 0;
};

}  // namespace warpdex::gpu
