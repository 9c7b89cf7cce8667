// Threads, each with its own connections; one request is under way on a connection.
#include "http/http_load.hpp"

// Asio of Boost 1.74 lacks an include.
#include <utility>

#include <algorithm>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "warpdex/core/error.hpp"
#include "warpdex/core/waiting.hpp"

namespace warpdex::tools {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Code = boost::system::error_code;

constexpr std::chrono::milliseconds kHttpLook{50};
constexpr std::uint64_t kLargestAnswer = 256 << 20;

class Worker;

/// One connection, with the request that is under way on it.
class Caller {
 public:
  Caller(Worker& worker, asio::io_context& context) : worker_(worker), socket_(context) {}

  void connect(const tcp::endpoint& endpoint);
  /// `due`: from when its latency counts.
  void send(const std::string& request, Clock::time_point due);
  void close() {
    Code ignored;
    socket_.close(ignored);
  }

 private:
  void read();
  void end(const Code& error);

  Worker& worker_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> parser_;
  Clock::time_point due_;
};

/// A thread's share of the load: every `step`-th request and arrival, from number `first` on.
class Worker {
 public:
  Worker(const HttpLoadSettings& settings, std::size_t first, std::size_t step,
         Clock::time_point start, const std::atomic<bool>& is_ended)
      : settings_(settings),
        endpoint_(asio::ip::make_address(settings.address), settings.port),
        timer_(context_),
        next_(first),
        step_(step),
        start_(start),
        is_ended_(is_ended) {
    const std::size_t callers = (settings.connections + step - 1 - first) / step;
    for (std::size_t i = 0; i < callers; ++i) {
      callers_.push_back(std::make_unique<Caller>(*this, context_));
      callers_.back()->connect(endpoint_);
      idle_.push_back(callers_.back().get());
    }
  }

  void run() {
    const ExactSleep exact;
    pump();
    context_.run();
  }

  void answered(Caller& caller, const HttpOutcome& outcome) {
    outcomes_.push_back(outcome);
    if (outcome.status == 0) {
      caller.close();
      try {
        caller.connect(endpoint_);
      } catch (const Error&) {
        return;  // one caller fewer
      }
    }
    idle_.push_back(&caller);
    pump();
  }

  Clock::time_point start() const { return start_; }
  std::vector<HttpOutcome> take() { return std::move(outcomes_); }

 private:
  bool is_open() const { return !settings_.arrivals.empty(); }
  bool is_over(Clock::time_point now) const {
    if (is_ended_.load(std::memory_order_relaxed)) return true;
    if (is_open()) return next_ >= settings_.arrivals.size();
    return now - start_ >= std::chrono::duration<double>(settings_.seconds);
  }
  Clock::time_point due() const {
    return start_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double, std::micro>(settings_.arrivals[next_]));
  }

  /// Sends all that is due while connections are free.
  void pump() {
    while (!idle_.empty()) {
      const Clock::time_point now = Clock::now();
      if (is_over(now)) return;
      if (is_open() && due() > now) return wait_for(due());
      Caller& caller = *idle_.back();
      idle_.pop_back();
      const std::string& request = settings_.requests[next_ % settings_.requests.size()];
      const Clock::time_point from = is_open() ? due() : now;
      next_ += step_;
      caller.send(request, from);
    }
  }

  void wait_for(Clock::time_point moment) {
    if (is_waiting_) return;
    is_waiting_ = true;
    timer_.expires_at(moment);
    timer_.async_wait([this](const Code&) {
      is_waiting_ = false;
      pump();
    });
  }

  const HttpLoadSettings& settings_;
  const tcp::endpoint endpoint_;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Caller*> idle_;
  std::vector<HttpOutcome> outcomes_;
  std::size_t next_;
  const std::size_t step_;
  const Clock::time_point start_;
  const std::atomic<bool>& is_ended_;
  bool is_waiting_ = false;
};

void Caller::connect(const tcp::endpoint& endpoint) {
  Code error;
  socket_.connect(endpoint, error);
  if (!error) socket_.set_option(tcp::no_delay(true), error);
  if (error) {
    throw InputError("cannot connect to " + endpoint.address().to_string() + ":" +
                     std::to_string(endpoint.port()) + ": " + error.message());
  }
}

void Caller::send(const std::string& request, Clock::time_point due) {
  due_ = due;
  asio::async_write(socket_, asio::buffer(request), [this](const Code& error, std::size_t) {
    if (error) return end(error);
    read();
  });
}

void Caller::read() {
  parser_.emplace();
  parser_->body_limit(kLargestAnswer);
  http::async_read(socket_, buffer_, *parser_,
                   [this](const Code& error, std::size_t) { end(error); });
}

void Caller::end(const Code& error) {
  HttpOutcome outcome;
  outcome.latency = std::chrono::duration<float, std::micro>(Clock::now() - due_).count();
  if (error) {
    buffer_.clear();
  } else {
    const std::string& body = parser_->get().body();
    outcome.status = static_cast<std::uint16_t>(parser_->get().result_int());
    outcome.is_complete = body.find("\"complete\":false") == std::string::npos;
    outcome.is_of_gpu = body.find("\"answered_by\":\"gpu\"") != std::string::npos;
  }
  worker_.answered(*this, outcome);
}

/// Calls `on_wait` until all threads have ended, or it throws.
void watch(const std::atomic<std::size_t>& running, const std::function<void()>& on_wait,
           std::atomic<bool>& is_ended, std::exception_ptr& failure) {
  while (running.load() > 0) {
    std::this_thread::sleep_for(kHttpLook);
    if (!on_wait || failure) continue;
    try {
      on_wait();
    } catch (...) {
      failure = std::current_exception();
      is_ended = true;
    }
  }
}

}  // namespace

HttpLoadResult run_http_load(const HttpLoadSettings& settings,
                             const std::function<void()>& on_wait) {
  const std::size_t count = std::min(settings.threads, settings.connections);
  std::atomic<bool> is_ended = false;
  const Clock::time_point start = Clock::now() + std::chrono::milliseconds(20);
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(settings, i, count, start, is_ended));
  }
  std::atomic<std::size_t> running = count;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (const std::unique_ptr<Worker>& worker : workers) {
    threads.emplace_back([&running, &worker] {
      std::this_thread::sleep_until(worker->start());
      worker->run();
      running.fetch_sub(1);
    });
  }
  watch(running, on_wait, is_ended, failure);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  HttpLoadResult result;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const std::unique_ptr<Worker>& worker : workers) {
    const std::vector<HttpOutcome> outcomes = worker->take();
    result.outcomes.insert(result.outcomes.end(), outcomes.begin(), outcomes.end());
  }
  return result;
}

}  // namespace warpdex::tools
