// In-memory inversion: a hash table from terms to their postings, all in one arena.
//
// The arena holds, per term and in the order in which terms were first seen, an entry, the term's
// bytes and the first chunk of its postings; further chunks follow as they are needed. Offsets
// into the arena are 32 bits, so an inverter holds up to 4 GiB.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/memory_region.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::build {

/// A term of one document: which one (its entry in the inverter) and how often it occurs, or its
/// encoded weight.
struct TermCount {
  std::uint32_t entry = 0;
  std::uint32_t frequency = 0;
};

/// Where a term stands in a document: `count` is its place among the document's counts. In the
/// order of positions.
struct Occurrence {
  std::uint32_t count = 0;
  std::uint32_t position = 0;
};

/// Gathers postings of documents that arrive in ascending order, for one thread. A document is
/// added in two steps, so that its terms can be counted before its docID is known or while it may
/// still be refused: terms without postings do no harm.
class Inverter {
 public:
  /// `expected_bytes`: of the arena, at most; it grows if that is wrong.
  explicit Inverter(std::size_t expected_bytes);

  /// Appends the terms of (a part of) a document to `counts`, each once, with its frequency. The
  /// document's counts start at `document_start`; the frequency of a term that is there already is
  /// increased. Terms are 1 to 65,535 bytes long. Throws InputError if the arena cannot hold them.
  void count_terms(std::span<const std::string_view> terms, std::size_t document_start,
                   std::vector<TermCount>& counts);

  /// Likewise with the terms' positions, which never fall; appends an entry a term to
  /// `occurrences`.
  void count_terms(std::span<const std::string_view> terms,
                   std::span<const std::uint32_t> positions, std::size_t document_start,
                   std::vector<TermCount>& counts, std::vector<Occurrence>& occurrences);

  /// Appends one term of a document with `value` in the place of its frequency; false, and nothing
  /// is done, if the document has it already. Otherwise as count_terms().
  bool add_term(std::string_view term, std::uint32_t value, std::size_t document_start,
                std::vector<TermCount>& counts);

  /// Adds a document's postings. `document` ascends strictly from call to call.
  void add_postings(std::uint32_t document, std::span<const TermCount> counts);

  /// Likewise with positions: `occurrences` are all of the document's in texts that have them.
  void add_postings(std::uint32_t document, std::span<const TermCount> counts,
                    std::span<const Occurrence> occurrences, const PositionedTexts& positioned);

  /// Bytes in use, and those that the hash table would need while it grows, if that is soon.
  std::uint64_t memory() const;

  /// No posting was added.
  bool empty() const { return postings_ == 0; }
  std::uint64_t postings() const { return postings_; }

  /// A limit of memory(): before it is reached, the inverter must be written out and reset.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{3} << 30;

  /// Sorts the terms by their bytes and drops those without postings; until reset(), only
  /// the functions below may be called then.
  void sort();
  std::size_t sorted_terms() const { return terms_; }
  /// The i-th term in order; valid until reset().
  std::string_view term(std::size_t i) const { return term_of(slots()[i].entry); }
  /// Bytes of its postings, as posting_code.hpp has them.
  std::uint64_t postings_bytes(std::size_t i) const;
  /// Appends these bytes to `out`.
  void copy_postings(std::size_t i, std::vector<std::uint8_t>& out) const;

  /// Forgets everything and gives the memory back.
  void reset();

 private:
  // Where a term stands: `entry` is 0 in a free slot. The slot of a tag is found by its top bits,
  // so that doubling the table keeps the order of its slots.
  struct Slot {
    std::uint32_t tag;
    std::uint32_t entry;
  };

  // Followed by the term's bytes and its first chunk, which ends at a multiple of 4. A chunk that
  // is full gives its last 4 bytes to the next one and keeps that one's offset in their place.
  struct Entry {
    std::uint32_t position;       // in the counts where the term was counted last
    std::uint32_t last_document;  // 0 before the first posting
    std::uint32_t tail;           // where the next byte goes
    std::uint16_t left : 12;      // bytes left in the last chunk
    std::uint16_t chunk : 4;      // which size the last chunk has
    std::uint16_t length;         // of the term
  };
  static_assert(sizeof(Entry) == 16);

  Slot* slots() { return reinterpret_cast<Slot*>(slot_memory_.data()); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(slot_memory_.data()); }
  Entry& entry_at(std::uint32_t at) { return *reinterpret_cast<Entry*>(arena_.data() + at); }
  const Entry& entry_at(std::uint32_t at) const {
    return *reinterpret_cast<const Entry*>(arena_.data() + at);
  }
  std::string_view term_of(std::uint32_t at) const {
    return {reinterpret_cast<const char*>(arena_.data()) + at + sizeof(Entry), entry_at(at).length};
  }

  template <class Visit>
  void count_each(std::span<const std::string_view> terms, std::size_t document_start,
                  std::vector<TermCount>& counts, const Visit& visit);
  std::uint32_t find_or_insert(std::string_view term, std::uint32_t tag);
  std::uint32_t insert(std::string_view term, std::uint32_t tag, std::size_t index);
  void prefetch(std::span<const std::string_view> terms, std::uint32_t* tags) const;
  void grow_table();
  std::uint32_t allocate(std::size_t size);
  void add_posting(std::uint32_t at, std::uint32_t document, std::uint32_t frequency);
  void add_bytes(std::uint32_t at, const std::uint8_t* bytes, std::size_t count);
  void add_chunk(std::uint32_t at);
  template <class Visit>
  void visit_chunks(std::uint32_t at, const Visit& visit) const;

  std::size_t expected_bytes_;
  MemoryRegion arena_;
  std::size_t used_ = 0;  // of the arena
  MemoryRegion slot_memory_;
  unsigned slot_bits_ = 0;
  std::size_t terms_ = 0;
  std::uint64_t postings_ = 0;
  std::vector<std::uint32_t> starts_;     // by the document's count: where its positions go
  std::vector<std::uint32_t> positions_;  // of a document, by term
  std::vector<std::uint8_t> posting_;     // with its positions
};

}  // namespace warpdex::build
