// A text query as a job, and the pool that jobs come from. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "warpdex/query/cpu/search_watch.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {

class TextJobPool;

class TextJob final : public Job {
 public:
  TextJob(WorkClass& work, TextJobPool& pool) : Job(work), pool_(pool) {}

  void finish(JobEnd how) noexcept override;

  PlannedQuery plan;
  SearchSettings settings;
  std::size_t query_class = 0;
  SearchResult result;
  float max_missing_score = 0;
  Scheduler::OnAnswer on_answer;
  std::size_t shard = 0;  ///< the part of the pool that it is given back to

 private:
  TextJobPool& pool_;
};

/// A pool of jobs that are used again and again. It has several parts. Each thread takes from one
/// part, mostly one of its own, so that callers do not wait for each other. A part grows to the
/// largest number of its jobs that were under way at one time. A job keeps its last plan until it
/// is taken again, so that a plan is mostly freed by the thread that allocated it. (A plan whose
/// job the GPU answers before the end of its batch is freed with the batch.)
class TextJobPool {
 public:
  explicit TextJobPool(WorkClass& work) : work_(work) {}

  TextJob& take();
  void give_back(TextJob& job) noexcept;

 private:
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<std::unique_ptr<TextJob>> all;
    std::vector<TextJob*> free;  ///< has room for all
  };
  static constexpr std::size_t kShards = 16;

  WorkClass& work_;
  std::array<Shard, kShards> shards_;
};

}  // namespace warpdex
