#include "opensearch/search/scrolls.hpp"

#include <algorithm>
#include <utility>

namespace warpdex::server::opensearch {
namespace {

constexpr std::size_t kIdLetters = 32;

std::string new_scroll_id(std::random_device& random) {
  std::string id;
  while (id.size() < kIdLetters) {
    for (std::uint32_t bits = random(), i = 0; i < 8; ++i, bits >>= 4) {
      id += "0123456789abcdef"[bits & 15U];
    }
  }
  return id;
}

}  // namespace

Scrolls::~Scrolls() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  dropper_.join();
}

std::string Scrolls::add(ScrollPtr scroll) {
  const std::lock_guard lock(mutex_);
  if (scrolls_.size() >= kMax || documents_ + scroll->documents.size() > kMaxDocuments) {
    throw too_busy(
        "too many scrolls are open, or too many documents in them; clear those that are "
        "read, or try again later");
  }
  const std::string id = new_scroll_id(random_);
  documents_ += scroll->documents.size();
  const auto end = Request::Clock::now() + *scroll->ask.scroll;
  scrolls_.emplace(id, Kept{std::move(scroll), end});
  changed_.notify_all();
  return id;
}

ScrollPtr Scrolls::find(const std::string& id, std::chrono::microseconds kept) {
  const std::lock_guard lock(mutex_);
  const auto found = scrolls_.find(id);
  if (found == scrolls_.end() || found->second.end <= Request::Clock::now()) {
    throw HttpError(404, "search_context_missing_exception",
                    "No search context found for id [" + id + "]");
  }
  // The shorter time counts too: the next page is what it is given for.
  found->second.end = Request::Clock::now() + kept;
  changed_.notify_all();
  return found->second.scroll;
}

bool Scrolls::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = scrolls_.find(id);
  if (found == scrolls_.end()) return false;
  drop(found);
  return true;
}

std::size_t Scrolls::remove_all() {
  const std::lock_guard lock(mutex_);
  const std::size_t count = scrolls_.size();
  scrolls_.clear();
  documents_ = 0;
  return count;
}

void Scrolls::drop(std::map<std::string, Kept>::iterator place) {
  documents_ -= place->second.scroll->documents.size();
  scrolls_.erase(place);
}

void Scrolls::drop_old() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const auto now = Request::Clock::now();
    auto next = now + std::chrono::hours(1);
    for (auto i = scrolls_.begin(); i != scrolls_.end();) {
      const auto place = i++;
      if (place->second.end <= now) {
        drop(place);
      } else {
        next = std::min(next, place->second.end);
      }
    }
    changed_.wait_until(lock, next);
  }
}

}  // namespace warpdex::server::opensearch
