// Recursive graph bisection: an order of documents in which those with terms in common lie near
// each other, so that the gaps of posting lists are small. Dhulipala et al., "Compressing Graphs
// and Indexes with Recursive Graph Bisection", KDD 2016, section 3; documents are chosen by
// selection instead of sorting as in Mackenzie et al., "Faster Index Reordering with Bipartite
// Graph Partitioning", SIGIR 2021.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warpdex::reorder {

/// The terms of each document, back to back.
struct ForwardIndex {
  std::vector<std::uint64_t> offsets;  ///< by document, and one past the last: where it starts
  std::vector<std::uint32_t> terms;    ///< numbers below `term_count`, each once a document
  std::uint32_t term_count = 0;

  std::size_t documents() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const std::uint32_t> row(std::size_t document) const {
    return std::span(terms).subspan(offsets[document], offsets[document + 1] - offsets[document]);
  }
};

struct BisectionSettings {
  std::uint32_t leaf = 16;  ///< parts of so many documents are not divided any more; 1 or more
  std::uint32_t iterations = 20;             ///< most exchanges between the halves of a part
  std::size_t threads = 1;                   ///< 1 or more; decides nothing but the time
  std::uint64_t memory = ~std::uint64_t{0};  ///< bytes for all, the forward index included
  std::uint64_t task_postings = 1ULL << 20;  ///< smaller parts are left to one thread
};

/// The bytes that bisect() takes at least, the forward index of so many documents, postings and
/// terms included. Each further thread takes more.
std::uint64_t bisection_memory(std::uint64_t documents, std::uint64_t postings,
                               std::uint64_t terms);

/// The order: the document that comes first, the second, and so on. Documents without terms come
/// last, in the order in which they were. The same for any number of threads and any budget; where
/// `memory` is short, fewer threads run. O(postings · iterations · log(documents / leaf)).
/// `progress` is called with the share done (0 to 1), one call at a time, from any thread; what it
/// throws ends the work.
std::vector<std::uint32_t> bisect(const ForwardIndex& forward, const BisectionSettings& settings,
                                  const std::function<void(double)>& progress = {});

}  // namespace warpdex::reorder
