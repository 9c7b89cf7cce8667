// The terms of an index in the order of their bytes. Internal to api.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

/// The terms of a segment in their order, from one on, a group of the lexicon at a time.
class TermCursor {
 public:
  TermCursor(const Index& index, std::string_view from) : index_(&index) {
    // The first group that begins with `from` or a later term; it may be in the one before.
    std::uint64_t end = index.term_groups();
    while (group_ < end) {
      const std::uint64_t middle = group_ + (end - group_) / 2;
      if (first_of(middle) < from) {
        group_ = middle + 1;
      } else {
        end = middle;
      }
    }
    if (group_ > 0) --group_;
    load();
    while (!is_at_end() && term() < from) next();
  }

  bool is_at_end() const { return place_ == terms_.size(); }
  const std::string& term() const { return terms_[place_].text; }
  std::uint32_t documents() const { return terms_[place_].documents; }
  void next() {
    if (++place_ == terms_.size()) load();
  }

 private:
  struct Term {
    std::string text;
    std::uint32_t documents;
  };

  std::string first_of(std::uint64_t group) const {
    std::string first;
    index_->for_each_term_of_group(group, [&](std::string_view term, const PostingsEntry&) {
      if (first.empty()) first = term;
    });
    return first;
  }
  void load() {
    terms_.clear();
    place_ = 0;
    while (terms_.empty() && group_ < index_->term_groups()) {
      index_->for_each_term_of_group(
          group_++, [this](std::string_view term, const PostingsEntry& entry) {
            terms_.push_back({std::string(term), entry.document_frequency});
          });
    }
  }

  const Index* index_;
  std::uint64_t group_ = 0;
  std::vector<Term> terms_;
  std::size_t place_ = 0;
};

/// The terms of all segments that begin with a prefix, each once.
class TermUnion {
 public:
  /// `prefix` is of a term of the index, and so are the terms: of one text field.
  TermUnion(const Snapshot& snapshot, std::string_view prefix)
      : prefix_(prefix),
        ends_at_mark_(text_count(snapshot.settings().schema) > 1 && field_of_term(prefix) == 0) {
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      cursors_.emplace_back(*segment.index, prefix);
    }
  }

  /// Moves to the next term, at first to the first one; false if there is none.
  bool next() {
    std::optional<std::string> smallest;
    for (const TermCursor& cursor : cursors_) {
      if (!cursor.is_at_end() && (!smallest || cursor.term() < *smallest)) smallest = cursor.term();
    }
    if (!smallest || !smallest->starts_with(prefix_)) return false;
    if (ends_at_mark_ && field_of_term(*smallest) != 0) return false;
    term_ = std::move(*smallest);
    most_documents_ = 0;
    for (TermCursor& cursor : cursors_) {
      if (cursor.is_at_end() || cursor.term() != term_) continue;
      most_documents_ += cursor.documents();
      cursor.next();
    }
    return true;
  }

  const std::string& term() const { return term_; }
  /// How many documents have the term, removed ones included.
  std::uint64_t most_documents() const { return most_documents_; }

 private:
  std::string prefix_;
  bool ends_at_mark_;  ///< terms of the first text field have no mark
  std::vector<TermCursor> cursors_;
  std::string term_;
  std::uint64_t most_documents_ = 0;
};

}  // namespace warpdex
