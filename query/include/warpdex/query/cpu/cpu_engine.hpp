// The CPU engine for batches: its threads live as long as the engine, and share the queries.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex {

struct CpuEngineSettings {
  std::size_t threads = 0;                         ///< 0: as many as this process may run on
  std::chrono::microseconds spin = kDefaultSpin;   ///< how long a thread spins before it sleeps
  std::shared_ptr<const SnapshotBlocks> blocks{};  ///< of the snapshot, or none
};

/// Answers batches on threads of its own, each with a CpuSearcher. The threads take queries from
/// one queue: batches in the order of submit(), and within a batch the queries with the most
/// postings first. Answers do not depend on the threads. Can answer every query, takes any number
/// of batches, and may be used from any number of threads.
class CpuEngine final : public Engine {
 public:
  /// Starts the threads. The index must outlive the engine and must not be moved meanwhile.
  explicit CpuEngine(const Index& index, const CpuEngineSettings& settings = {});
  /// Likewise over a snapshot, which the engine shares.
  explicit CpuEngine(const Snapshot& snapshot, const CpuEngineSettings& settings = {});
  /// Drops all queries that have not started, and waits for those that have.
  ~CpuEngine() override;
  CpuEngine(const CpuEngine&) = delete;
  CpuEngine& operator=(const CpuEngine&) = delete;

  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override;
  bool poll(Ticket ticket) override;
  BatchAnswers wait(Ticket ticket) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
