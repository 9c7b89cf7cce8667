// How a connection reads requests, and how it ends. connection_sending.cpp has the rest.
#include "net/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <limits>

#include "net/exchange.hpp"
#include "net/io_thread.hpp"

namespace warpdex::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

/// Of a connection that waits; grows to kMaxBuffer while a body comes.
constexpr std::size_t kFirstBuffer = 4 << 10;
constexpr std::size_t kMaxBuffer = 64 << 10;
/// For a client to read the last answer and close.
constexpr milliseconds kLinger{2000};
/// A client that has closed its side may still read, but few do. So long its answer is waited for.
constexpr milliseconds kHalfClosed{2000};

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(Connection::Clock::now().time_since_epoch())
      .count();
}

}  // namespace

Connection::Connection(Socket socket, IoThread& thread, RequestHandler& handler,
                       const ServerLimits& limits)
    : socket_(std::move(socket)),
      descriptor_(socket_.native_handle()),
      thread_(thread),
      handler_(handler),
      limits_(limits),
      buffer_(kFirstBuffer, '\0'),
      deadline_(std::numeric_limits<std::int64_t>::max()) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  const auto endpoint = socket_.remote_endpoint(ignored);
  if (!ignored) client_ = endpoint.address().to_string();
}

Connection::~Connection() = default;

void Connection::start() {
  set_deadline(limits_.read_timeout);  // of the first request
  arm_read();
}

void Connection::set_deadline(milliseconds from_now) {
  deadline_.store(now_ms() + from_now.count(), std::memory_order_relaxed);
}

void Connection::arm_read() {
  if (is_armed_ || has_ended_ || is_closed_) return;
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    buffer_.resize(buffer_.size() + begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(kMaxBuffer, 4 * buffer_.size()));
  is_armed_ = true;
  socket_.async_read_some(
      asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
      [self = shared_from_this()](const error_code& failure, std::size_t bytes) {
        self->on_read(failure, bytes);
      });
}

void Connection::on_read(const error_code& failure, std::size_t bytes) {
  is_armed_ = false;
  if (is_closed_) return;
  end_ += bytes;
  if (failure) has_ended_ = true;
  if (lingers_) {
    begin_ = end_ = 0;
    if (failure) return close();
    return arm_read();
  }
  {
    const std::lock_guard lock(mutex_);
    if (is_busy_) {
      has_input_ = true;
      return;
    }
  }
  process();
}

void Connection::process() {
  while (true) {
    if (begin_ == end_ && !parser_) {
      begin_ = end_ = 0;
      if (has_ended_) return close();
      if (buffer_.size() > kFirstBuffer) buffer_ = std::string(kFirstBuffer, '\0');
      if (handler_.is_draining()) return close();
      return arm_read();
    }
    if (!parser_) {
      reading_ = std::make_shared<ConnectionExchange>(shared_from_this());
      parser_.emplace(reading_->request, limits_.header_bytes);
      set_deadline(limits_.read_timeout);
    }
    const RequestParser::Step step =
        parser_->put(std::string_view(buffer_).substr(begin_, end_ - begin_));
    begin_ += step.used;
    switch (step.state) {
      case RequestParser::State::kFailed:
        return refuse({parser_->status(), parser_->status() == 413 ? "too_large" : "bad_request",
                       parser_->reason()});
      case RequestParser::State::kHasHeader:
        if (!take_head()) return;
        break;
      case RequestParser::State::kDone: return take_request();
      case RequestParser::State::kNeedsMore:
        if (has_ended_) return close();  // in the middle of a request
        if (!take_body_room()) {
          return refuse(unavailable("the server has no room left for bodies; try again later"));
        }
        if (end_ - begin_ == kMaxBuffer) {
          return refuse(bad_request("a line of the request is too long"));
        }
        return arm_read();
    }
  }
}

/// Takes room for what has come of a body in chunks.
bool Connection::take_body_room() {
  const std::size_t bytes = reading_->request.body.size();
  if (bytes <= reading_->room) return true;
  if (!handler_.take_room(bytes - reading_->room)) return false;
  reading_->room = bytes;
  return true;
}

