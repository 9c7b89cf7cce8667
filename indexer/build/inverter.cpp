// The hash table, the chunks of postings in its arena, and the order of its terms.
#include "build/inverter.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "format/posting_code.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::build {
namespace {

constexpr unsigned kMinSlotBits = 12;
constexpr std::size_t kFirstOffset = 16;                          // 0 marks a free slot
constexpr std::size_t kArenaLimit = (std::size_t{1} << 32) - 16;  // offsets of ends fit too
constexpr std::size_t kBlock = 16;  // terms whose memory is fetched ahead together
constexpr std::size_t kAhead = 8;   // postings ahead of which memory is fetched

// Chunks grow by about one half: little is left unused in a list, and its chunks stay few. The
// first one's size, 4 to 7 bytes, depends on the term's length.
constexpr std::array<std::uint16_t, 16> kChunkBytes{0,   12,  16,  24,  36,  56,   84,   128,
                                                    192, 288, 432, 648, 972, 1460, 2188, 3284};
constexpr unsigned kLastChunk = kChunkBytes.size() - 1;

std::size_t first_chunk_bytes(std::size_t length) { return 4 + (-length & 3); }

std::uint32_t tag_of(std::string_view term) {
  return static_cast<std::uint32_t>(XXH3_64bits(term.data(), term.size()) >> 32);
}

template <class T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// memcmp's call costs more than the comparison of a short term.
bool same_bytes(const char* a, const char* b, std::size_t length) {
  if (length > 16) return std::memcmp(a, b, length) == 0;
  if (length >= 8) {
    return load<std::uint64_t>(a) == load<std::uint64_t>(b) &&
           load<std::uint64_t>(a + length - 8) == load<std::uint64_t>(b + length - 8);
  }
  if (length >= 4) {
    return load<std::uint32_t>(a) == load<std::uint32_t>(b) &&
           load<std::uint32_t>(a + length - 4) == load<std::uint32_t>(b + length - 4);
  }
  return a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1];
}

// The first 4 bytes as a number that sorts as they do.
std::uint32_t prefix_of(std::string_view term) {
  std::uint32_t prefix = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    prefix = prefix << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0U);
  }
  return prefix;
}

}  // namespace

Inverter::Inverter(std::size_t expected_bytes)
    : expected_bytes_(std::clamp(expected_bytes, std::size_t{1} << 16, kArenaLimit)) {
  reset();
}

void Inverter::reset() {
  arena_ = MemoryRegion(expected_bytes_);
  used_ = kFirstOffset;
  slot_bits_ = kMinSlotBits;
  slot_memory_ = MemoryRegion(sizeof(Slot) << slot_bits_);
  terms_ = 0;
  postings_ = 0;
}

std::uint64_t Inverter::memory() const {
  const std::uint64_t slots = slot_memory_.size();
  const bool grows_soon = terms_ >= (std::size_t{5} << slot_bits_) / 8;
  return used_ + (grows_soon ? 3 * slots : slots);
}

void Inverter::prefetch(std::span<const std::string_view> terms, std::uint32_t* tags) const {
  const Slot* table = slots();
  const unsigned shift = 32 - slot_bits_;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    tags[i] = tag_of(terms[i]);
    __builtin_prefetch(table + (tags[i] >> shift));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    __builtin_prefetch(arena_.data() + table[tags[i] >> shift].entry, 1);
  }
}

// visit(place) gets the place of each term among the counts.
template <class Visit>
void Inverter::count_each(std::span<const std::string_view> terms, std::size_t document_start,
                          std::vector<TermCount>& counts, const Visit& visit) {
  std::array<std::uint32_t, kBlock> tags;
  while (!terms.empty()) {
    const auto block = terms.first(std::min(kBlock, terms.size()));
    prefetch(block, tags.data());
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::uint32_t at = find_or_insert(block[i], tags[i]);
      Entry& entry = entry_at(at);
      // A position from an earlier document may point anywhere: it is right if the term is there.
      const std::size_t position = entry.position;
      if (position >= document_start && position < counts.size() && counts[position].entry == at) {
        ++counts[position].frequency;
        visit(position);
      } else {
        visit(counts.size());
        entry.position = static_cast<std::uint32_t>(counts.size());
        counts.push_back({at, 1});
      }
    }
    terms = terms.subspan(block.size());
  }
}

void Inverter::count_terms(std::span<const std::string_view> terms, std::size_t document_start,
                           std::vector<TermCount>& counts) {
  count_each(terms, document_start, counts, [](std::size_t) {});
}

void Inverter::count_terms(std::span<const std::string_view> terms,
                           std::span<const std::uint32_t> positions, std::size_t document_start,
                           std::vector<TermCount>& counts, std::vector<Occurrence>& occurrences) {
  const std::size_t before = occurrences.size();
  occurrences.resize(before + terms.size());
  Occurrence* next = occurrences.data() + before;
  const std::uint32_t* position = positions.data();
  count_each(terms, document_start, counts, [&](std::size_t place) {
    *next++ = {static_cast<std::uint32_t>(place - document_start), *position++};
  });
}

