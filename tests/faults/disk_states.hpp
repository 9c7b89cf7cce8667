// What may be on a disk when the power goes between two recorded calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/faults/recorded_calls.hpp"

namespace warpdex::test {

/// What came to the disk though nothing had asked for it.
enum class Survivors {
  kNothing,     ///< what was not flushed is gone: bytes, and entries of folders
  kEntries,     ///< all entries, no bytes
  kZeros,       ///< all entries; files have their sizes, and zeros for bytes
  kTorn,        ///< all entries, and of each write some sectors
  kAnything,    ///< of each folder's entries the first some, and of each file one of these
  kEverything,  ///< nothing is lost, as where a process is killed
};
inline constexpr std::size_t kSurvivorForms = 6;

/// Files and folders by their paths; folders end with '/'.
using DiskImage = std::map<std::string, std::string>;

/// The disk after the first calls of a recording. A folder's entries change in the order of the
/// calls, each folder for itself; a flush of a folder is of its entries, one of a file of its
/// bytes.
class DiskState {
 public:
  explicit DiskState(const RecordedDisk& start);
  void apply(const DiskCall& call);
  /// What the power cut leaves.
  DiskImage image(Survivors survivors, std::mt19937_64& random) const;

 private:
  struct Folder {
    std::map<std::string, Node> entries{};          ///< on the disk
    std::vector<std::vector<EntryChange>> since{};  ///< which are not
  };
  struct File {
    std::string bytes{};            ///< on the disk
    std::vector<DiskCall> since{};  ///< which are not
  };

  static std::map<std::string, Node> entries_of(const Folder& folder, Survivors survivors,
                                                std::mt19937_64& random);
  static std::string bytes_of(const File& file, Survivors survivors, std::mt19937_64& random);
  void add(DiskImage& to, const std::string& path, Node node, Survivors survivors,
           std::mt19937_64& random) const;

  std::map<Node, Folder> folders_;
  std::map<Node, File> files_;
};

/// What is below a folder.
DiskImage image_of(const std::filesystem::path& folder);
/// Makes a folder of it.
void make_folder(const DiskImage& image, const std::filesystem::path& folder);

}  // namespace warpdex::test
