// Maps the manifest and parses it.
#include "format/read_manifest.hpp"

#include "warpdex/core/storage/open_stored.hpp"

namespace warpdex::vector {

Manifest read_manifest(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  return manifest_from_json(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

Manifest read_manifest(const std::filesystem::path& folder) {
  return read_manifest(find_stored(folder));
}

}  // namespace warpdex::vector
