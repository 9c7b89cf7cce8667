// Finds stored folders and their manifests, and words the errors if there are none.
#include "warpdex/core/storage/open_stored.hpp"

#include <chrono>
#include <thread>

#include "warpdex/core/storage/leftovers.hpp"
#include "warpdex/core/storage/manifest.hpp"

namespace warpdex {

namespace fs = std::filesystem;

constexpr const char* kAdvice =
    "; build one with 'warpdex index', of vectors with 'warpdex vector build', or of texts or sets "
    "under a distance with 'warpdex metric build'";

Folder find_stored(const fs::path& path) {
  constexpr int kLooksForNothing = 5;  // it may move to and fro between two looks
  constexpr int kLooksForAside = 100;
  constexpr std::chrono::milliseconds kPause{2};
  const std::string none = "there is no index at '" + path.string() + "'";
  int nothing = 0;
  int aside = 0;
  for (;;) {
    if (std::optional<Folder> folder = Folder::find(path)) return std::move(*folder);
    if (!is_out_of_place(path)) {
      if (++nothing == kLooksForNothing) throw IoError(none + kAdvice);
    } else {
      if (++aside == kLooksForAside) {
        throw IoError(none +
                      ": a build died when it had moved it aside; 'warpdex verify --repair " +
                      path.string() + "' puts it back");
      }
      std::this_thread::sleep_for(kPause);
    }
  }
}

MappedFile map_manifest(const Folder& folder) {
  if (std::optional<MappedFile> manifest = folder.map(kManifestName)) return std::move(*manifest);
  if (folder.is_removed()) {
    throw IoError("the folder '" + folder.path().string() +
                  "' was removed or replaced; enter it again, as by 'cd .'");
  }
  throw IoError("there is no index at '" + folder.path().string() + "' (no " +
                std::string(kManifestName) + ")" + kAdvice);
}

}  // namespace warpdex
