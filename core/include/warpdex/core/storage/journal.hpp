// A file of changes that no commit has yet, each checked by itself. docs/format.md, "Journal".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/folder.hpp"

namespace warpdex {

/// Its name in the folder of an index.
inline constexpr std::string_view kJournalName = "journal";
/// The name that one has until its header is on the disk.
inline constexpr std::string_view kNewJournalName = "journal.new";

/// The commit that a journal's changes follow.
struct JournalBase {
  std::uint64_t commit = 0;
  std::uint64_t manifest = 0;  ///< the checksum() of all of its manifest
  bool operator==(const JournalBase&) const = default;
};

/// A change, as bytes that its owner gives a meaning.
struct JournalRecord {
  std::uint64_t kind = 0;
  std::span<const std::uint8_t> bytes;
};
using JournalVisitor = std::function<void(const JournalRecord&)>;

/// What a journal's file holds.
struct JournalContent {
  std::uint64_t records = 0;
  std::uint64_t end = 0;   ///< of the last record: what lies behind was never synced
  std::uint64_t size = 0;  ///< of the file
};

/// Reads the bytes of a journal, and calls visit() for each record in order, of which one that was
/// cut off at the end, and what follows it, is none. `name` is for messages. Throws FormatError for
/// damage before the end, where another file's header or another commit's is, and what `visit`
/// throws. O(bytes).
JournalContent read_journal(std::span<const std::uint8_t> bytes, const std::string& name,
                            const JournalBase& base, const JournalVisitor& visit);
/// Those of the journal in a folder. All are 0 where there is none.
JournalContent read_journal(const Folder& folder, const JournalBase& base,
                            const JournalVisitor& visit);

/// Throws UsageError if the folder has a journal with a record, whatever it follows and whatever
/// its state: what takes the place of the folder would lose it.
void check_no_journal(const std::filesystem::path& folder);

/// The journal of an index that this process holds locked, open for more. Records wait in memory
/// for sync(). For one thread at a time.
class Journal {
 public:
  /// Goes on with the journal in the folder, and flushes it. Where there is none, the first sync()
  /// of a record makes one. Throws as read_journal() does, and IoError.
  Journal(std::filesystem::path folder, const JournalBase& base);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::filesystem::path path() const { return folder_ / kJournalName; }
  /// Adds a record. Where it throws (no memory), there is none.
  void append(std::uint64_t kind, std::span<const std::uint8_t> bytes);
  /// Of records that wait, in bytes.
  std::uint64_t waiting() const { return buffer_.size(); }
  /// Writes the records that wait, by one write, and waits until all are on the disk. Throws
  /// IoError; the records still wait then, and another call may succeed.
  void sync();
  /// Calls visit() for each record, also those that wait.
  void for_each(const JournalVisitor& visit) const;

 private:
  void create();
  void open(const JournalContent& content);
  void shorten(std::uint64_t end);
  void check_place() const;

  /// An open file, or none.
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;
  };

  std::filesystem::path folder_;
  JournalBase base_;
  std::uint64_t salt_ = 0;
  Descriptor file_;                   ///< none until the first sync()
  bool is_listed_ = false;            ///< the folders that lead to it are on the disk
  std::uint64_t synced_ = 0;          ///< bytes of the file
  std::vector<std::uint8_t> buffer_;  ///< what follows them
};

/// Removes the folder's journal, and waits until that is on the disk. Leaves one alone that follows
/// another commit than `base`. Throws IoError.
void remove_journal(const std::filesystem::path& folder, const JournalBase& base);

}  // namespace warpdex
