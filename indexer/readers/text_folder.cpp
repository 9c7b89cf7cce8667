// Walks real folders first, then folders behind links, round by round.
#include "readers/text_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFirst = 10;

class FolderWalk {
 public:
  FolderWalk(fs::path root, LeftOut& left_out) : root_(std::move(root)), left_out_(left_out) {}

  std::vector<std::string> run() {
    linked_folders_.insert("");
    while (!linked_folders_.empty()) {
      for (const std::string& below : std::exchange(linked_folders_, {})) walk(below);
    }
    std::sort(paths_.begin(), paths_.end());
    return std::move(paths_);
  }

 private:
  /// The folder at a path below the root, with the real folders in it.
  void walk(const std::string& below) {
    std::vector<std::string> waiting{below};
    while (!waiting.empty()) {
      const std::string folder = std::move(waiting.back());
      waiting.pop_back();
      if (!is_new(folder)) continue;
      std::set<std::string> names;  // in an order that the file system does not choose
      for (const fs::directory_entry& entry : fs::directory_iterator(root_ / folder)) {
        names.insert((fs::path(folder) / entry.path().filename()).generic_string());
      }
      for (const std::string& name : names) take(name, waiting);
    }
  }

  void take(const std::string& below, std::vector<std::string>& folders) {
    const fs::path path = root_ / below;
    if (path.filename().string().starts_with('.')) return pass_over(left_out_.hidden, below);
    const fs::file_status own = fs::symlink_status(path);
    std::error_code error;
    const fs::file_status target = fs::status(path, error);
    if (fs::is_directory(target)) {
      if (fs::is_symlink(own)) {
        linked_folders_.insert(below);
      } else {
        folders.push_back(below);
      }
    } else if (fs::is_regular_file(target)) {
      paths_.push_back(below);
    } else if (fs::is_symlink(own) && !fs::exists(target)) {
      pass_over(left_out_.dangling_links, below);
    } else {
      pass_over(left_out_.others, below);
    }
  }

  bool is_new(const std::string& below) {
    struct stat status {};
    const fs::path path = root_ / below;
    if (::stat(path.c_str(), &status) != 0) {
      throw fs::filesystem_error("stat", path, std::error_code(errno, std::generic_category()));
    }
    if (walked_.emplace(status.st_dev, status.st_ino).second) return true;
    pass_over(left_out_.repeated_folders, below);
    return false;
  }

  void pass_over(std::uint64_t& count, const std::string& below) {
    ++count;
    if (left_out_.first.size() < kNamedFirst) left_out_.first.push_back((root_ / below).string());
  }

  fs::path root_;
  LeftOut& left_out_;
  std::vector<std::string> paths_;
  std::set<std::string> linked_folders_;  // not walked yet
  std::set<std::pair<dev_t, ino_t>> walked_;
};

}  // namespace

std::vector<std::string> walk_folder(const std::string& folder, LeftOut& left_out) try {
  return FolderWalk(folder, left_out).run();
} catch (const fs::filesystem_error& error) {
  throw IoError("cannot list '" + folder + "': " + error.code().message() + " ('" +
                error.path1().string() + "'); check its permissions");
}

}  // namespace warpdex
