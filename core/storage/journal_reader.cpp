// Reads journals, and tells the end of one that was cut off from damage before it.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "storage/journal_layout.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex {
namespace journal {
namespace {

/// The sealed header of a record at the start of `bytes`; what follows it may be cut off.
std::optional<RecordHeader> header_at(std::span<const std::uint8_t> bytes, std::uint64_t salt,
                                      std::uint64_t offset) {
  if (bytes.size() < sizeof(RecordHeader)) return std::nullopt;
  const auto record = value_at<RecordHeader>(bytes);
  if (record.seal != seal_of(record, salt, offset)) return std::nullopt;
  return record;
}

/// Whether a record behind `offset`, from where on `bytes` are, says that what is there was synced.
bool was_synced(std::span<const std::uint8_t> bytes, std::uint64_t salt, std::uint64_t offset) {
  for (std::uint64_t at = kAlignment; at + sizeof(RecordHeader) <= bytes.size(); at += kAlignment) {
    const auto record = header_at(bytes.subspan(at), salt, offset + at);
    if (record && record->synced > offset) return true;
  }
  return false;
}

constexpr const char* kAdvice =
    "; restore it, or remove it, and the changes since the last commit with it";

FormatError damaged(const std::string& name, const std::string& what) {
  return FormatError("the journal '" + name + "' " + what + kAdvice);
}

Header checked_header(std::span<const std::uint8_t> bytes, const std::string& name,
                      const JournalBase& base) {
  if (bytes.size() < sizeof(Header)) throw damaged(name, "is cut off within its header");
  const auto header = value_at<Header>(bytes);
  if (header.magic != kMagic) throw damaged(name, "has a damaged header");
  check_version("the journal '" + name + "' is", header.version, kVersion, kVersion,
                "take a newer Warpdex");
  if (header.checksum != checksum_of(header)) throw damaged(name, "has a damaged header");
  if (header.base == base) return header;
  throw damaged(name, "follows another commit (" + std::to_string(header.base.commit) +
                          ") than the index beside it (" + std::to_string(base.commit) + ")");
}

}  // namespace

std::optional<JournalRecord> record_at(std::span<const std::uint8_t> bytes, std::uint64_t salt,
                                       std::uint64_t offset) {
  const auto record = header_at(bytes, salt, offset);
  if (!record) return std::nullopt;
  const auto rest = bytes.subspan(sizeof(RecordHeader));
  if (record->size > rest.size() || padded(record->size) > rest.size()) return std::nullopt;
  const auto content = rest.first(record->size);
  const auto filling = rest.first(padded(record->size)).subspan(record->size);
  const bool is_filled =
      std::all_of(filling.begin(), filling.end(), [](std::uint8_t byte) { return byte == 0; });
  if (!is_filled || checksum(content) != record->checksum) return std::nullopt;
  return JournalRecord{record->kind, content};
}

std::uint64_t visit_records(std::span<const std::uint8_t> bytes, std::uint64_t salt,
                            std::uint64_t offset, const JournalVisitor& visit) {
  while (const auto record = record_at(bytes, salt, offset)) {
    visit(*record);
    const std::uint64_t size = sizeof(RecordHeader) + padded(record->bytes.size());
    bytes = bytes.subspan(size);
    offset += size;
  }
  return offset;
}

}  // namespace journal

JournalContent read_journal(std::span<const std::uint8_t> bytes, const std::string& name,
                            const JournalBase& base, const JournalVisitor& visit) {
  const journal::Header header = journal::checked_header(bytes, name, base);
  JournalContent content{.size = bytes.size()};
  content.end = journal::visit_records(bytes.subspan(sizeof(journal::Header)), header.salt,
                                       sizeof(journal::Header), [&](const JournalRecord& record) {
                                         visit(record);
                                         ++content.records;
                                       });
  if (journal::was_synced(bytes.subspan(content.end), header.salt, content.end)) {
    throw journal::damaged(name, "is damaged at byte " + std::to_string(content.end) + ", behind " +
                                     std::to_string(content.records) + " changes");
  }
  return content;
}

JournalContent read_journal(const Folder& folder, const JournalBase& base,
                            const JournalVisitor& visit) {
  const std::optional<MappedFile> file = folder.map(kJournalName);
  if (!file) return {};
  return read_journal(file->bytes(), folder.path() / kJournalName, base, visit);
}

void check_no_journal(const std::filesystem::path& folder) {
  struct stat status {};
  if (::stat((folder / kJournalName).c_str(), &status) != 0) return;
  if (static_cast<std::uint64_t>(status.st_size) <= sizeof(journal::Header)) return;
  throw UsageError("the index '" + folder.string() +
                   "' has changes in its journal that no commit has; commit them by 'warpdex "
                   "merge', remove the folder, or choose another output");
}

}  // namespace warpdex