bool Connection::take_head() {
  reading_->request.client = client_;
  std::size_t most = 0;
  try {
    most = handler_.on_head(*reading_);
    const std::uint64_t length = parser_->content_length().value_or(0);
    if (length > most) {
      throw too_large("the body is too large; at most " + std::to_string(most) +
                      " bytes are taken");
    }
    if (!handler_.take_room(static_cast<std::size_t>(length))) {
      throw unavailable("the server has no room left for bodies; try again later");
    }
    reading_->room = static_cast<std::size_t>(length);
  } catch (...) {
    const HttpError error = http_error_of(std::current_exception());
    const bool has_body = parser_->is_chunked() || parser_->content_length().value_or(0) > 0;
    if (!has_body) {
      refusal_ = error;  // told once the request is whole, so that the connection can go on
      return true;
    }
    refuse(error);
    return false;
  }
  parser_->set_body_limit(most);
  const std::string_view expected = reading_->request.headers.get("Expect");
  if (expected.empty() || reading_->request.is_http_1_0) return true;
  if (!same_without_case(expected, "100-continue")) {
    refuse({417, "bad_request", "of Expect only 100-continue is known"});
    return false;
  }
  if (begin_ == end_) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    [[maybe_unused]] const ssize_t ignored =
        ::send(descriptor_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  return true;
}

/// What else comes on this connection may belong to the request that is refused.
void Connection::refuse(const HttpError& error) {
  std::shared_ptr<ConnectionExchange> exchange = std::move(reading_);
  parser_.reset();
  begin_ = end_ = 0;
  exchange->set_begun();
  exchange->request.arrival = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    is_busy_ = true;
  }
  Response response = handler_.render(error, *exchange);
  response.closes = true;
  exchange->respond(std::move(response));
}

void Connection::take_request() {
  std::shared_ptr<ConnectionExchange> exchange = std::move(reading_);
  exchange->keeps_alive = parser_->keeps_alive();
  exchange->set_begun();
  exchange->request.arrival = Clock::now();
  parser_.reset();
  if (!refusal_) exchange->gone = gone_ = std::stop_source();
  half_closed_at_ = 0;
  deadline_.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
  const bool has_more = begin_ < end_;
  {
    const std::lock_guard lock(mutex_);
    is_busy_ = true;
    is_streaming_ = false;
    has_input_ = has_more || has_ended_;
  }
  if (refusal_) {
    exchange->respond(handler_.render(*std::exchange(refusal_, std::nullopt), *exchange));
  } else {
    handler_.on_request(exchange);
  }
  exchange.reset();
  if (!has_more) arm_read();
}

void Connection::resume() {
  if (is_closed_) return;
  bool closes = false;
  {
    const std::lock_guard lock(mutex_);
    is_busy_ = false;
    has_input_ = false;
    closes = closes_;
  }
  set_deadline(limits_.idle_timeout);
  if (closes) return linger();
  process();
}

/// Sends the end, and passes over what still comes, for a while: closing at once could take the
/// last answer away from a client that has not read it yet.
void Connection::linger() {
  if (has_ended_) return close();
  lingers_ = true;
  begin_ = end_ = 0;
  ::shutdown(descriptor_, SHUT_WR);
  set_deadline(kLinger);
  arm_read();
}

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  reading_.reset();
  parser_.reset();
  error_code ignored;
  socket_.close(ignored);
  thread_.remove(this);
}

/// What was sent and not read yet stays unread, so that requests which wait there are no hindrance.
void Connection::check_client(std::int64_t now, bool is_streaming) {
  pollfd looked{descriptor_, POLLRDHUP, 0};
  if (::poll(&looked, 1, 0) <= 0) return;
  const bool is_reset = (looked.revents & (POLLERR | POLLHUP)) != 0;
  if (!is_reset && half_closed_at_ == 0) half_closed_at_ = now;
  const bool is_over = !is_streaming && now - half_closed_at_ >= kHalfClosed.count();
  if (is_reset || is_over) gone_.request_stop();
}

void Connection::check(std::int64_t now) {
  bool is_busy = false;
  bool is_streaming = false;
  {
    const std::lock_guard lock(mutex_);
    is_busy = is_busy_;
    is_streaming = is_streaming_;
  }
  if (is_busy) check_client(now, is_streaming);
  if (now < deadline_.load(std::memory_order_relaxed)) return;
  if (is_busy) {  // the client reads too slowly
    ::shutdown(descriptor_, SHUT_RDWR);
  } else if (parser_ && parser_->has_begun() && !lingers_) {
    refuse({408, "timeout", "the request did not come in time"});
  } else {
    close();
  }
}

void Connection::close_if_idle() {
  {
    const std::lock_guard lock(mutex_);
    if (is_busy_) return;
  }
  if (!parser_ && begin_ == end_) close();
}

void Connection::cut() {
  {
    const std::lock_guard lock(mutex_);
    if (is_busy_) {
      ::shutdown(descriptor_, SHUT_RDWR);
      return;
    }
  }
  close();
}

}  // namespace warpdex::server
