// What searches remember of the groups of a lexicon. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpdex {

/// The first bytes of the first term of each group, as numbers side by side: a search over the
/// groups reads few cache lines. A group's key is put in when a search first reads the group, so
/// that opening an index reads none. 8 bytes a group. Safe for any number of threads.
class GroupKeys {
 public:
  explicit GroupKeys(std::uint64_t groups) : keys_(groups) {}

  /// The first 8 bytes of a term, the first one the highest. Of two terms with different keys, the
  /// one with the smaller key comes first.
  static std::uint64_t key(std::string_view term) {
    std::uint64_t key = 0;
    const std::size_t size = std::min<std::size_t>(term.size(), sizeof(key));
    for (std::size_t i = 0; i < size; ++i) {
      key |= std::uint64_t{static_cast<unsigned char>(term[i])} << (56 - 8 * i);
    }
    return key;
  }

  /// 0 where none is known yet.
  std::uint64_t of_group(std::uint64_t group) const {
    return keys_[group].load(std::memory_order_relaxed);
  }
  void put(std::uint64_t group, std::uint64_t key) {
    keys_[group].store(key, std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<std::uint64_t>> keys_;
};

}  // namespace warpdex
