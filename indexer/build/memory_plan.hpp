// How a build shares its memory budget.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::build {

struct MemoryPlan {
  std::size_t threads = 1;      ///< as many as were asked for, if each gets enough memory
  std::size_t batch_bytes = 0;  ///< of raw records that a thread holds at a time
  std::uint64_t inversion = 0;  ///< for inverters and the tables of documents, while reading
  std::uint64_t writing = 0;    ///< for all that is held while lists are written
};

/// Shares `memory` bytes, at least kMinBuildMemory, between 1 or more threads.
MemoryPlan plan_memory(std::uint64_t memory, std::size_t threads);

/// What one inverter may take while the tables of documents take `tables`.
std::uint64_t inverter_share(const MemoryPlan& plan, std::uint64_t tables);

}  // namespace warpdex::build
