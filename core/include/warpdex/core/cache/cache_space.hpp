// Where items lie in a memory too small for all of them, and which go when others come: the policy
// of a cache. Plain C++ that touches no item's bytes.
//
// Each item has a heat: its uses, all halved whenever there were kHalfLife of all items, so that
// old ones fade. It is kept for items that are not in, too. An item is worth its heat per byte. It
// takes room that is free; else it pushes out a window of neighbours, long enough for it, each of
// which is worth less than half of what it is, and which lose the least heat together. So an item's
// place is only ever taken by one that is worth far more, and items that are worth about the same
// do not chase each other out: over a log that is repeated, all moves end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpdex {

/// Used by one thread at a time.
class CacheSpace {
 public:
  using Id = std::uint32_t;

  /// Where an item is.
  struct Place {
    std::uint32_t slab;
    std::size_t offset;  ///< in bytes; a multiple of kAlignment
  };
  static constexpr std::size_t kAlignment = 256;

  /// Pieces of memory of the given sizes, in bytes. An item lies in one of them.
  explicit CacheSpace(const std::vector<std::size_t>& slabs);

  /// Bytes of all slabs, less what is lost to alignment.
  std::size_t capacity() const { return capacity_; }
  /// Bytes of the largest slab.
  std::size_t largest_slab() const { return largest_slab_; }
  /// Items that are in.
  std::size_t items() const { return items_; }

  /// Where the item is, if it is in.
  std::optional<Place> find(Id item) const;
  /// What is left of its uses.
  double heat(Id item) const;

  /// Counts a use of an item, which need not be in.
  void use(Id item);
  /// Brings in an item that is not, if there is free room for it.
  bool insert(Id item, std::size_t bytes);
  /// Brings in an item that is not by pushing out others, each one that `may_go`; adds those to
  /// `gone`. False, and nothing changes, where there was no such window among the neighbours that
  /// were looked at, which are others each time.
  bool displace(Id item, std::size_t bytes, const std::function<bool(Id)>& may_go,
                std::vector<Id>& gone);
  /// Takes out an item that is in.
  void remove(Id item);

  static constexpr std::uint64_t kHalfLife = std::uint64_t{1} << 18;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What is known of an item.
  struct Entry {
    std::uint32_t block = kNone;  ///< kNone: not in
    double heat = 0;
  };
  /// An item or a gap, in the order of their addresses.
  struct Block {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::uint32_t slab = 0;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    Id item = 0;
    Entry* entry = nullptr;  ///< null: a gap
  };
  /// Neighbours in one slab.
  struct Window {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    double heat = 0;
  };

  void cool();
  Window find_window(std::size_t bytes, double heat, const std::function<bool(Id)>& may_go);
  std::uint32_t clear_window(const Window& window, std::vector<Id>& gone);
  void empty(std::uint32_t block);
  std::uint32_t new_block();
  void absorb_next(std::uint32_t block);
  std::uint32_t add_gap(std::uint32_t block);
  void take(std::uint32_t gap, std::size_t bytes, Id item);

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> unused_;  ///< places in blocks_
  std::unordered_map<Id, Entry> entries_;
  std::set<std::pair<std::size_t, std::uint32_t>> gaps_;  ///< by size
  std::uint32_t head_ = kNone;
  std::uint32_t hand_ = kNone;  ///< where the next search for a window starts
  std::size_t capacity_ = 0;
  std::size_t largest_slab_ = 0;
  std::size_t items_ = 0;
  std::uint64_t uses_ = 0;  ///< since all heats were halved
};

}  // namespace warpdex
