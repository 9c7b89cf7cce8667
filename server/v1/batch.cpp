// Searches of many queries, whose answers come as they are there, in the order of the queries.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

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

/// An answer that is under way.
struct Line {
  std::string text;
  std::size_t cost = 0;  ///< in hits
  bool is_ready = false;
};

/// The answers of one request. Its searches may outlive the request.
class Lines : public std::enable_shared_from_this<Lines> {
 public:
  Lines(Services& services, ExchangePtr exchange)
      : services_(services), exchange_(std::move(exchange)) {}

  /// Reads a line and sends its search on its way.
  void add(std::string_view text, const std::string& name, const IndexPtr& index) {
    auto line = std::make_shared<Line>();
    lines_.push_back(line);
    try {
      const JsonText json(text, name);
      Parameters parameters(json.root(), name);
      SearchCall call =
          read_search(parameters, index, services_.options.limits, Request::Clock::now());
      line->cost = call.job.options.k * (call.job.options.fields.empty() ? 1 : kHitsOfShown);
      held_ += line->cost;
      submit(std::move(call), line);
    } catch (...) {
      set(*line, error_line(services_, *exchange_, std::current_exception()));
    }
  }
  bool is_full() const {
    return lines_.size() >= services_.dispatcher.window() || held_ > kMaxHeldHits;
  }
  bool is_empty() const { return lines_.empty(); }

  /// Sends the first answer that was not sent yet, or keeps it to be sent with the next ones.
  void write_first() {
    const std::shared_ptr<Line> line = std::move(lines_.front());
    lines_.pop_front();
    {
      std::unique_lock lock(mutex_);
      if (!line->is_ready) {
        lock.unlock();
        flush();  // while there is time
        lock.lock();
        ready_.wait(lock, [&] { return line->is_ready; });
      }
    }
    held_ -= line->cost;
    (out_ += line->text) += '\n';
    if (out_.size() >= kSendAt) flush();
  }
  void flush() {
    exchange_->write(out_);
    out_.clear();
  }

 private:
  void submit(SearchCall call, const std::shared_ptr<Line>& line) {
    SearchJob job = std::move(call.job);
    job.done = [self = shared_from_this(), line, call = std::move(call),
                index = job.index](SearchOutcome&& outcome) {
      std::string text;
      try {
        take_outcome(self->services_, *self->exchange_, *index, outcome);
        text = search_json(call, outcome);
      } catch (...) {
        text = error_line(self->services_, *self->exchange_, std::current_exception());
      }
      self->set(*line, std::move(text));
    };
    services_.dispatcher.submit_always(std::move(job));
  }

  void set(Line& line, std::string text) {
    {
      const std::lock_guard lock(mutex_);
      line.text = std::move(text);
      line.is_ready = true;
    }
    ready_.notify_one();
  }

  Services& services_;
  const ExchangePtr exchange_;
  std::deque<std::shared_ptr<Line>> lines_;
  std::size_t held_ = 0;
  std::string out_;
  std::mutex mutex_;  ///< protects what is in lines
  std::condition_variable ready_;
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
