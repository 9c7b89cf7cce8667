// Where lists lie in a memory too small for all of them, and which go when others come: the policy
// of the list cache. Plain C++ that touches no list's bytes. Internal.
//
// What goes: a window of neighbouring lists, none of them pinned, long enough for the new list and
// worth least. A list is worth the bytes that its next uploads would cost:
//
//   wanted · cost · 8  +  max(0, priority - clock) · bytes,   cost = bytes + 64 KiB
//
// where `wanted` counts the queries that were announced and need it, and the second term is
// GreedyDual-Size-Frequency (Cherkasova, 1998): at each use priority = clock + uses · cost / bytes,
// and the clock rises to the priority of what goes, so that old uses fade. A list that all queries
// of a batch are done with so goes before one that some still need, and a log that is read over and
// over does not flush the lists that it shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpdex::gpu {

/// Used by one thread at a time.
class ListSpace {
 public:
  using Id = std::uint32_t;

  /// Where a list is.
  struct Place {
    std::uint32_t slab;
    std::size_t offset;  ///< in bytes; a multiple of kAlignment
  };
  static constexpr std::size_t kAlignment = 256;

  /// Pieces of memory of the given sizes, in bytes. A list lies in one of them.
  explicit ListSpace(const std::vector<std::size_t>& slabs);

  /// Bytes of all slabs, less what is lost to alignment.
  std::size_t capacity() const { return capacity_; }
  /// Bytes of the largest slab.
  std::size_t largest_slab() const { return largest_slab_; }
  /// Lists that are in.
  std::size_t lists() const { return lists_; }
  /// Bytes of the lists that are pinned.
  std::size_t pinned_bytes() const { return pinned_bytes_; }

  /// Where the list is, if it is in.
  std::optional<Place> find(Id list) const;

  /// Whether the list is in and pinned.
  bool is_pinned(Id list) const;

  /// `queries` more will need the list; negative: fewer.
  void want(Id list, std::int64_t queries);

  /// Counts a use of a list that is in, and keeps it in until unpin(). False if it is not in.
  bool pin(Id list);
  /// Brings in a list that is not, pinned, with one use. False, and nothing changes, where it does
  /// not fit beside what is pinned.
  bool insert(Id list, std::size_t bytes);
  /// Takes back one pin().
  void unpin(Id list);
  /// Forgets a list that is in and not pinned.
  void remove(Id list);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What is known of a list that is in, or wanted.
  struct Entry {
    std::uint32_t block = kNone;  ///< kNone: not in
    std::uint32_t pins = 0;
    std::int64_t wanted = 0;
    double uses = 0;
    double priority = 0;
  };
  /// A list or a gap, in the order of their addresses.
  struct Block {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::uint32_t slab = 0;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    Id list = 0;
    Entry* entry = nullptr;  ///< null: a gap
  };
  /// Neighbours in one slab.
  struct Window {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    double worth = 0;
  };

  void use(Entry& entry, std::size_t bytes);
  double worth(const Block& block) const;
  Window find_window(std::size_t bytes, std::uint32_t start, std::size_t most_steps) const;
  std::uint32_t clear_window(const Window& window);
  void empty(std::uint32_t block);
  void forget_if_idle(Id list);
  std::uint32_t new_block();
  void absorb_next(std::uint32_t block);
  std::uint32_t add_gap(std::uint32_t block);
  void take(std::uint32_t gap, std::size_t bytes, Id list);

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> unused_;  ///< places in blocks_
  std::unordered_map<Id, Entry> entries_;
  std::set<std::pair<std::size_t, std::uint32_t>> gaps_;  ///< by size
  std::uint32_t head_ = kNone;
  std::uint32_t hand_ = kNone;  ///< where the next search for a window starts
  std::size_t capacity_ = 0;
  std::size_t largest_slab_ = 0;
  std::size_t lists_ = 0;
  std::size_t pinned_bytes_ = 0;
  double clock_ = 0;
};

}  // namespace warpdex::gpu
