// An index in parts, each of which may lie on another host: what answers for a part, and what asks
// them all and answers as one index that has all their documents, to the bit. Messages between the
// two are bytes that any transport may carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
