#include "catalog/catalog.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenCommitLooks{1};
constexpr std::size_t kMaxNameBytes = 200;

bool is_index(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "manifest.json", ignored);
}

/// Searches under way keep the files that they read. First the folder gets a name that is no
/// index's, so that a process that dies meanwhile leaves no half of an index.
void remove_files(const fs::path& folder) {
  const fs::path aside = folder.parent_path() / ("." + folder.filename().string() + ".removed");
  std::error_code failure;
  fs::remove_all(aside, failure);
  fs::rename(folder, aside, failure);
  if (!failure) fs::remove_all(aside, failure);
  if (!failure) return;
  throw IoError("the files of '" + folder.filename().string() +
                "' cannot be removed: " + failure.message());
}

}  // namespace

void check_index_name(std::string_view name) {
  const auto is_small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool may_be = !name.empty() && name.size() <= kMaxNameBytes && is_small(name.front()) &&
                      name != "v1" && std::ranges::all_of(name, [&](char c) {
                        return is_small(c) || c == '-' || c == '_' || c == '.';
                      });
  if (may_be) return;
  throw bad_request(
      "an index's name is 1 to 200 of a-z, 0-9, '-', '_' and '.', of which the first "
      "is a letter or digit, and it is not v1");
}

Catalog::Catalog(const std::vector<fs::path>& folders, const OpenSettings& settings,
                 WorkPool& writers, OnProblem on_problem)
    : settings_(settings), writers_(writers), on_problem_(std::move(on_problem)) {
  if (folders.empty()) throw UsageError("there is no folder to serve; name one or more");
  for (const fs::path& folder : folders) {
    std::error_code failure;
    const fs::path found = fs::canonical(folder, failure);
    if (failure) {
      throw IoError("the folder '" + folder.string() + "' cannot be read: " + failure.message());
    }
    add_folder(found);
  }
  if (folders_of_indexes_ != 1) root_.reset();
  watcher_ = std::thread([this] { watch(); });
}

Catalog::~Catalog() {
  {
    const std::lock_guard lock(ending_);
    ends_ = true;
  }
  woken_.notify_all();
  watcher_.join();
}

void Catalog::add_folder(const fs::path& folder) {
  if (is_index(folder)) return open(folder);
  std::error_code failure;
  std::vector<fs::path> inside;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().filename().string().starts_with('.') || !is_index(entry.path())) continue;
    inside.push_back(entry.path());
  }
  if (failure) {
    throw IoError("the folder '" + folder.string() + "' cannot be read: " + failure.message());
  }
  std::ranges::sort(inside);
  for (const fs::path& index : inside) open(index);
  root_ = folder;
  ++folders_of_indexes_;
}

void Catalog::open(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (indexes_.contains(name) || problems_.contains(name)) {
    throw UsageError("two folders are called '" + name + "'; serve one of them");
  }
  if (content_of(folder) == IndexContent::kObjects) {
    problems_.emplace(name, "it is an index of a metric space, which is not served");
    return;
  }
  try {
    indexes_.emplace(name, std::make_shared<ServedIndex>(name, folder, settings_, writers_));
  } catch (const std::exception& error) {
    problems_.emplace(name, error.what());
  }
}

IndexPtr Catalog::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = indexes_.find(name);
  if (found != indexes_.end()) return found->second;
  if (problems_.contains(name)) {
    throw unavailable("the index '" + std::string(name) + "' could not be opened");
  }
  throw HttpError(404, "index_not_found", "there is no index '" + std::string(name) + "'");
}

std::vector<IndexPtr> Catalog::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<IndexPtr> all;
  for (const auto& [name, index] : indexes_) all.push_back(index);
  return all;
}

std::map<std::string, std::string> Catalog::problems() const {
  const std::shared_lock lock(mutex_);
  return {problems_.begin(), problems_.end()};
}

IndexPtr Catalog::create(const std::string& name, const NewIndex& settings) {
  check_index_name(name);
  if (settings_.is_read_only) {
    throw HttpError(403, "read_only", "this server only reads its indexes");
  }
  if (!root_) {
    throw HttpError(403, "no_folder",
                    "this server has no folder for new indexes; start it with one folder of "
                    "indexes");
  }
  const std::lock_guard one_at_a_time(making_);
  {
    const std::shared_lock lock(mutex_);
    if (indexes_.contains(name) || problems_.contains(name)) {
      throw HttpError(409, "index_exists", "there is an index '" + name + "' already");
    }
  }
  const fs::path folder = *root_ / name;
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder, ignored))) {
    throw HttpError(409, "index_exists", "there is something called '" + name + "' already");
  }
  Writer(folder, settings, {.memory = settings_.writer_memory});
  auto index = std::make_shared<ServedIndex>(name, folder, settings_, writers_);
  const std::unique_lock lock(mutex_);
  indexes_.emplace(name, index);
  return index;
}

void Catalog::remove(const std::string& name, std::function<void(std::exception_ptr)> done) {
  const IndexPtr index = find(name);
  index->post_removal(
      [this, index, done] {
        {
          const std::unique_lock lock(mutex_);
          indexes_.erase(index->name());
        }
        remove_files(index->folder());
        done(nullptr);
      },
      done);
}

std::string Catalog::without_folders(std::string text) const {
  for (const IndexPtr& index : all()) {
    const std::string folder = index->folder().string();
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
      text.replace(at, folder.size(), index->name());
      at += index->name().size();
    }
  }
  return text;
}

/// Takes a new commit of another process. Where that fails, the commit that is open stays, and the
/// next look tries again; whoever runs the server is told once.
void Catalog::look(ServedIndex& index) {
  try {
    index.refresh_if_changed();
    last_failures_.erase(index.name());
  } catch (const std::exception& error) {
    index.count_failed_refresh();
    std::string& last = last_failures_[index.name()];
    if (last == error.what()) return;
    last = error.what();
    if (on_problem_) {
      on_problem_("a new commit of '" + index.name() + "' cannot be opened: " + last +
                  " (the one before it is searched)");
    }
  }
}

void Catalog::watch() {
  std::unique_lock lock(ending_);
  while (!woken_.wait_for(lock, kBetweenCommitLooks, [this] { return ends_; })) {
    lock.unlock();
    for (const IndexPtr& index : all()) {
      look(*index);
      index->close_writer_if_idle();
    }
    lock.lock();
  }
}

}  // namespace warpdex::server