bool Inverter::add_term(std::string_view term, std::uint32_t value, std::size_t document_start,
                        std::vector<TermCount>& counts) {
  const std::uint32_t at = find_or_insert(term, tag_of(term));
  Entry& entry = entry_at(at);
  const std::size_t position = entry.position;
  if (position >= document_start && position < counts.size() && counts[position].entry == at) {
    return false;
  }
  entry.position = static_cast<std::uint32_t>(counts.size());
  counts.push_back({at, value});
  return true;
}

std::uint32_t Inverter::find_or_insert(std::string_view term, std::uint32_t tag) {
  const Slot* table = slots();
  const std::size_t mask = (std::size_t{1} << slot_bits_) - 1;
  std::size_t index = tag >> (32 - slot_bits_);
  for (; table[index].entry != 0; index = (index + 1) & mask) {
    if (table[index].tag != tag) continue;
    const std::string_view known = term_of(table[index].entry);
    if (known.size() == term.size() && same_bytes(known.data(), term.data(), term.size())) {
      return table[index].entry;
    }
  }
  return insert(term, tag, index);
}

std::uint32_t Inverter::insert(std::string_view term, std::uint32_t tag, std::size_t index) {
  const std::size_t first_chunk = first_chunk_bytes(term.size());
  const std::uint32_t at = allocate(sizeof(Entry) + term.size() + first_chunk);
  Entry& entry = entry_at(at);
  entry = Entry{};
  entry.length = static_cast<std::uint16_t>(term.size());
  entry.tail = static_cast<std::uint32_t>(at + sizeof(Entry) + term.size());
  entry.left = static_cast<std::uint16_t>(first_chunk & 0xFFF);
  std::memcpy(arena_.data() + at + sizeof(Entry), term.data(), term.size());
  slots()[index] = {tag, at};
  if (++terms_ > (std::size_t{11} << slot_bits_) / 16) grow_table();
  return at;
}

void Inverter::grow_table() {
  const Slot* old = slots();
  const std::size_t old_size = std::size_t{1} << slot_bits_;
  MemoryRegion memory(sizeof(Slot) * old_size * 2);
  Slot* table = reinterpret_cast<Slot*>(memory.data());
  const unsigned shift = 31 - slot_bits_;
  const std::size_t mask = 2 * old_size - 1;
  for (std::size_t i = 0; i < old_size; ++i) {
    if (old[i].entry == 0) continue;
    std::size_t index = old[i].tag >> shift;
    while (table[index].entry != 0) index = (index + 1) & mask;
    table[index] = old[i];
  }
  slot_memory_ = std::move(memory);
  ++slot_bits_;
}

std::uint32_t Inverter::allocate(std::size_t size) {
  const std::size_t at = used_;
  if (at + size > kArenaLimit) {
    throw InputError(
        "a document holds more than 1 GiB of different terms; split it, or leave it out");
  }
  if (at + size > arena_.size()) {
    arena_.grow(std::min(kArenaLimit, std::max(2 * arena_.size(), at + size)));
  }
  used_ = at + size;
  return static_cast<std::uint32_t>(at);
}

void Inverter::add_postings(std::uint32_t document, std::span<const TermCount> counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i + 2 * kAhead < counts.size()) {
      __builtin_prefetch(arena_.data() + counts[i + 2 * kAhead].entry, 1);
    }
    if (i + kAhead < counts.size()) {
      __builtin_prefetch(arena_.data() + entry_at(counts[i + kAhead].entry).tail, 1);
    }
    add_posting(counts[i].entry, document, counts[i].frequency);
  }
  postings_ += counts.size();
}

void Inverter::add_postings(std::uint32_t document, std::span<const TermCount> counts,
                            std::span<const Occurrence> occurrences,
                            const PositionedTexts& positioned) {
  const auto has_steps = [&](const TermCount& count) {
    return !positioned.differ() || positioned.has_term(term_of(count.entry));
  };
  starts_.resize(counts.size());
  std::uint32_t start = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    starts_[i] = start;
    start += has_steps(counts[i]) ? counts[i].frequency : 0;
  }
  positions_.resize(occurrences.size());
  for (const Occurrence& one : occurrences) positions_[starts_[one.count]++] = one.position;
  const std::uint32_t* next = positions_.data();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i + 2 * kAhead < counts.size()) {
      __builtin_prefetch(arena_.data() + counts[i + 2 * kAhead].entry, 1);
    }
    if (i + kAhead < counts.size()) {
      __builtin_prefetch(arena_.data() + entry_at(counts[i + kAhead].entry).tail, 1);
    }
    const std::uint32_t at = counts[i].entry;
    const std::uint32_t frequency = counts[i].frequency;
    const std::size_t room = kMaxPostingBytes + std::size_t{5} * frequency;
    if (posting_.size() < room) posting_.resize(room);
    Entry& entry = entry_at(at);
    const bool fits = entry.left >= room;
    std::uint8_t* const begin = fits ? arena_.data() + entry.tail : posting_.data();
    std::uint8_t* end = write_posting(begin, document - entry.last_document, frequency);
    entry.last_document = document;
    std::uint32_t last = 0;
    const std::uint32_t steps = has_steps(counts[i]) ? frequency : 0;
    for (std::uint32_t j = 0; j < steps; ++j, ++next) {
      end = write_varint(end, *next - last);
      last = *next;
    }
    const auto size = static_cast<std::size_t>(end - begin);
    if (fits) {
      entry.tail += static_cast<std::uint32_t>(size);
      entry.left = static_cast<std::uint16_t>((entry.left - size) & 0xFFF);
    } else {
      add_bytes(at, begin, size);
    }
  }
  postings_ += counts.size();
}

