// The policy of a cache: where items lie in a memory too small for all of them, and which are
// evicted when others come. Plain C++ that touches no item's bytes.
//
// Each item has a heat: the number of its uses, halved whenever all items together had kHalfLife
// uses, so that old uses fade. The heat of items outside the cache is kept, too. An item's worth is
// its heat per byte. It takes free room if there is any. Else it evicts a window of neighbours that
// is long enough: each of them must be worth less than half as much as the new item, and of all
// such windows the one with the least heat goes. So items of about the same worth do not evict each
// other again and again: while the same uses repeat, evictions end.
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

  /// Where an item lies.
  struct Place {
    std::uint32_t slab;
    std::size_t offset;  ///< in bytes; a multiple of kAlignment
  };
  static constexpr std::size_t kAlignment = 256;

  /// The sizes in bytes of the pieces of memory (slabs). Each item lies in one of them.
  explicit CacheSpace(const std::vector<std::size_t>& slabs);

  /// Bytes of all slabs, less what is lost to alignment.
  std::size_t capacity() const { return capacity_; }
  /// Bytes of the largest slab.
  std::size_t largest_slab() const { return largest_slab_; }
  /// The number of items in the cache.
  std::size_t items() const { return items_; }

  /// Where an item lies, if it is in the cache.
  std::optional<Place> find(Id item) const;
  /// An item's heat.
  double heat(Id item) const;

  /// Counts a use of an item, whether it is in the cache or not.
  void use(Id item);
  /// Inserts an item that is not in the cache, if there is free room for it.
  bool insert(Id item, std::size_t bytes);
  /// Inserts an item that is not in the cache by evicting others, each one that `can_evict` allows.
  /// Appends these to `evicted`. Returns false, and changes nothing, if no window that it looked at
  /// will do. Each call looks at other windows.
  bool insert_by_evicting(Id item, std::size_t bytes, const std::function<bool(Id)>& can_evict,
                          std::vector<Id>& evicted);
  /// Removes an item from the cache.
  void remove(Id item);

  static constexpr std::uint64_t kHalfLife = std::uint64_t{1} << 18;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What is known of an item.
  struct Entry {
    std::uint32_t block = kNone;  ///< kNone: not in the cache
    double heat = 0;
  };
  /// An item or a gap. Blocks are ordered by address.
  struct Block {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    std::uint32_t slab = 0;
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    Id item = 0;
    Entry* entry = nullptr;  ///< null: a gap
  };
  /// Neighbouring blocks of one slab.
  struct Window {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    double heat = 0;
  };

  void cool();
  Window find_window(std::size_t bytes, double heat, const std::function<bool(Id)>& can_evict);
  std::uint32_t clear_window(const Window& window, std::vector<Id>& evicted);
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
  std::uint64_t uses_ = 0;  ///< since heats were last halved
};

}  // namespace warpdex
