// _msearch: many searches in one request.
#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "opensearch/search/search_runs.hpp"
#include "routes/json_lines.hpp"

namespace warpdex::server::opensearch {
namespace {

/// Hits that are held at a time, one with stored fields counted as many.
constexpr std::size_t kMaxHeldHits = 1 << 20;
constexpr std::size_t kHitsOfOneShown = 16;

struct Line {
  std::string header{};
  std::string body{};
  std::string name{};  ///< of the header, for messages
};

/// Answers of some searches that run at once. The searches may outlive the request.
class Wave : public std::enable_shared_from_this<Wave> {
 public:
  Wave(Services& services, ExchangePtr exchange, bool has_typed_keys)
      : services_(services), exchange_(std::move(exchange)), has_typed_keys_(has_typed_keys) {}

  bool is_full() const {
    return answers_.size() >= services_.dispatcher.window() || held_ >= kMaxHeldHits;
  }

  /// Reads a search and sends it on its way.
  void add(const Line& line) {
    const std::size_t number = begin();
    try {
      const SearchAsk ask = read(line);
      held_ += std::size_t{ask.from + ask.size} * (ask.source.names.empty() ? 1 : kHitsOfOneShown);
      if (!is_scored(ask)) return set(number, answer_of_documents(ask));
      if (ask.order.after) {
        throw illegal_argument("'search_after' by _score in _msearch is not supported");
      }
      SearchJob job = job_of(ask);
      job.options.stop = exchange_->gone.get_token();
      job.done = [self = shared_from_this(), ask, number](SearchOutcome&& outcome) {
        self->set(number, self->answer_of(ask, outcome));
      };
      services_.dispatcher.submit_always(std::move(job));
    } catch (...) {
      set(number, error_line(services_, *exchange_, std::current_exception()));
    }
  }

  /// Waits for all answers. They are in the order of their searches.
  std::vector<std::string> take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return left_ == 0; });
    held_ = 0;
    return std::exchange(answers_, {});
  }

 private:
  static std::string answer_of_documents(const SearchAsk& ask) {
    JsonWriter json;
    write_page_of_documents(ask, json);
    json.member("status", 200);
    end_answer(json);
    return json.take();
  }

  std::size_t begin() {
    const std::lock_guard lock(mutex_);
    answers_.emplace_back();
    ++left_;
    return answers_.size() - 1;
  }

  SearchAsk read(const Line& line) const {
    const Request& request = exchange_->request;
    return read_body([&] {
      const JsonText header(line.header, line.name);
      Parameters members(header.root(), line.name);
      const auto name = members.text("index");
      members.finish();
      const IndexPtr index = name ? find_index(services_, *name) : find_index(services_, request);
      const JsonText body(line.body, "the body behind " + line.name);
      const Request none;
      Parameters address(none);
      SearchAsk ask = read_search(services_, index, address, body.root(), Request::Clock::now());
      ask.has_typed_keys = has_typed_keys_;
      return ask;
    });
  }

  std::string answer_of(const SearchAsk& ask, const SearchOutcome& outcome) const {
    try {
      take_outcome(services_, *exchange_, *ask.index, outcome);
      JsonWriter json;
      write_answer(ask, outcome, json);
      json.member("status", 200);
      end_answer(json);
      return json.take();
    } catch (...) {
      return error_line(services_, *exchange_, std::current_exception());
    }
  }

  void set(std::size_t number, std::string answer) {
    {
      const std::lock_guard lock(mutex_);
      answers_[number] = std::move(answer);
      --left_;
    }
    ready_.notify_one();
  }

  Services& services_;
  const ExchangePtr exchange_;
  const bool has_typed_keys_;
  std::size_t held_ = 0;
  std::mutex mutex_;  ///< protects the next two
  std::vector<std::string> answers_;
  std::size_t left_ = 0;
  std::condition_variable ready_;
};

std::vector<Line> lines_of(const Request& request) {
  std::vector<Line> lines;
  std::string_view rest = request.body;
  // An empty header is one, so lines are cut here and not by JsonLines, which passes over these.
  const auto next = [&](std::string& line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    line = rest.substr(0, end);
    if (line.ends_with('\r')) line.pop_back();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  };
  for (std::size_t number = 1; !rest.empty(); number += 2) {
    Line line{.name = "line " + std::to_string(number)};
    next(line.header);
    if (line.header.empty()) line.header = "{}";
    if (rest.empty()) throw parsing_error(line.name + " is a header without a body behind it");
    next(line.body);
    lines.push_back(std::move(line));
  }
  if (lines.empty()) throw illegal_argument("no requests added");
  return lines;
}

}  // namespace

void search_many(Services& services, const ExchangePtr& exchange) {
  Parameters address(exchange->request);
  const bool has_typed_keys = address.flag("typed_keys").value_or(false);
  address.finish();
  const std::vector<Line> lines = lines_of(exchange->request);
  const auto begin = Request::Clock::now();
  exchange->begin({});
  const auto wave = std::make_shared<Wave>(services, exchange, has_typed_keys);
  std::string before = "{\"responses\":[";
  const auto write = [&] {
    for (const std::string& answer : wave->take()) {
      exchange->write(before + answer);
      before = ",";
    }
  };
  for (const Line& line : lines) {
    if (wave->is_full()) write();
    wave->add(line);
  }
  write();
  exchange->write("],\"took\":" + std::to_string(millis_since(begin)) + "}\n");
  exchange->end();
}

}  // namespace warpdex::server::opensearch
