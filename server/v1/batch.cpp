// Searches of many queries, whose answers come as they are there, in the order of the queries.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "routes/json_lines.hpp"
#include "v1/face.hpp"
#include "v1/search_call.hpp"

namespace warpdex::server::v1 {
namespace {

/// Hits of answers that are held at a time, one with stored fields counted as many.
constexpr std::size_t kMaxHeldHits = 1 << 20;
constexpr std::size_t kHitsOfShown = 16;
/// Answers go out when they are so many bytes, or when the next one is not there yet.
constexpr std::size_t kSendAt = 32 << 10;

/// Searches that are handed over at a time, so that they can run together.
constexpr std::size_t kHandedOver = 128;

constexpr std::size_t kTakenTogether = 32;
constexpr std::chrono::milliseconds kLongestGathering{2};

/// An answer that is under way.
struct Line {
  SearchCall call{};
  SearchOutcome outcome{};
  std::string error;     ///< of what could not be searched: the line itself
  std::size_t cost = 0;  ///< in hits
  bool is_ready = false;
};

/// The answers of one request. Its searches may outlive the request.
class Lines : public std::enable_shared_from_this<Lines> {
 public:
  Lines(Services& services, ExchangePtr exchange)
      : services_(services), exchange_(std::move(exchange)) {}

  /// Reads a line. Its search is handed over with others, or by hand_over().
  void add(std::string_view text, const std::string& name, const IndexPtr& index) {
    auto line = std::make_shared<Line>();
    lines_.push_back(line);
    try {
      const JsonText json(text, name);
      Parameters parameters(json.root(), name);
      line->call = read_search(parameters, index, services_.options.limits, Request::Clock::now());
      const SearchOptions& options = line->call.job.options;
      line->cost = options.k * (options.fields.empty() ? 1 : kHitsOfShown);
      held_ += line->cost;
      gather(line);
    } catch (...) {
      line->error = error_line(services_, *exchange_, std::current_exception());
      line->is_ready = true;
    }
  }
  void hand_over() {
    handed_ += jobs_.size();
    if (!jobs_.empty()) services_.dispatcher.submit_always(std::exchange(jobs_, {}));
  }
  bool is_full() const {
    return lines_.size() >= services_.dispatcher.window() || held_ > kMaxHeldHits;
  }
  bool is_empty() const { return lines_.empty(); }

  /// Sends the first answer that was not sent yet, or keeps it to be sent with the next ones.
  void write_first() {
    hand_over();
    const std::shared_ptr<Line> line = std::move(lines_.front());
    lines_.pop_front();
    if (!is_ready(*line)) {
      flush();  // while there is time
      wait_for(*line);
    }
    held_ -= line->cost;
    (out_ += text_of(*line)) += '\n';
    if (out_.size() >= kSendAt) flush();
  }
  void flush() {
    exchange_->write(out_);
    out_.clear();
  }

 private:
  void gather(const std::shared_ptr<Line>& line) {
    SearchJob job = line->call.job;
    job.options.stop = exchange_->gone.get_token();
    job.done = [self = shared_from_this(), line](SearchOutcome&& outcome) {
      self->set(*line, std::move(outcome));
    };
    jobs_.push_back(std::move(job));
    if (jobs_.size() >= kHandedOver) hand_over();
  }

  bool is_ready(const Line& line) {
    const std::lock_guard lock(mutex_);
    return line.is_ready;
  }

  /// Waits for some answers more, so that this thread is not woken for each, but not for long.
  void wait_for(const Line& line) {
    std::unique_lock lock(mutex_);
    wanted_ = arrived_ + std::min(kTakenTogether, handed_ - arrived_);
    came_.wait_for(lock, kLongestGathering, [&] { return arrived_ >= wanted_; });
    wanted_ = 0;
    came_.wait(lock, [&] { return line.is_ready; });
  }

  void set(Line& line, SearchOutcome&& outcome) {
    const std::lock_guard lock(mutex_);
    line.outcome = std::move(outcome);
    line.is_ready = true;
    if (++arrived_ >= wanted_) came_.notify_one();
  }

  /// Written by the request's own thread, since those that search have enough to do.
  std::string text_of(Line& line) {
    if (!line.error.empty()) return std::move(line.error);
    try {
      take_outcome(services_, *exchange_, *line.call.job.index, line.outcome);
      return search_json(line.call, line.outcome);
    } catch (...) {
      return error_line(services_, *exchange_, std::current_exception());
    }
  }

  Services& services_;
  const ExchangePtr exchange_;
  std::deque<std::shared_ptr<Line>> lines_;
  std::vector<SearchJob> jobs_;  ///< not handed over yet
  std::size_t handed_ = 0;       ///< searches that were
  std::size_t held_ = 0;
  std::string out_;
  std::mutex mutex_;         ///< protects what is in lines, and the next two
  std::size_t arrived_ = 0;  ///< answers
  std::size_t wanted_ = 0;   ///< of them, before the thread that waits is woken
  std::condition_variable came_;
};

}  // namespace

void search_batch(Services& services, const ExchangePtr& exchange) {
  Parameters(exchange->request).finish();
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  index->searcher();  // an index of vectors is refused before the answer begins
  exchange->begin({.content_type = kNdjsonType});
  const auto lines = std::make_shared<Lines>(services, exchange);
  JsonLines body(exchange->request.body);
  for (std::string_view line; body.next(line);) {
    while (lines->is_full()) lines->write_first();
    lines->add(line, body.name(), index);
  }
  while (!lines->is_empty()) lines->write_first();
  lines->flush();
  exchange->end();
}

}  // namespace warpdex::server::v1
