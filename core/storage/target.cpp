// Checks targets before they are replaced, so that only an index is ever replaced.
#include "warpdex/core/storage/target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/fail.hpp"
#include "storage/folder_entries.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/journal.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesTold = 3;

std::vector<fs::path> checked_entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries = entries_of(folder, error);
  if (error) fail("read the folder", folder, error.value(), "check its permissions");
  return entries;
}

/// What an entry is; an index has no links. Throws IoError where that cannot be seen, since what is
/// not known to be the index's is refused, or removed.
fs::file_type type_of(const fs::path& entry) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(entry, error).type();
  if (type == fs::file_type::none) fail("look at", entry, error.value());
  return type;
}

/// What `folder` holds, folders within it too, as paths within it; links and all else that is
/// neither are `odd`.
struct Content {
  std::vector<std::string> files;
  std::vector<std::string> folders;
  std::vector<std::string> odd;

  void add(const fs::path& folder, const std::string& prefix) {
    for (const fs::path& entry : checked_entries_of(folder)) {
      const std::string name = prefix + entry.filename().string();
      const fs::file_type type = type_of(entry);
      if (type == fs::file_type::regular) {
        files.push_back(name);
      } else if (type == fs::file_type::directory) {
        folders.push_back(name);
      } else {
        odd.push_back(name);
      }
    }
  }
};

/// An index that may be replaced, by its manifest.
struct StoredIndex {
  std::string kind;
  std::vector<SegmentInfo> segments;  ///< only the files that these list may be replaced
};

/// The names of files and folders in `folder` that are not the index's.
std::vector<std::string> foreign_names(const fs::path& folder, const StoredIndex& index) {
  std::set<std::string> listed{std::string(kManifestName)};
  if (index.kind == kTextKind) {
    listed.insert({std::string(kJournalName), std::string(kNewJournalName)});
  }
  std::set<std::string> segment_folders;
  for (const SegmentInfo& segment : index.segments) {
    for (std::string& name : files_of(segment)) listed.insert(std::move(name));
    if (!segment.is_packed) segment_folders.insert(segment.place);
  }
  Content content;
  content.add(folder, "");
  std::vector<std::string> foreign;
  for (const std::string& name : std::vector<std::string>(content.folders)) {
    if (segment_folders.contains(name)) {
      content.add(folder / name, name + "/");
    } else {
      foreign.push_back(name);
    }
  }
  std::copy_if(content.folders.begin(), content.folders.end(), std::back_inserter(foreign),
               [](const std::string& name) { return name.find('/') != std::string::npos; });
  std::copy_if(content.files.begin(), content.files.end(), std::back_inserter(foreign),
               [&](const std::string& name) { return !listed.contains(name); });
  foreign.insert(foreign.end(), content.odd.begin(), content.odd.end());
  std::sort(foreign.begin(), foreign.end());
  return foreign;
}

/// What a manifest says, whatever its checksum, and whatever its version if that can be read.
StoredIndex read_index(const fs::path& target, std::string_view manifest) {
  try {
    const rapidjson::Document document = parse_manifest(manifest);
    const ManifestObject members(document);
    const std::string kind = kind_of(members);
    try {
      return {kind, read_segments(members)};
    } catch (const FormatError&) {
      check_kind(members, kind, "remove the folder or choose another output");
      throw;
    }
  } catch (const VersionError& error) {
    throw UsageError("'" + target.string() + "' cannot be replaced: " + error.what());
  } catch (const FormatError&) {
    throw UsageError("the manifest.json of '" + target.string() +
                     "' is damaged and does not say which files there are the index's; remove the "
                     "folder or choose another output");
  }
}

std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesTold); ++i) {
    text += (i > 0 ? ", '" : "'") + names[i] + "'";
  }
  if (names.size() > kNamesTold)
    text += " and " + std::to_string(names.size() - kNamesTold) + " more";
  return text;
}

