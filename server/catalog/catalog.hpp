// The indexes that are served, by their names.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catalog/served_index.hpp"

namespace warpdex::server {

/// Called with a sentence; may be empty.
using OnProblem = std::function<void(const std::string&)>;

/// Any thread. An index that is removed lives until the last request that uses it is answered.
class Catalog {
 public:
  /// Opens the indexes; one that cannot be opened is kept with the reason. `on_problem` is called
  /// as ServerOptions says. Throws UsageError where a folder holds no index, and where two have one
  /// name, IoError where it cannot be read.
  Catalog(const std::vector<std::filesystem::path>& folders, const OpenSettings& settings,
          WorkPool& writers, OnProblem on_problem = {});
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// Throws HttpError: 404 if there is none of that name, 503 if it could not be opened.
  IndexPtr find(std::string_view name) const;
  /// By their names.
  std::vector<IndexPtr> all() const;
  /// Why others could not be opened, by their names.
  std::map<std::string, std::string> problems() const;

  /// Makes an empty index in the folder of indexes. Throws HttpError: 400 for a name that cannot
  /// be one, 403 where the server only reads or has no such folder, 409 where there is one of that
  /// name; and as Writer does.
  IndexPtr create(const std::string& name, const NewIndex& settings);
  /// Removes an index and its files. `done` is called with null, or with what went wrong, once
  /// changes before it are through. Throws HttpError (404).
  void remove(const std::string& name, std::function<void(std::exception_ptr)> done);

  /// `text` with the folders of indexes as their names: clients need not know where these lie.
  std::string without_folders(std::string text) const;

 private:
  void add_folder(const std::filesystem::path& folder);
  void open(const std::filesystem::path& folder);
  void watch();
  void look(ServedIndex& index);

  const OpenSettings settings_;
  WorkPool& writers_;
  const OnProblem on_problem_;
  std::optional<std::filesystem::path> root_;  ///< where new indexes are made
  std::size_t folders_of_indexes_ = 0;

  std::mutex making_;                ///< one index is made at a time
  mutable std::shared_mutex mutex_;  ///< protects the next two
  std::map<std::string, IndexPtr, std::less<>> indexes_;
  std::map<std::string, std::string, std::less<>> problems_;

  std::mutex ending_;  ///< protects the next
  bool ends_ = false;
  std::condition_variable woken_;
  /// Why the last look at an index failed, by names. The watcher's.
  std::map<std::string, std::string, std::less<>> last_failures_;
  std::thread watcher_;  ///< looks for commits of other processes, and lets these make some
};

/// Throws HttpError (400), which says what a name may be, unless `name` may be a new index's: 1 to
/// 200 of a-z, 0-9, '-', '_' and '.', of which the first is a letter or digit; not "v1".
void check_index_name(std::string_view name);

}  // namespace warpdex::server
