// Applies recorded calls to two disks at once: the one that is flushed, and what is on the way.
#include "tests/faults/disk_states.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/support.hpp"

namespace warpdex::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSector = 512;

void change(std::map<std::string, Node>& entries, const std::vector<EntryChange>& changes) {
  for (const EntryChange& one : changes) {
    if (one.to) {
      entries[one.name] = *one.to;
    } else {
      entries.erase(one.name);
    }
  }
}

/// Where a call's bytes go, with zeros for them.
void make_room(std::string& bytes, const DiskCall& call) {
  bytes.resize(std::max(bytes.size(), call.offset + call.bytes.size()), '\0');
}

void write_part(std::string& bytes, const DiskCall& call, std::uint64_t from, std::uint64_t end) {
  bytes.replace(call.offset + from, end - from, call.bytes, from, end - from);
}

/// Each sector for itself comes or does not.
void write_torn(std::string& bytes, const DiskCall& call, std::mt19937_64& random) {
  for (std::uint64_t from = 0; from < call.bytes.size();) {
    const std::uint64_t sector_end = (call.offset + from) / kSector * kSector + kSector;
    const std::uint64_t end = std::min<std::uint64_t>(sector_end - call.offset, call.bytes.size());
    if (random() % 2 == 0) write_part(bytes, call, from, end);
    from = end;
  }
}

}  // namespace

DiskState::DiskState(const RecordedDisk& start) {
  for (const auto& [node, entries] : start.folders) folders_[node].entries = entries;
  for (const auto& [node, bytes] : start.files) files_[node].bytes = bytes;
}

void DiskState::apply(const DiskCall& call) {
  switch (call.kind) {
    case DiskCall::kEntries: {
      std::map<Node, std::vector<EntryChange>> by_folder;
      for (const EntryChange& one : call.entries) {
        by_folder[one.folder].push_back(one);
        if (one.makes_folder) folders_[one.to.value()];
      }
      for (auto& [folder, changes] : by_folder) folders_[folder].since.push_back(changes);
      return;
    }
    case DiskCall::kWrite:
    case DiskCall::kCut: files_[call.node].since.push_back(call); return;
    case DiskCall::kSync: {
      std::mt19937_64 unused;
      if (const auto file = files_.find(call.node); file != files_.end()) {
        file->second.bytes = bytes_of(file->second, Survivors::kEverything, unused);
        file->second.since.clear();
      }
      if (const auto folder = folders_.find(call.node); folder != folders_.end()) {
        folder->second.entries = entries_of(folder->second, Survivors::kEverything, unused);
        folder->second.since.clear();
      }
      return;
    }
    case DiskCall::kMark: return;
  }
}

std::map<std::string, Node> DiskState::entries_of(const Folder& folder, Survivors survivors,
                                                  std::mt19937_64& random) {
  std::size_t count = folder.since.size();
  if (survivors == Survivors::kNothing) count = 0;
  if (survivors == Survivors::kAnything) count = random() % (count + 1);
  std::map<std::string, Node> entries = folder.entries;
  for (std::size_t i = 0; i < count; ++i) change(entries, folder.since[i]);
  return entries;
}

std::string DiskState::bytes_of(const File& file, Survivors survivors, std::mt19937_64& random) {
  if (survivors == Survivors::kAnything) {
    constexpr std::array kForms{Survivors::kNothing, Survivors::kZeros, Survivors::kTorn,
                                Survivors::kEverything};
    survivors = kForms[random() % kForms.size()];
  }
  std::string bytes = file.bytes;
  if (survivors == Survivors::kNothing || survivors == Survivors::kEntries) return bytes;
  for (const DiskCall& call : file.since) {
    if (call.kind == DiskCall::kCut) {
      bytes.resize(call.offset, '\0');
      continue;
    }
    make_room(bytes, call);
    if (survivors == Survivors::kTorn) write_torn(bytes, call, random);
    if (survivors == Survivors::kEverything) write_part(bytes, call, 0, call.bytes.size());
  }
  return bytes;
}

void DiskState::add(DiskImage& to, const std::string& path, Node node, Survivors survivors,
                    std::mt19937_64& random) const {
  const auto folder = folders_.find(node);
  if (folder == folders_.end()) {
    const auto file = files_.find(node);
    to[path] = file == files_.end() ? "" : bytes_of(file->second, survivors, random);
    return;
  }
  if (!path.empty()) to[path + "/"];
  for (const auto& [name, inner] : entries_of(folder->second, survivors, random)) {
    add(to, path.empty() ? name : path + "/" + name, inner, survivors, random);
  }
}

DiskImage DiskState::image(Survivors survivors, std::mt19937_64& random) const {
  DiskImage image;
  add(image, "", 0, survivors, random);
  return image;
}

DiskImage image_of(const fs::path& folder) {
  DiskImage image;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = fs::relative(entry.path(), folder).string();
    if (entry.is_directory()) {
      image[path + "/"];
    } else {
      image[path] = read_file(entry.path());
    }
  }
  return image;
}

void make_folder(const DiskImage& image, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [path, bytes] : image) {
    if (path.ends_with('/')) {
      fs::create_directories(folder / path);
    } else {
      write_file(folder / path, bytes);
    }
  }
}

}  // namespace warpdex::test
