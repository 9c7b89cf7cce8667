#include "catalog/served_index.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "http/error.hpp"

namespace warpdex::server {
namespace {

/// Changes of an index that may wait.
constexpr std::size_t kMaxWaitingChanges = 256;
/// Without changes, until other processes may change the index.
constexpr std::chrono::seconds kIdle{5};

/// Ends the waiting for a merge.
struct ChangesWait {};

/// What differs between two manifests of one path. Empty where there is none.
std::string version_of(const std::filesystem::path& folder) {
  struct stat status {};
  if (::stat((folder / "manifest.json").c_str(), &status) != 0) return {};
  return std::to_string(status.st_ino) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + "." + std::to_string(status.st_size);
}

bool holds_impacts(const std::filesystem::path& folder) {
  return IndexReader(folder).settings().impacts.has_value();
}

}  // namespace

ServedIndex::ServedIndex(std::string name, std::filesystem::path folder,
                         const OpenSettings& settings, WorkPool& writers)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      settings_(settings),
      manifest_(version_of(folder_)),
      work_(std::make_shared<SerialWork>(writers)) {
  if (content_of(folder_) == IndexContent::kVectors) {
    VectorIndexOptions options;
    options.device = settings.device;
    options.gpus = settings.gpus;
    options.shards = settings.shards;
    options.threads = settings.threads;
    vectors_.emplace(folder_, options);
    set_depth();
  } else {
    searcher_.emplace(folder_, SearcherOptions{.device = settings.device,
                                               .gpus = settings.gpus,
                                               .shards = settings.shards,
                                               .threads = settings.threads,
                                               .document_blocks = settings.document_blocks &&
                                                                  holds_impacts(folder_)});
  }
}

void ServedIndex::set_depth() {
  const NewVectorIndex index = vectors_->settings();
  VectorDepth depth;
  if (index.lists > 0) depth.probes = std::min(settings_.probes, index.lists);
  if (index.coding != VectorCoding::kRows && index.keeps_vectors) {
    depth.refine = std::min(settings_.refine, vectors_->live_rows());
  }
  has_estimates_ = index.coding != VectorCoding::kRows && depth.refine == 0;
  vectors_->set_depth(depth);
}

Device ServedIndex::device() const { return vectors_ ? vectors_->device() : searcher_->device(); }

const Searcher& ServedIndex::searcher() const {
  if (searcher_) return *searcher_;
  throw bad_request("'" + name_ + "' is an index of vectors: /v1/" + name_ +
                    "/nearest searches it, and 'warpdex vector' changes it");
}

const VectorIndex& ServedIndex::vectors() const {
  if (vectors_) return *vectors_;
  throw bad_request("'" + name_ + "' is an index of documents: /v1/" + name_ +
                    "/search searches it");
}

std::shared_ptr<const IndexReader> ServedIndex::reader() const {
  const std::uint64_t now = searcher().commit();
  const std::lock_guard lock(mutex_);
  if (!reader_ || reader_->commit() != now) {
    reader_ = std::make_shared<const IndexReader>(*searcher_);
  }
  return reader_;
}

std::uint64_t ServedIndex::commit() const {
  return vectors_ ? vectors_->commit() : searcher_->commit();
}

bool ServedIndex::refresh() {
  std::string version = version_of(folder_);
  const bool is_new = vectors_ ? vectors_->refresh() : searcher_->refresh();
  const std::lock_guard lock(mutex_);
  manifest_ = std::move(version);  // of before: a commit that came meanwhile is found next time
  return is_new;
}

bool ServedIndex::refresh_if_changed() {
  {
    const std::string version = version_of(folder_);
    const std::lock_guard lock(mutex_);
    if (version.empty() || version == manifest_) return false;
  }
  return refresh();
}

void ServedIndex::check_changes() const {
  if (!settings_.is_read_only) return;
  throw HttpError(403, "read_only", "this server only reads its indexes");
}

/// Each that is posted also posts a run, which takes all that wait by then.
void ServedIndex::post(Waiting waiting) {
  check_changes();
  {
    const std::lock_guard lock(waiting_mutex_);
    if (waiting_.size() >= kMaxWaitingChanges) {
      throw too_busy("too many changes of '" + name_ + "' wait; try again later");
    }
    waiting_.push_back(std::move(waiting));
  }
  work_->post([self = shared_from_this()] { self->run_changes(); });
}

void ServedIndex::run_changes() {
  std::vector<Waiting> all;
  {
    const std::lock_guard lock(waiting_mutex_);
    all.swap(waiting_);
  }
  std::vector<Waiting> changed;  // that are not durable yet
  for (Waiting& waiting : all) {
    if (!waiting.kept) keep(changed);  // it may take long, or remove the index
    try {
      waiting.change(writer());
      if (waiting.kept) changed.push_back(std::move(waiting));
    } catch (const HttpError&) {  // refused
      waiting.failed(std::current_exception());
    } catch (...) {
      is_unsure_ = true;
      waiting.failed(std::current_exception());
    }
  }
  keep(changed);
  if (writer_) last_change_ = Clock::now().time_since_epoch().count();
}

/// Makes them durable together, and says so.
void ServedIndex::keep(std::vector<Waiting>& changed) {
  if (changed.empty()) return;
  std::exception_ptr failure;
  try {
    writer().sync();
  } catch (...) {
    is_unsure_ = true;
    failure = std::current_exception();
  }
  for (const Waiting& waiting : changed) {
    if (failure) {
      waiting.failed(failure);
    } else {
      waiting.kept();
    }
  }
  changed.clear();
}

void ServedIndex::post_change(Change change, Failed failed) {
  searcher();  // an index of vectors is refused
  post({std::move(change), {}, std::move(failed)});
}

void ServedIndex::post_durable_change(Change change, std::function<void()> kept, Failed failed) {
  searcher();
  post({std::move(change), std::move(kept), std::move(failed)});
}

void ServedIndex::post_removal(std::function<void()> remove, Failed failed) {
  check_changes();
  work_->post([self = shared_from_this(), remove = std::move(remove), failed = std::move(failed)] {
    try {
      try {
        if (self->searcher_) self->writer();  // nobody else has it open
      } catch (const UsageError&) {
        // Of an index that does not change.
      }
      self->writer_.reset();
      self->is_closed_ = true;
      remove();
    } catch (...) {
      failed(std::current_exception());
    }
  });
}

Writer& ServedIndex::writer() {
  if (is_closed_) throw not_found("there is no index '" + name_ + "'");
  if (writer_) return *writer_;
  try {
    writer_.emplace(
        folder_, NewIndex{},
        WriterOptions{.memory = settings_.writer_memory, .creates = false, .journal = true});
    uncommitted_ = writer_->recovered();
  } catch (const IoError& error) {
    throw HttpError(409, "locked", "this server can only read '" + name_ + "': " + error.what());
  }
  return *writer_;
}

CommitReport ServedIndex::commit_changes(Writer& writer) {
  CommitReport report = writer.commit();
  uncommitted_ = 0;
  is_unsure_ = false;
  ++commits_;
  refresh();
  return report;
}

bool ServedIndex::may_close_writer() const {
  const Clock::rep last = last_change_;
  return last != 0 && uncommitted() == 0 &&
         Clock::now().time_since_epoch() - Clock::duration(last) >= kIdle;
}

void ServedIndex::close_writer_if_idle() {
  if (!may_close_writer() || is_closing_.exchange(true)) return;
  work_->post([self = shared_from_this()] {
    self->close_writer();
    self->is_closing_ = false;
  });
}

bool ServedIndex::has_waiting() {
  const std::lock_guard lock(waiting_mutex_);
  return !waiting_.empty();
}

/// After changes that came meanwhile.
void ServedIndex::close_writer() {
  if (!writer_ || is_unsure_ || !may_close_writer()) return;
  try {
    writer_->finish_merges([this] {
      if (has_waiting()) throw ChangesWait();
    });
  } catch (const ChangesWait&) {
    return;
  } catch (const std::exception&) {
    // What was not merged is merged another time.
  }
  try {
    if (writer_->commit().number != commit()) {
      ++commits_;
      refresh();
    }
  } catch (const std::exception&) {
    // The watcher takes a new commit, and the next change says what is wrong.
  }
  writer_.reset();
  last_change_ = 0;
}

}  // namespace warpdex::server
