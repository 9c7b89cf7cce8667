// A queue of batches. Threads work on the first batch that has queries left.
#include "warpdex/query/cpu/cpu_engine.hpp"

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu/cpu_batch.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex {

struct CpuEngine::State {
  State(const CpuEngineSettings& wanted, const std::function<CpuSearcher()>& make);
  ~State();

  void end();
  void work(CpuSearcher& searcher);
  std::shared_ptr<CpuBatch> next_batch();
  std::shared_ptr<CpuBatch> find(Ticket ticket);

  const CpuEngineSettings settings;
  std::mutex mutex;  ///< protects all that follows but `changes`
  std::condition_variable changed;
  std::deque<std::shared_ptr<CpuBatch>> queue;  ///< some may have no queries left
  std::unordered_map<std::uint64_t, std::shared_ptr<CpuBatch>> batches;  ///< not taken by wait()
  std::uint64_t last_ticket = 0;
  bool is_ending = false;
  std::atomic<std::uint64_t> changes = 0;  ///< how often the queue has grown, and the engine's end
  std::vector<CpuSearcher> searchers;      ///< one a thread
  std::vector<std::jthread> threads;
};

CpuEngine::State::State(const CpuEngineSettings& wanted, const std::function<CpuSearcher()>& make)
    : settings(wanted) {
  const std::size_t count = wanted.threads == 0 ? default_threads() : wanted.threads;
  for (std::size_t i = 0; i < count; ++i) searchers.push_back(make());
  try {
    for (CpuSearcher& searcher : searchers) {
      threads.emplace_back([this, &searcher] { work(searcher); });
    }
  } catch (...) {
    end();
    throw;
  }
}

CpuEngine::State::~State() { end(); }

void CpuEngine::State::end() {
  {
    const std::lock_guard lock(mutex);
    is_ending = true;
    for (const auto& [ticket, batch] : batches) batch->drop();
    ++changes;
  }
  changed.notify_all();
  threads.clear();  // waits for them
}

/// What a thread does until the engine ends.
void CpuEngine::State::work(CpuSearcher& searcher) {
  while (const std::shared_ptr<CpuBatch> batch = next_batch()) batch->work(searcher);
}

/// Waits for a batch with queries left, and returns it; null at the engine's end.
std::shared_ptr<CpuBatch> CpuEngine::State::next_batch() {
  for (;;) {
    const std::uint64_t seen = changes.load(std::memory_order_acquire);
    {
      const std::lock_guard lock(mutex);
      while (!queue.empty() && queue.front()->is_taken()) queue.pop_front();
      if (is_ending) return nullptr;
      if (!queue.empty()) return queue.front();
    }
    const auto has_changed = [&] { return changes.load(std::memory_order_acquire) != seen; };
    if (spin_until(has_changed, settings.spin)) continue;
    std::unique_lock lock(mutex);
    changed.wait(lock, has_changed);
  }
}

std::shared_ptr<CpuBatch> CpuEngine::State::find(Ticket ticket) {
  const std::lock_guard lock(mutex);
  const auto found = batches.find(static_cast<std::uint64_t>(ticket));
  if (found == batches.end()) {
    throw UsageError("ticket " + std::to_string(static_cast<std::uint64_t>(ticket)) +
                     " names no batch that is under way; wait() takes each batch's answers once");
  }
  return found->second;
}

CpuEngine::CpuEngine(const Index& index, const CpuEngineSettings& settings)
    : state_(std::make_unique<State>(settings, [&] { return CpuSearcher(index); })) {}
CpuEngine::CpuEngine(const Snapshot& snapshot, const CpuEngineSettings& settings)
    : state_(std::make_unique<State>(settings,
                                     [&] { return CpuSearcher(snapshot, settings.blocks); })) {}
CpuEngine::~CpuEngine() = default;

Ticket CpuEngine::submit(std::span<const PlannedQuery> plans,
                         std::span<const SearchSettings> settings) {
  check_settings(settings, plans.size());
  auto batch = std::make_shared<CpuBatch>(plans, settings);
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(state_->mutex);
    ticket = ++state_->last_ticket;
    state_->batches.emplace(ticket, batch);
    state_->queue.push_back(std::move(batch));
    ++state_->changes;
  }
  if (plans.size() == 1) {
    state_->changed.notify_one();
  } else {
    state_->changed.notify_all();
  }
  return Ticket{ticket};
}

bool CpuEngine::poll(Ticket ticket) { return state_->find(ticket)->is_done(); }

BatchAnswers CpuEngine::wait(Ticket ticket) {
  std::shared_ptr<CpuBatch> batch = state_->find(ticket);
  batch->wait(state_->settings.spin);
  {
    const std::lock_guard lock(state_->mutex);
    state_->batches.erase(static_cast<std::uint64_t>(ticket));
  }
  batch->rethrow_failure();
  return BatchAnswers(std::move(batch));
}

}  // namespace warpdex
