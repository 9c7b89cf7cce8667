// The names of what lies hidden beside a target while it is built. Internal.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace warpdex {

/// By how many bytes the longest of these names is longer than the target's.
inline constexpr std::size_t kHiddenNameBytes =
    std::string_view(".").size() + std::string_view(".building-XXXXXX-old").size();

/// The file that the one build of the target holds locked: `.NAME.building-lock`.
std::filesystem::path lock_file_of(const std::filesystem::path& target);

/// Creates `.NAME.building-XXXXXX`, with six random letters or digits, as open as the umask says.
/// Throws IoError.
std::filesystem::path create_hidden_folder(const std::filesystem::path& target);

/// Where the old folder waits, for a moment, while the hidden one takes its place:
/// `.NAME.building-XXXXXX-old`.
std::filesystem::path aside_of(const std::filesystem::path& hidden_folder);

/// The folders beside the target that bear names of these two forms.
struct HiddenFolders {
  std::vector<std::filesystem::path> building;  ///< of the first form
  std::vector<std::filesystem::path> aside;     ///< of the second
};
/// Those that are there now; none where the folder around the target cannot be read.
HiddenFolders find_hidden_folders(const std::filesystem::path& target);

/// Removes a hidden folder with all in it, its manifest first: without that, it is no index. Opens
/// folders in it that are write-protected. Returns why something stays, if something does; not
/// enough memory is such a reason.
std::error_code remove_hidden_folder(const std::filesystem::path& folder) noexcept;

/// "cannot remove 'FOLDER': REASON; ...": what is told of a folder that stays.
std::string words_for_stuck_folder(const std::filesystem::path& folder,
                                   const std::error_code& reason);

/// Whether nothing is there, not even a link that leads nowhere.
bool is_missing(const std::filesystem::path& path);

}  // namespace warpdex
