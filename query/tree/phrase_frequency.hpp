// How often a phrase occurs in a document, from the positions of its words, as Lucene counts it
// (ExactPhraseMatcher, SloppyPhraseMatcher). Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpdex {

/// A place of a phrase: one word, or several of which one is enough.
struct PhrasePlace {
  std::uint32_t offset = 0;                ///< from the phrase's first place; they rise
  std::vector<std::uint32_t> words{};      ///< numbers of its words: equal for equal ones
  std::vector<std::uint32_t> positions{};  ///< in the document, ascending
};

/// Where a phrase without slop may begin in a document: places narrow that down one by one, and as
/// often as what is left does it occur.
class PhraseStarts {
 public:
  /// A new document, of which the positions of one place are given, ascending.
  void begin(std::span<const std::uint32_t> positions, std::uint32_t offset);
  /// Keeps those where this place stands at its offset, too.
  void narrow(std::span<const std::uint32_t> positions, std::uint32_t offset);
  std::size_t size() const { return starts_.size(); }

 private:
  std::vector<std::uint32_t> starts_;
};

/// Counts a phrase with slop in documents.
class SloppyCounter {
 public:
  /// `places`: 2 or more. Their offsets and words stay as they are.
  SloppyCounter(std::span<const PhrasePlace> places, std::uint32_t slop);

  /// The frequency in a document whose positions the places have, each one or more: the sum over
  /// matches of 1 / (1 + length), where the length of a match is how far the places have to move
  /// together; 0: the document has not the phrase. Words that occur twice in the phrase are two
  /// different ones in the document.
  float count(std::span<const PhrasePlace> places);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// A place on its way through a document.
  struct Walk {
    const std::uint32_t* next = nullptr;
    const std::uint32_t* end = nullptr;
    std::int64_t offset = 0;
    std::int64_t position = 0;  ///< in the document, less the offset
    std::size_t group = kNone;  ///< kNone: no other place has one of its words
    bool is_queued = false;

    std::int64_t place() const { return position + offset; }
    bool advance() {
      if (next == end) return false;
      position = std::int64_t{*next++} - offset;
      return true;
    }
  };

  void find_groups(std::span<const PhrasePlace> places);
  bool start(std::span<const PhrasePlace> places);
  bool part_group(const std::vector<std::size_t>& group);
  bool part_group_of_several(const std::vector<std::size_t>& group);
  bool next_match();
  bool advance(std::size_t walk);
  bool part_from_group(std::size_t walk);
  std::size_t colliding(std::size_t walk) const;
  std::size_t lesser(std::size_t a, std::size_t b) const;
  std::size_t first_queued() const;

  std::uint32_t slop_;
  std::vector<Walk> walks_;
  std::vector<std::vector<std::size_t>> groups_;  ///< places with words in common
  bool have_several_ = false;                     ///< one of these has several words
  std::int64_t end_ = 0;                          ///< the largest position
  std::int64_t match_length_ = 0;
  bool is_over_ = false;
};

}  // namespace warpdex
