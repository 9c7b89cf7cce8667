// The interface of every engine, on the CPU or on a GPU: batches of queries in, answers out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// Names a batch that was submitted to an engine. An engine never gives the same ticket twice.
enum class Ticket : std::uint64_t {};

/// An answer within the memory of its batch.
struct AnswerView {
  std::span<const Hit> hits{};   ///< as SearchResult::hits
  std::uint64_t matches = 0;     ///< as SearchResult::matches
  bool fell_back_to_or = false;  ///< as SearchResult::fell_back_to_or
  /// False: this engine cannot answer the query, and the other members mean nothing. Ask another
  /// engine.
  bool is_answered = true;
};

/// A copy of the answer. Empty if the engine cannot answer: see AnswerView::is_answered.
SearchResult copy_answer(const AnswerView& answer);

/// The answers of a batch, in the order of its queries. Holds the memory of the answers; copies
/// share it. The engine must outlive them. Any threads may read and release them, also while
/// another thread uses the engine.
class BatchAnswers {
 public:
  /// The memory of the answers.
  class Source {
   public:
    virtual ~Source() = default;
    virtual std::size_t size() const = 0;
    virtual AnswerView answer(std::size_t query) const = 0;
  };

  explicit BatchAnswers(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  /// Queries in the batch.
  std::size_t size() const { return source_->size(); }
  /// The answer to a query. Valid while these answers or a copy of them live.
  AnswerView operator[](std::size_t query) const { return source_->answer(query); }
  /// A copy of the answer, by copy_answer().
  SearchResult result(std::size_t query) const { return copy_answer(source_->answer(query)); }

 private:
  std::shared_ptr<const Source> source_;
};

/// Answers of a batch that is still under way.
struct EarlyAnswers {
  /// The queries that are answered. A later call for the same batch has the same ones first, and
  /// maybe more behind them, or has none.
  std::span<const std::uint32_t> queries{};
  const BatchAnswers::Source* source = nullptr;  ///< has the answers of these
};

/// Answers batches of queries. Several batches may be under way at once. Unless an engine promises
/// more, one thread at a time uses it.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Starts a batch and returns while it is under way. `settings` has one element for all queries,
  /// or one for each. The plans must be made for this engine's index, and must live until wait()
  /// has taken the batch's answers or the engine is destroyed. Throws UsageError for settings out
  /// of range, for another number of settings, and for more batches than the engine has room for.
  virtual Ticket submit(std::span<const PlannedQuery> plans,
                        std::span<const SearchSettings> settings) = 0;

  /// Whether wait() would return at once. Does the host's work for the batch that is due, such as
  /// to start its next part, but does not wait for answers. Throws UsageError for a ticket that is
  /// unknown or whose answers were taken, and what wait() throws. A ticket for which it throws
  /// anything else is unknown from then on.
  virtual bool poll(Ticket ticket) = 0;

  /// The answers of a batch that the last poll() found, if it returned false. They are final:
  /// wait() will give the same ones. Valid until the next call for this ticket. There may be none:
  /// an engine need not answer any query before the others. One that does throws UsageError for a
  /// ticket that is unknown or whose answers were taken.
  virtual EarlyAnswers early_answers(Ticket ticket) {
    (void)ticket;
    return {};
  }

  /// Waits for a batch and takes its answers. Throws as poll() does; FormatError for damage that a
  /// query met.
  virtual BatchAnswers wait(Ticket ticket) = 0;

  /// submit() and wait().
  BatchAnswers run(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings) {
    return wait(submit(plans, settings));
  }
  BatchAnswers run(std::span<const PlannedQuery> plans, const SearchSettings& settings) {
    return run(plans, std::span(&settings, 1));
  }
};

/// How long a thread that waits stays awake before it sleeps; waking it takes some 50 us.
inline constexpr std::chrono::microseconds kDefaultSpin{100};

/// Throws UsageError for settings out of range, and if their number is neither 1 nor `queries`.
void check_settings(std::span<const SearchSettings> settings, std::size_t queries);

}  // namespace warpdex
