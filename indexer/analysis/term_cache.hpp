// A bounded cache from raw words to their terms. Internal to indexer/analysis.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace warpdex::analysis {

/// Remembers the terms of short words in a table of fixed size, 32 bytes a slot. Words are found by
/// their raw bytes, so that a hit needs neither folding nor stemming. Nothing is evicted within a
/// text, since views of the terms are in use; a table that is too full for new words is emptied
/// between texts.
class TermCache {
 public:
  /// Longest word, and longest term, that the cache takes. Words must hold no NUL.
  static constexpr std::size_t kMaxBytes = 15;

  /// A word of 1 to kMaxBytes bytes, ready to be looked up.
  struct Key {
    std::uint64_t low = 0;   // bytes 0 to 7
    std::uint64_t high = 0;  // bytes 8 to 14, then the length
    bool operator==(const Key&) const = default;
  };

  struct Slot {
    Key key;                              // all zero: a free slot
    std::array<char, kMaxBytes> bytes{};  // the term; none if the word is dropped
    std::uint8_t size = 0;
    std::string_view term() const { return {bytes.data(), size}; }
  };
  static_assert(sizeof(Slot) == 32);

  /// 2^slot_bits slots, 0 < slot_bits < 32.
  explicit TermCache(unsigned slot_bits)
      : shift_(64 - slot_bits), slots_(kWindow + (std::size_t{1} << slot_bits)) {}

  /// The key of `word`. Reads up to `readable` bytes from its start.
  static Key key_of(std::string_view word, std::size_t readable);

  /// The word's slot, or null. Valid until start_text().
  const Slot* find(const Key& key) const;

  /// Keeps the term of a word that find() did not find, if there is room. Returns its slot or null.
  const Slot* insert(const Key& key, std::string_view term);

  /// Between texts: forgets everything if the table has turned away as many words as it has slots.
  void start_text();

  /// Fetches the memory that find(key) will read.
  void prefetch(const Key& key) const { __builtin_prefetch(&slots_[first_slot(key)]); }

 private:
  static constexpr std::size_t kWindow = 8;  // slots looked at from a key's first

  std::size_t first_slot(const Key& key) const {
    std::uint64_t hash = (key.low ^ std::rotl(key.high, 29)) * 0x9E37'79B9'7F4A'7C15;
    hash = (hash ^ (hash >> 32) ^ key.high) * 0xD6E8'FEB8'6659'FD93;
    return hash >> shift_;
  }

  unsigned shift_;
  std::vector<Slot> slots_;
  std::size_t turned_away_ = 0;
};

inline TermCache::Key TermCache::key_of(std::string_view word, std::size_t readable) {
  static_assert(std::endian::native == std::endian::little);
  Key key;
  const std::size_t size = word.size();
  if (readable >= 16) {
    std::memcpy(&key.low, word.data(), 8);
    std::memcpy(&key.high, word.data() + 8, 8);
    if (size < 8) key.low &= (std::uint64_t{1} << (8 * size)) - 1;
    key.high &= size <= 8 ? 0 : (std::uint64_t{1} << (8 * (size - 8))) - 1;
  } else {
    std::memcpy(&key, word.data(), size);
  }
  key.high |= static_cast<std::uint64_t>(size) << 56;
  return key;
}

inline const TermCache::Slot* TermCache::find(const Key& key) const {
  const Slot* slot = &slots_[first_slot(key)];
  for (const Slot* end = slot + kWindow; slot != end; ++slot) {
    if (slot->key == key) return slot;
    if (slot->key.high == 0) return nullptr;
  }
  return nullptr;
}

inline const TermCache::Slot* TermCache::insert(const Key& key, std::string_view term) {
  if (term.size() > kMaxBytes) return nullptr;
  Slot* slot = &slots_[first_slot(key)];
  for (const Slot* end = slot + kWindow; slot != end; ++slot) {
    if (slot->key.high != 0) continue;
    slot->key = key;
    slot->size = static_cast<std::uint8_t>(term.size());
    term.copy(slot->bytes.data(), term.size());
    return slot;
  }
  ++turned_away_;
  return nullptr;
}

inline void TermCache::start_text() {
  if (turned_away_ < slots_.size()) return;
  slots_.assign(slots_.size(), Slot{});
  turned_away_ = 0;
}

}  // namespace warpdex::analysis
