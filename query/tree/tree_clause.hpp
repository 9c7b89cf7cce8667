// The clauses of a tree in one segment, a window of documents at a time. Internal.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/list_cursor.hpp"
#include "cpu/searched_segment.hpp"
#include "tree/tree_plan.hpp"

namespace warpdex {

/// Documents of a window.
inline constexpr std::uint32_t kTreeWindow = 4096;
using WindowBits = std::array<std::uint64_t, kTreeWindow / 64>;

/// Calls visit(place) for each bit that is set, in order.
template <class Visit>
void for_each_bit(const WindowBits& bits, const Visit& visit) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::uint64_t word = bits[i]; word != 0; word &= word - 1) {
      visit(static_cast<std::uint32_t>(i * 64) +
            static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }
}

inline void set_bit(WindowBits& bits, std::uint32_t place) {
  bits[place / 64] |= std::uint64_t{1} << place % 64;
}

struct TreeWindow {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  ///< at most kTreeWindow from `begin`, and at most the documents
  /// Where it is above 0, matches that score no more than this may be left out, or score too
  /// little.
  float least = -1;
};

/// Which documents of a window match, and what they score, where a score is wanted.
struct WindowMatches {
  WindowBits bits{};
  std::vector<float> scores;  ///< by place in the window; of documents that do not match undefined
};

/// A match of a clause that stands alone.
struct ScoredDocument {
  std::uint32_t document = 0;
  float score = 0;
};

class TreeClause {
 public:
  virtual ~TreeClause() = default;
  /// A lower bound of the first match of `document` or more; kNoDocument: there is none.
  virtual std::uint32_t next_document(const Kernels& kernels, std::uint32_t document) = 0;
  /// An upper bound of the scores of matches in the window; not below 0.
  virtual float bound(const TreeWindow& window) = 0;
  /// About how many postings have to be read for all matches.
  virtual std::uint64_t cost() const = 0;
  /// Finds the matches among the documents `within`. Windows rise from call to call.
  virtual void match(const Kernels& kernels, const TreeWindow& window, const WindowBits& within,
                     WindowMatches& matches) = 0;

  /// Whether the clause, where it is the whole tree, is faster without windows.
  virtual bool is_walked() const { return false; }
  /// Such a clause's next matches, in order; false: there are none any more. Those that score no
  /// more than `least` may be left out.
  virtual bool walk(const Kernels& /*kernels*/, float /*least*/,
                    std::vector<ScoredDocument>& /*matches*/) {
    return false;
  }
};

/// A planned clause in the segment of that number. `statistics` are by text field.
std::unique_ptr<TreeClause> make_clause(const PlannedNode& node, const SearchedSegment& segment,
                                        std::size_t number, const ScorerSettings& scorer,
                                        const std::vector<CollectionStatistics>& statistics);

}  // namespace warpdex
