// The headers of a journal and of its records, and how they are sealed. Internal.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/storage/journal.hpp"

namespace warpdex::journal {

static_assert(std::endian::native == std::endian::little, "journals are little-endian");

inline constexpr std::array<char, 8> kMagic{'W', 'A', 'R', 'P', 'D', 'E', 'X', 'J'};
inline constexpr std::uint64_t kVersion = 1;
inline constexpr std::size_t kAlignment = 8;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint64_t version = kVersion;
  JournalBase base;
  std::uint64_t salt = 0;  ///< drawn for this file: no other bytes look like its records
  std::array<std::uint64_t, 2> reserved{};
  std::uint64_t checksum = 0;  ///< of the bytes before it
};
static_assert(sizeof(Header) == 64);

struct RecordHeader {
  std::uint64_t kind = 0;
  std::uint64_t size = 0;      ///< of the bytes that follow, without those up to the alignment
  std::uint64_t synced = 0;    ///< of the file, in bytes, when the record was made
  std::uint64_t checksum = 0;  ///< of the bytes that follow
  std::uint64_t seal = 0;      ///< seal_of() this
};
static_assert(sizeof(RecordHeader) == 40);

template <class Value>
std::span<const std::uint8_t> bytes_of(const Value& value) {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

/// The value whose bytes `bytes` start with, which are enough.
template <class Value>
Value value_at(std::span<const std::uint8_t> bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

inline std::uint64_t checksum_of(const Header& header) {
  return checksum(bytes_of(header).first(offsetof(Header, checksum)));
}

/// Of a record's header at this offset of the file.
inline std::uint64_t seal_of(const RecordHeader& record, std::uint64_t salt, std::uint64_t offset) {
  const std::array<std::uint64_t, 6> sealed{record.kind,     record.size, record.synced,
                                            record.checksum, salt,        offset};
  return checksum(bytes_of(sealed));
}

/// `size`, and what is missing to the next record's place.
constexpr std::uint64_t padded(std::uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// The whole record at the start of `bytes`, which lie at `offset` of the file. None where it is
/// cut off or damaged.
std::optional<JournalRecord> record_at(std::span<const std::uint8_t> bytes, std::uint64_t salt,
                                       std::uint64_t offset);

/// Calls visit() for each record of `bytes`, which begin at `offset` of the file, up to the end or
/// the first that is not whole. Returns the file's offset of that.
std::uint64_t visit_records(std::span<const std::uint8_t> bytes, std::uint64_t salt,
                            std::uint64_t offset, const JournalVisitor& visit);

}  // namespace warpdex::journal
