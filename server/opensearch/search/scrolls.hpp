// Scrolls: answers that are read page by page, each of one commit, which they keep open.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "opensearch/search/hits.hpp"

namespace warpdex::server::opensearch {

struct Scroll {
  SearchAsk ask{};  ///< without its query's terms
  std::shared_ptr<const IndexReader> reader{};
  std::vector<ScoredDocument> documents{};
  Total total{};
  std::mutex mutex{};        ///< protects the next
  std::size_t position = 0;  ///< documents that were shown
};

using ScrollPtr = std::shared_ptr<Scroll>;

/// Any thread. A scroll that nobody asks for in its time is dropped.
class Scrolls {
 public:
  /// Scrolls that may be open, and documents that they may hold together.
  static constexpr std::size_t kMax = 500;
  static constexpr std::size_t kMaxDocuments = std::size_t{32} << 20;

  Scrolls() : dropper_([this] { drop_old(); }) {}
  ~Scrolls();
  Scrolls(const Scrolls&) = delete;
  Scrolls& operator=(const Scrolls&) = delete;

  /// Keeps it for scroll->ask.scroll, and returns an id that cannot be guessed. Throws HttpError
  /// (429) where there are too many.
  std::string add(ScrollPtr scroll);
  /// And keeps it for so long from now. Throws HttpError (404) where there is none.
  ScrollPtr find(const std::string& id, std::chrono::microseconds kept);
  /// False if there is none.
  bool remove(const std::string& id);
  std::size_t remove_all();

 private:
  struct Kept {
    ScrollPtr scroll;
    Request::Clock::time_point end;
  };
  void drop_old();
  void drop(std::map<std::string, Kept>::iterator place);

  std::mutex mutex_;  ///< protects all
  std::condition_variable changed_;
  std::map<std::string, Kept> scrolls_;
  std::size_t documents_ = 0;
  std::random_device random_;
  bool ends_ = false;
  std::thread dropper_;
};

}  // namespace warpdex::server::opensearch
