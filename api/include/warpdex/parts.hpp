// An index in parts, each of which may lie on another host: what answers for a part, and what asks
// them all and answers as one index that has all their documents, to the bit. Messages between the
// two are bytes that any transport may carry. Where parts have replicas, a ReplicaSet says which of
// them is asked when.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/search_options.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {

/// Answers for one part. For any number of threads.
class PartServer {
 public:
  /// Opens the last commit of an index of documents, and stays at it. With kGpu the GPUs answer
  /// queries of words, and the CPU the rest; kAuto takes them if there are some. `follow` is not
  /// read. Throws as Searcher does.
  explicit PartServer(const std::filesystem::path& folder, const SearcherOptions& options = {});
  ~PartServer();
  PartServer(PartServer&&) noexcept;
  PartServer& operator=(PartServer&&) noexcept;

  /// The answer to a message of a PartedSearcher. What cannot be answered is answered by a message
  /// that says why.
  std::string answer(std::string_view message) const;
  /// Live ones.
  std::uint64_t documents() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Why a part did not answer, where a copy of the part might: it is of another version, damaged, or
/// out of memory. Empty for an answer, and where every copy would say the same.
std::string fault_of_copy(std::string_view answer);

/// A message for a part, and what became of it.
struct PartMessage {
  std::uint32_t part = 0;
  std::string bytes{};
};
struct PartReply {
  std::string bytes{};    ///< what PartServer::answer() returned
  std::string failure{};  ///< why no answer came; empty: one did
};

/// Sends messages, each to another part, waits for all, and returns the replies in their order.
/// Called from the thread that searches. What it throws ends the search.
using AskParts = std::function<std::vector<PartReply>(std::vector<PartMessage>)>;

/// Of a ReplicaSet. Times in seconds.
struct ReplicaSettings {
  double hedge_rank = 0.95;    ///< a second one is asked once this share of answers would have come
  double first_hedge = 0.05;   ///< when, before there are `samples` answers; long ones, later
  std::uint32_t samples = 20;  ///< of a part
  std::uint32_t window = 500;  ///< so many answers are remembered
  double hedge_share = 0.1;    ///< hedges for each message, at most
  double retry_pause = 0.02;   ///< before replicas that all failed are asked again; it doubles
  double rest = 0.5;           ///< for which one that failed is asked last; it doubles
  double longest_rest = 10;    ///< up to this
  double abandon = 30;         ///< until then a call without an answer counts as its replica's work
};

/// Since the beginning. Several sets may share them.
struct ReplicaCounters {
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> hedges{0};
  std::atomic<std::uint64_t> hedges_won{0};
  std::atomic<std::uint64_t> retries{0};
  std::atomic<std::uint64_t> failures{0};  ///< messages without an answer
};

/// What became of a message to the replicas of a part.
struct ReplicaReply {
  std::string bytes{};
  std::string failure{};      ///< why there is none; else empty
  bool is_of_version = true;  ///< false: no replica has the version any more, or yet
};

/// A message that is to be sent to a replica.
struct ReplicaCall {
  std::uint64_t number = 0;  ///< not 0
  std::uint32_t part = 0;
  std::string name{};  ///< of the replica
  std::shared_ptr<const std::string> bytes{};
};

namespace replicas {
struct SetState;
}

/// The replicas of all parts: asks those that have the least work, asks others where one is slow or
/// fails, and never answers later than asked. For any number of threads.
///
/// What it asks is sent by threads that call next(). Sending may stand still where a host is cut
/// off, so there should be as many of them as replicas. Most of the time one does all the work.
class ReplicaSet {
 public:
  /// Why bytes that came are no answer, and another replica may have one; else empty.
  using FindFault = std::function<std::string(std::string_view)>;

  explicit ReplicaSet(std::size_t parts, const ReplicaSettings& settings = {},
                      std::shared_ptr<ReplicaCounters> counters = {}, FindFault find_fault = {});
  /// No thread may be in it.
  ~ReplicaSet();
  ReplicaSet(const ReplicaSet&) = delete;
  ReplicaSet& operator=(const ReplicaSet&) = delete;

  std::size_t parts() const;
  /// The replicas of each part from now on, by their names. Messages under way may go to new ones.
  void take(const std::vector<std::vector<std::string>>& names);
  /// All threads that send end, and nothing is answered any more.
  void close();
  /// Waits for the next message to send, to a replica that no other thread sends to. `sent`: the
  /// number of the one that the thread had before; 0: none. Nothing: it is closed.
  std::optional<ReplicaCall> next(std::uint64_t sent);