/// Whether `folder` holds a manifest that starts as ours do. False where it cannot be read.
bool is_index(const fs::path& folder) {
  std::string start(kManifestSignature.size(), '\0');
  std::ifstream manifest(folder / kManifestName, std::ios::binary);
  manifest.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kManifestSignature;
}

}  // namespace

fs::path resolve_target(const fs::path& path) {
  if (path.empty()) throw UsageError("there is no output; name the folder of the index");
  std::error_code error;
  fs::path full = fs::absolute(path, error);
  if (error) {
    throw IoError("cannot find '" + path.string() +
                  "': the current folder was removed or replaced; enter it again, as by 'cd .'");
  }
  full = fs::weakly_canonical(full, error);
  if (error) fail("use", path, error.value(), "choose another output");
  if (!full.has_filename()) full = full.parent_path();
  if (!full.has_filename()) {
    throw UsageError("'" + path.string() + "' cannot be an index; name a folder in it");
  }
  return full;
}

void check_outside_of_indexes(const fs::path& target) {
  for (fs::path folder = target.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (!is_index(folder)) continue;
    throw UsageError("'" + target.string() + "' lies in the index '" + folder.string() +
                     "', which may hold nothing else; choose another output");
  }
}

void check_replaceable(const fs::path& target, std::optional<std::string_view> kind) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target, error);
  if (status.type() == fs::file_type::not_found) return;
  if (status.type() == fs::file_type::none) fail("look at", target, error.value());
  const auto refused = [&](const std::string& what) {
    return UsageError("'" + target.string() + "' " + what + "; remove it or choose another output");
  };
  const std::optional<Folder> folder =
      fs::is_directory(status) ? Folder::find(target) : std::nullopt;
  if (!folder) throw refused("exists and is not a folder");
  const std::optional<MappedFile> manifest = folder->map(kManifestName);
  if (!manifest) {
    if (checked_entries_of(target).empty()) return;
    throw refused("exists and is not an index");
  }
  const std::string_view text(reinterpret_cast<const char*>(manifest->bytes().data()),
                              manifest->size());
  if (!text.starts_with(kManifestSignature)) throw refused("exists and is not an index");
  const StoredIndex index = read_index(target, text);
  if (kind && *kind != index.kind) {
    throw refused("is " + kind_in_words(index.kind) + " and would be replaced by " +
                  kind_in_words(*kind));
  }
  const std::vector<std::string> foreign = foreign_names(target, index);
  if (foreign.empty()) return;
  throw UsageError("'" + target.string() + "' holds more than an index: " + enumerated(foreign) +
                   "; move that elsewhere or choose another output");
}

void check_writable(const fs::path& target) {
  const auto check = [](const fs::path& folder) {
    const int code =
        ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    if (code == 0 || code == ENOENT) return;
    fail("change", folder, code,
         "you may not write in this index; its owner can change it, or let you do so");
  };
  check(target);
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(target, ignored))) return;
  for (const fs::path& entry : checked_entries_of(target)) {
    if (type_of(entry) == fs::file_type::directory) check(entry);
  }
}

std::string foreign_in_index(const fs::path& folder) {
  const std::optional<Folder> opened = Folder::find(folder);
  const std::optional<MappedFile> manifest =
      opened ? opened->map(kManifestName) : std::optional<MappedFile>();
  if (!manifest) return "";
  const std::string_view text(reinterpret_cast<const char*>(manifest->bytes().data()),
                              manifest->size());
  try {
    std::string foreign = enumerated(foreign_names(folder, read_index(folder, text)));
    return opened->is_at(folder) ? foreign : "";
  } catch (const IoError&) {
    if (opened->is_at(folder)) throw;
    return "";
  }
}

std::vector<std::string> unlisted_in(const fs::path& folder, std::string_view manifest) {
  return foreign_names(folder, read_index(folder, manifest));
}

bool lies_within(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  fs::path inner = fs::canonical(path, error);
  if (error) return false;
  for (;; inner = inner.parent_path()) {
    if (fs::equivalent(inner, folder, error) && !error) return true;
    if (inner == inner.parent_path()) return false;
  }
}

}  // namespace warpdex
