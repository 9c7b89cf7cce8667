// Merging of runs: term by term in the order of bytes, and within a term by docID.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "build/term_source.hpp"
#include "format/posting_code.hpp"

namespace warpdex::build {

/// A term's postings as they lie in one source: their size in bytes.
using PieceSizes = std::vector<std::uint64_t>;

/// Walks the union of the terms of some sources. O(log sources) a term and source.
class TermMerger {
 public:
  explicit TermMerger(std::vector<std::unique_ptr<TermSource>> sources);

  /// Moves to the next term; false at the end. The term before must have been taken.
  bool next();

  /// Valid until next().
  std::string_view term() const { return sources_[current_.front()]->term(); }
  /// Of the term's postings in all sources.
  std::uint64_t bytes() const { return bytes_; }

  /// Appends the term's postings, source by source, to `bytes`, and their sizes to `pieces`.
  void take(std::vector<std::uint8_t>& bytes, PieceSizes& pieces);

 private:
  struct Head {
    std::uint64_t prefix;  // the term's first bytes, as a number that sorts as they do
    std::uint32_t source;
  };
  struct ComesLater;

  void push(std::uint32_t source);

  std::vector<std::unique_ptr<TermSource>> sources_;
  std::vector<Head> heap_;
  std::vector<std::uint32_t> current_;  // the sources that hold the current term
  std::uint64_t bytes_ = 0;
};

/// Walks the postings of one term in several pieces by ascending docID; a docID is in one piece
/// only. Takes long stretches from one piece without comparing.
class PostingMerger {
 public:
  /// Starts with pieces that lie one after the other at `bytes`.
  void start(const std::uint8_t* bytes, std::span<const std::uint64_t> sizes,
             bool have_positions = false);

  /// Calls visit(cursor) for every posting.
  template <class Visit>
  void for_each(const Visit& visit) {
    while (heap_.size() > 1) {
      pop_first();
      PostingCursor& cursor = heap_.back();
      const std::uint32_t limit = heap_.front().document;
      bool more = true;
      do {
        visit(std::as_const(cursor));
        more = cursor.advance();
      } while (more && cursor.document < limit);
      more ? push_last() : heap_.pop_back();
    }
    if (heap_.empty()) return;
    PostingCursor& cursor = heap_.front();
    do {
      visit(std::as_const(cursor));
    } while (cursor.advance());
    heap_.clear();
  }

 private:
  void pop_first();
  void push_last();

  std::vector<PostingCursor> heap_;
};

}  // namespace warpdex::build