  /// The replies to messages, in their order, at `deadline` at the latest. Blocks.
  std::vector<ReplicaReply> ask(std::vector<PartMessage> messages,
                                std::chrono::steady_clock::time_point deadline);
  /// What came of a call, from any thread. `lacks_version`: its version is not open there.
  void answered(std::uint64_t call, std::string bytes);
  void failed(std::uint64_t call, const std::string& why, bool lacks_version);

 private:
  std::unique_ptr<replicas::SetState> state_;
};

/// The time that a search by ask_replicas() has on this thread, while the object lives. Where it is
/// partial, the statistics that are asked for before it have half of the time: a part that does not
/// answer leaves the others time to search.
class SearchTime {
 public:
  explicit SearchTime(std::chrono::steady_clock::time_point deadline, bool is_partial = false);
  ~SearchTime();
  SearchTime(const SearchTime&) = delete;
  SearchTime& operator=(const SearchTime&) = delete;

  /// Whether a part had no replica with its version since then.
  bool is_version_gone() const { return is_version_gone_; }

 private:
  friend AskParts ask_replicas(std::shared_ptr<ReplicaSet> set);

  std::chrono::steady_clock::time_point of_statistics_;
  std::chrono::steady_clock::time_point deadline_;
  bool is_version_gone_ = false;
  SearchTime* outer_;
};

/// For a PartedSearcher: asks the set, within the SearchTime of the thread.
AskParts ask_replicas(std::shared_ptr<ReplicaSet> set);

struct PartedHit {
  std::uint32_t part = 0;
  std::uint32_t document = 0;  ///< its docID in the part
  float score = 0;
  std::string id{};
  std::string cursor{};  ///< of a sorted search: its place, for SearchOptions::search_after
  /// As SearchOptions::fields ask; empty where the part did not answer for them.
  std::vector<ShownField> fields{};
};

/// Up to k documents, best first; equal scores by part, then by docID.
struct PartedAnswer {
  std::vector<PartedHit> hits{};
  /// Exact if no part is missing and matches are counted, as they are for facets and sorted
  /// searches; else a lower bound.
  std::uint64_t matches = 0;
  std::vector<Facet> facets{};   ///< of the parts that answered, as SearchOptions::facets ask
  bool fell_back_to_or = false;  ///< and-or: the answer is OR's
  bool is_complete = true;       ///< these are the k best of all parts, also where one is missing
  float max_missing_score = -1;  ///< of a document of a missing part, at most; negative: none
};

struct PartedBatch {
  struct Missing {
    std::uint32_t part = 0;
    std::string reason{};
  };
  std::vector<PartedAnswer> answers{};  ///< in the order of the texts
  std::uint64_t documents = 0;          ///< live ones of all parts
  std::uint64_t searched = 0;           ///< those of the parts that answered
  std::vector<Missing> missing{};
  bool has_whole_statistics = true;   ///< false: scores lack the statistics of a missing part
  std::uint32_t rounds = 0;           ///< of messages
  bool scores_are_distances = false;  ///< smaller ones are better
};

/// Searches the parts as they were when it was made, and remembers what they count of the terms of
/// earlier queries. For any number of threads.
class PartedSearcher {
 public:
  /// Asks `parts` parts what they are; part i has the documents behind those of part i - 1. Throws
  /// UsageError where they do not fit together, IoError where one does not answer.
  PartedSearcher(std::size_t parts, AskParts ask);
  ~PartedSearcher();
  PartedSearcher(PartedSearcher&&) noexcept;
  PartedSearcher& operator=(PartedSearcher&&) noexcept;

  /// Live documents of all parts.
  std::uint64_t documents() const;

  /// By words alone. Of `options` deadline, stop, threads and on_progress are not read; explain is
  /// refused (UsageError), and so is a prefix, pattern or range that stands for more terms than one
  /// index takes. `is_partial`: where a part does not answer the others' answers are told, and what
  /// is missing; else IoError, which names the part. Throws as Searcher::search() else.
  PartedBatch search(std::span<const std::string_view> texts, const SearchOptions& options = {},
                     bool is_partial = false) const;
  /// By words and vectors, of which `vectors` has a row for each text, joined by rrf or convex; or,
  /// with `vectors_alone` or without texts, by vectors alone. Throws as the other and as
  /// Searcher::search(), and UsageError for other fusions and for parts with lists or codes of
  /// vectors, which find others than one index.
  PartedBatch search(std::span<const std::string_view> texts, std::span<const float> vectors,
                     const SearchOptions& options = {}, bool is_partial = false) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