inline void Inverter::add_posting(std::uint32_t at, std::uint32_t document,
                                  std::uint32_t frequency) {
  Entry& entry = entry_at(at);
  const std::uint32_t gap = document - entry.last_document;
  entry.last_document = document;
  if (entry.left >= kMaxPostingBytes) {
    std::uint8_t* out = arena_.data() + entry.tail;
    const auto count = static_cast<unsigned>(write_posting(out, gap, frequency) - out);
    entry.tail += count;
    entry.left = static_cast<std::uint16_t>((entry.left - count) & 0xFFF);
    return;
  }
  std::array<std::uint8_t, kMaxPostingBytes> bytes;
  const std::uint8_t* end = write_posting(bytes.data(), gap, frequency);
  add_bytes(at, bytes.data(), static_cast<std::size_t>(end - bytes.data()));
}

void Inverter::add_bytes(std::uint32_t at, const std::uint8_t* bytes, std::size_t count) {
  while (count > 0) {
    if (entry_at(at).left == 0) add_chunk(at);
    Entry& entry = entry_at(at);
    const std::size_t part = std::min<std::size_t>(count, entry.left);
    std::memcpy(arena_.data() + entry.tail, bytes, part);
    entry.tail += static_cast<std::uint32_t>(part);
    entry.left = static_cast<std::uint16_t>((entry.left - part) & 0xFFF);
    bytes += part;
    count -= part;
  }
}

void Inverter::add_chunk(std::uint32_t at) {
  const unsigned chunk = std::min(entry_at(at).chunk + 1U, kLastChunk);
  const std::uint32_t fresh = allocate(kChunkBytes[chunk]);  // may move the arena
  Entry& entry = entry_at(at);
  std::uint8_t* link = arena_.data() + entry.tail - sizeof fresh;
  std::memcpy(arena_.data() + fresh, link, sizeof fresh);
  std::memcpy(link, &fresh, sizeof fresh);
  entry.tail = fresh + static_cast<std::uint32_t>(sizeof fresh);
  entry.left = static_cast<std::uint16_t>((kChunkBytes[chunk] - sizeof fresh) & 0xFFF);
  entry.chunk = static_cast<std::uint16_t>(chunk & 0xF);
}

template <class Visit>
void Inverter::visit_chunks(std::uint32_t at, const Visit& visit) const {
  const Entry& entry = entry_at(at);
  std::size_t start = at + sizeof(Entry) + entry.length;
  std::size_t size = first_chunk_bytes(entry.length);
  const std::size_t last_end = std::size_t{entry.tail} + entry.left;
  for (unsigned chunk = 0; start + size != last_end;) {
    const std::uint8_t* bytes = arena_.data() + start;
    const std::size_t held = size - sizeof(std::uint32_t);
    visit(bytes, held);
    start = load<std::uint32_t>(bytes + held);
    chunk = std::min(chunk + 1, kLastChunk);
    size = kChunkBytes[chunk];
  }
  visit(arena_.data() + start, entry.tail - start);
}

std::uint64_t Inverter::postings_bytes(std::size_t i) const {
  std::uint64_t bytes = 0;
  visit_chunks(slots()[i].entry, [&](const std::uint8_t*, std::size_t count) { bytes += count; });
  return bytes;
}

void Inverter::copy_postings(std::size_t i, std::vector<std::uint8_t>& out) const {
  visit_chunks(slots()[i].entry, [&](const std::uint8_t* bytes, std::size_t count) {
    out.insert(out.end(), bytes, bytes + count);
  });
}

// The table itself becomes the sorted list: its tags are no longer needed.
void Inverter::sort() {
  Slot* table = slots();
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::size_t{1} << slot_bits_; ++i) {
    const std::uint32_t at = table[i].entry;
    if (at == 0 || entry_at(at).tail == at + sizeof(Entry) + entry_at(at).length) continue;
    table[count++] = {prefix_of(term_of(at)), at};
  }
  std::sort(table, table + count, [this](const Slot& a, const Slot& b) {
    return a.tag != b.tag ? a.tag < b.tag : term_of(a.entry) < term_of(b.entry);
  });
  terms_ = count;
}

}  // namespace warpdex::build
