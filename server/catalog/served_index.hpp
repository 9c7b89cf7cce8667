// An index that is served: open for searching, and for changes once there are some.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "threads/work_pool.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/vector_index.hpp"
#include "warpdex/verify.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::server {

/// How indexes are opened.
struct OpenSettings {
  Device device = Device::kCpu;
  std::vector<Gpu> gpus{};
  std::size_t shards = 1;
  std::size_t threads = 0;
  bool document_blocks = false;  ///< of indexes of impacts
  bool is_read_only = false;
  std::uint64_t writer_memory = std::uint64_t{256} << 20;
  std::size_t probes = 16;  ///< lists of vectors that a query probes
  std::size_t refine = 0;   ///< nearest codes that are ranked again by their vectors
};

class ServedIndex : public std::enable_shared_from_this<ServedIndex> {
 public:
  /// Opens it. Throws as Searcher and VectorIndex do. `writers` are the threads of changes.
  ServedIndex(std::string name, std::filesystem::path folder, const OpenSettings& settings,
              WorkPool& writers);

  const std::string& name() const { return name_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool is_vectors() const { return vectors_.has_value(); }
  bool is_read_only() const { return settings_.is_read_only; }
  Device device() const;

  /// Throws HttpError (400) for an index of vectors.
  const Searcher& searcher() const;
  /// Throws HttpError (400) for an index of documents.
  const VectorIndex& vectors() const;
  /// Whether distances between vectors are estimated by codes.
  bool has_estimates() const { return has_estimates_; }
  /// Of the commit that is searched now. Throws as searcher() does.
  std::shared_ptr<const IndexReader> reader() const;
  std::uint64_t commit() const;

  /// Takes the last commit, and says whether there was a new one. Any thread.
  bool refresh();
  /// The same, if the index's manifest is another file than at the last look.
  bool refresh_if_changed();

  using Change = std::function<void(Writer&)>;
  using Failed = std::function<void(std::exception_ptr)>;
  /// Runs `change` on a thread of the writers, after those before it. The writer has a journal; it
  /// is opened for the first change. Where that cannot be, `failed` is called with the exception,
  /// as it is with what `change` throws. Throws HttpError: 403 where the server only reads, 429
  /// where too many wait.
  void post_change(Change change, Failed failed);
  /// The same, and once the change is durable `kept` is called. Changes that wait together are
  /// flushed together, by one write to the disk (group commit).
  void post_durable_change(Change change, std::function<void()> kept, Failed failed);
  /// Makes a writer's changes visible, and searches them. Within a change.
  CommitReport commit_changes(Writer& writer);
  /// Lets other processes change the index again, where this one has not for some seconds and no
  /// change waits for a commit. Merges under way are ended and committed first.
  void close_writer_if_idle();
  /// Changes since the last commit, for reports.
  std::uint64_t uncommitted() const { return uncommitted_.load(std::memory_order_relaxed); }
  void count_changes(std::uint64_t count) { uncommitted_ += count; }
  /// Runs `remove` after all changes, with the writer closed for good. Throws and calls `failed` as
  /// post_change() does, also where another process has the index open for changes.
  void post_removal(std::function<void()> remove, Failed failed);

  std::uint64_t commits() const { return commits_.load(std::memory_order_relaxed); }
  std::uint64_t failed_refreshes() const {
    return failed_refreshes_.load(std::memory_order_relaxed);
  }
  void count_failed_refresh() { ++failed_refreshes_; }

 private:
  using Clock = std::chrono::steady_clock;

  void set_depth();
  Writer& writer();
  bool may_close_writer() const;
  void close_writer();
  bool has_waiting();
  /// A change that waits. With `kept`, it is durable before that is called.
  struct Waiting {
    Change change;
    std::function<void()> kept;
    Failed failed;
  };
  void check_changes() const;
  void post(Waiting waiting);
  void run_changes();
  void keep(std::vector<Waiting>& changed);

  const std::string name_;
  const std::filesystem::path folder_;
  const OpenSettings settings_;
  std::optional<Searcher> searcher_;
  std::optional<VectorIndex> vectors_;
  bool has_estimates_ = false;

  mutable std::mutex mutex_;  ///< protects the next two
  mutable std::shared_ptr<const IndexReader> reader_;
  std::string manifest_;  ///< what tells its versions apart

  std::mutex waiting_mutex_;  ///< protects the next
  std::vector<Waiting> waiting_;
  std::shared_ptr<SerialWork> work_;
  std::optional<Writer> writer_;  ///< touched within changes only
  bool is_closed_ = false;        ///< likewise
  bool is_unsure_ = false;        ///< likewise: a change failed halfway since the last commit
  std::atomic<Clock::rep> last_change_ = 0;  ///< with the writer open; else 0
  std::atomic<bool> is_closing_ = false;
  std::atomic<std::uint64_t> uncommitted_ = 0;
  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> failed_refreshes_ = 0;
};

using IndexPtr = std::shared_ptr<ServedIndex>;

}  // namespace warpdex::server
