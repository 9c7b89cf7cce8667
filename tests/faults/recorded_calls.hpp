// Records the calls by which this process changes files below a folder, to see what a power cut
// between two of them leaves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpdex::test {

/// A file or a folder, whatever names it has. 0 is the folder that is recorded.
using Node = std::uint32_t;

/// A folder's entry gets another node, or none.
struct EntryChange {
  Node folder = 0;
  std::string name{};
  std::optional<Node> to{};
  bool makes_folder = false;  ///< `to` is a new folder
};

struct DiskCall {
  enum Kind {
    kEntries,  ///< `entries` change in one step
    kWrite,    ///< `bytes` at `offset` of a file
    kCut,      ///< a file is `offset` bytes long
    kSync,     ///< the content of a file, or the entries of a folder, are on the disk
    kMark,     ///< Recording::mark(offset)
  };
  Kind kind = kMark;
  Node node = 0;
  std::uint64_t offset = 0;
  std::string bytes{};
  std::vector<EntryChange> entries{};
};

/// What is below a folder, as it was on the disk when the recording began, and the calls since.
struct RecordedDisk {
  std::map<Node, std::map<std::string, Node>> folders{};
  std::map<Node, std::string> files{};
  std::vector<DiskCall> calls{};
};

/// From construction to finish(), in all threads. One at a time.
class Recording {
 public:
  /// Without `can_exchange`, renameat2() fails as on file systems that cannot exchange folders.
  explicit Recording(const std::filesystem::path& folder, bool can_exchange = true);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Remembers between which calls this was called.
  void mark(std::uint64_t number);
  RecordedDisk finish();
};

}  // namespace warpdex::test
