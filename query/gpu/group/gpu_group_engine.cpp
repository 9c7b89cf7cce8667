// Shares batches out to replicas.
#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "gpu/run/segment_engine.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/kept_threads.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {
namespace {

/// Fewer queries are answered as soon by one replica as by two.
constexpr std::size_t kFewQueries = 256;

/// Queries of a batch that a replica answers.
struct Share {
  std::size_t replica = 0;
  std::size_t first = 0;
  std::size_t queries = 0;
  Ticket ticket{};
  bool is_done = false;  ///< by poll()
  std::optional<BatchAnswers> answers{};
};

/// Those of all shares, in the order of the batch.
class SharedAnswers final : public BatchAnswers::Source {
 public:
  explicit SharedAnswers(std::vector<Share> shares) : shares_(std::move(shares)) {}
  std::size_t size() const override { return shares_.back().first + shares_.back().queries; }
  AnswerView answer(std::size_t query) const override {
    const auto next = std::ranges::upper_bound(shares_, query, {}, &Share::first);
    const Share& share = *std::prev(next);
    return (*share.answers)[query - share.first];
  }

 private:
  std::vector<Share> shares_;
};

}  // namespace

struct GpuGroupEngine::State {
  using Batches = std::map<std::uint64_t, std::vector<Share>>;

  std::vector<Share> cut(std::size_t queries);
  Batches::iterator find(Ticket ticket);
  template <class Work>
  void for_each(std::vector<Share>& shares, const Work& work);
  void drop(std::vector<Share>& shares) noexcept;

  std::vector<GpuEngine> replicas;
  std::size_t max_batches = 0;
  std::size_t next_replica = 0;  ///< gets the next small batch
  KeptThreads threads;
  Batches batches;
  std::uint64_t last_ticket = 0;
};

/// A batch in equal shares, none of which is small; a small batch as it is.
std::vector<Share> GpuGroupEngine::State::cut(std::size_t queries) {
  const std::size_t count = std::clamp<std::size_t>(queries / kFewQueries, 1, replicas.size());
  std::vector<Share> shares(count);
  for (std::size_t i = 0; i < count; ++i) {
    shares[i].replica = (next_replica + i) % replicas.size();
    shares[i].first = queries * i / count;
    shares[i].queries = queries * (i + 1) / count - shares[i].first;
  }
  next_replica = (next_replica + count) % replicas.size();
  return shares;
}

GpuGroupEngine::State::Batches::iterator GpuGroupEngine::State::find(Ticket ticket) {
  const auto found = batches.find(static_cast<std::uint64_t>(ticket));
  if (found == batches.end()) throw UsageError(gpu::unknown_ticket(ticket));
  return found;
}

/// work(share), each on a thread. Ends all; throws what the first one threw.
template <class Work>
void GpuGroupEngine::State::for_each(std::vector<Share>& shares, const Work& work) {
  std::vector<std::exception_ptr> failures(shares.size());
  threads.parallel_for(shares.size(), shares.size(), [&](std::size_t, std::size_t i) {
    try {
      work(shares[i]);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

/// Waits for what is under way.
void GpuGroupEngine::State::drop(std::vector<Share>& shares) noexcept {
  for (Share& share : shares) {
    if (share.ticket == Ticket{}) continue;
    try {
      replicas[share.replica].wait(share.ticket);
    } catch (...) {
      // It has failed, so nothing of it is under way.
    }
  }
}

GpuGroupEngine::GpuGroupEngine(const GpuGroup& group, const GpuEngineSettings& settings)
    : state_(std::make_unique<State>()) {
  state_->max_batches = settings.max_batches;
  for (std::size_t i = 0; i < group.replicas(); ++i) {
    state_->replicas.emplace_back(group.replica(i), settings);
  }
}

GpuGroupEngine::~GpuGroupEngine() = default;
GpuGroupEngine::GpuGroupEngine(GpuGroupEngine&&) noexcept = default;
GpuGroupEngine& GpuGroupEngine::operator=(GpuGroupEngine&&) noexcept = default;

Ticket GpuGroupEngine::submit(std::span<const PlannedQuery> plans,
                              std::span<const SearchSettings> settings) {
  check_settings(settings, plans.size());
  if (state_->batches.size() == state_->max_batches) {
    throw UsageError(gpu::too_many_batches(state_->max_batches));
  }
  std::vector<Share> shares = state_->cut(plans.size());
  try {
    state_->for_each(shares, [&](Share& share) {
      const auto own =
          settings.size() == 1 ? settings : settings.subspan(share.first, share.queries);
      share.ticket =
          state_->replicas[share.replica].submit(plans.subspan(share.first, share.queries), own);
    });
  } catch (...) {
    state_->drop(shares);
    throw;
  }
  state_->batches.emplace(++state_->last_ticket, std::move(shares));
  return Ticket{state_->last_ticket};
}

bool GpuGroupEngine::poll(Ticket ticket) {
  const auto found = state_->find(ticket);
  bool are_done = true;
  for (Share& share : found->second) {
    try {
      share.is_done = share.is_done || state_->replicas[share.replica].poll(share.ticket);
    } catch (...) {
      share.ticket = Ticket{};
      state_->drop(found->second);
      state_->batches.erase(found);
      throw;
    }
    are_done &= share.is_done;
  }
  return are_done;
}

EarlyAnswers GpuGroupEngine::early_answers(Ticket ticket) {
  const std::vector<Share>& shares = state_->find(ticket)->second;
  if (shares.size() > 1) return {};
  return state_->replicas[shares[0].replica].early_answers(shares[0].ticket);
}

BatchAnswers GpuGroupEngine::wait(Ticket ticket) {
  const auto found = state_->find(ticket);
  std::vector<Share> shares = std::move(found->second);
  state_->batches.erase(found);
  state_->for_each(shares, [&](Share& share) {
    share.answers = state_->replicas[share.replica].wait(share.ticket);
  });
  if (shares.size() == 1) return std::move(*shares[0].answers);
  return BatchAnswers(std::make_shared<const SharedAnswers>(std::move(shares)));
}

GpuStatistics GpuGroupEngine::statistics() const {
  GpuStatistics sum;
  for (const GpuEngine& engine : state_->replicas) add(engine.statistics(), sum);
  return sum;
}

}  // namespace warpdex
