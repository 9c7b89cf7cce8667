// One part of a whole: answers messages about it by messages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

/// A checksum of what a snapshot holds: the same for copies of it, and another one for other
/// documents, removals or settings. O(files), and the bits of removed documents.
std::uint64_t part_version(const Snapshot& snapshot);

/// What a snapshot is as a part of a whole.
PartDescription describe_part(const Snapshot& snapshot);

/// Answers a batch of planned queries of a snapshot, and has them read before it returns. Any
/// thread.
using RunBatch = std::function<void(std::span<const PlannedQuery>, std::span<const SearchSettings>,
                                    const std::function<void(const BatchAnswers&)>& take)>;

/// Answers by a CPU engine over one snapshot, which it shares. For any number of threads.
class Shard {
 public:
  /// `on_gpu`, if it is not empty, answers queries of terms; what it leaves, the CPU does.
  explicit Shard(const Snapshot& snapshot, const CpuEngineSettings& settings = {},
                 RunBatch on_gpu = {});
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// The answer to a request. What cannot be answered is a message
  /// too, a failure that says why: bytes that are no such request, another version, a bad filter.
  /// It throws std::bad_alloc alone.
  std::string answer(std::string_view message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::shards
