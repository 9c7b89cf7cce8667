// How a connection sends answers: at once by the thread that has them, the rest by the I/O thread.
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <ctime>

#include "net/exchange.hpp"
#include "net/io_thread.hpp"

namespace warpdex::server {
namespace {

/// "Date: …\r\n", made anew each second.
std::string_view date_line() {
  thread_local std::time_t made = 0;
  thread_local std::string line;
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 64> text{};
    const std::size_t size =
        std::strftime(text.data(), text.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
    line.assign(text.data(), size);
    made = now;
  }
  return line;
}

}  // namespace

bool Connection::closes_after(const ConnectionExchange& exchange, const Response& response) const {
  return response.closes || !exchange.keeps_alive || handler_.is_draining();
}

std::string Connection::head_of(const ConnectionExchange& exchange, const Response& response,
                                bool closes, bool is_stream) const {
  std::string head;
  head.reserve(320);
  (head += exchange.request.is_http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ") +=
      std::to_string(response.status);
  ((head += ' ') += status_text(response.status)) += "\r\n";
  head += date_line();
  if (!response.content_type.empty()) {
    ((head += "Content-Type: ") += response.content_type) += "\r\n";
  }
  if (!is_stream) {
    if (response.status != 204) {
      ((head += "Content-Length: ") += std::to_string(response.body.size())) += "\r\n";
    }
  } else if (!exchange.request.is_http_1_0) {
    head += "Transfer-Encoding: chunked\r\n";
  }
  if (closes) {
    head += "Connection: close\r\n";
  } else if (exchange.request.is_http_1_0) {
    head += "Connection: keep-alive\r\n";
  }
  if (!exchange.request.id.empty()) {
    ((head += "X-Request-ID: ") += exchange.request.id) += "\r\n";
  }
  head += "X-Content-Type-Options: nosniff\r\n";
  if (!exchange.request.allowed_origin.empty()) {
    ((head += "Access-Control-Allow-Origin: ") += exchange.request.allowed_origin) +=
        "\r\nVary: Origin\r\n";
  }
  for (const auto& [name, value] : response.headers) {
    (((head += name) += ": ") += value) += "\r\n";
  }
  head += "\r\n";
  return head;
}

void Connection::send(ConnectionExchange& exchange, Response&& response) {
  const bool closes = closes_after(exchange, response);
  std::string head = head_of(exchange, response, closes, false);
  if (exchange.request.method == Method::kHead) response.body.clear();
  const std::size_t all = head.size() + response.body.size();
  std::array<iovec, 2> parts{
      {{head.data(), head.size()}, {response.body.data(), response.body.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = response.body.empty() ? 1 : 2;
  ssize_t sent = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  const bool is_gone = sent < 0 && errno != EAGAIN && errno != EINTR;
  handler_.on_answered(exchange, response.status, response.body.size());
  if (is_gone || static_cast<std::size_t>(std::max<ssize_t>(0, sent)) == all) {
    return finish(closes || is_gone);
  }
  sent = std::max<ssize_t>(0, sent);
  std::string rest = std::move(head += response.body);
  boost::asio::post(thread_.context(), [self = shared_from_this(), rest = std::move(rest),
                                        from = static_cast<std::size_t>(sent), closes]() mutable {
    self->rest_ = std::move(rest);
    self->rest_begin_ = from;
    if (closes) {
      const std::lock_guard lock(self->mutex_);
      self->closes_ = true;
    }
    self->set_deadline(self->limits_.send_timeout);
    self->send_rest();
  });
}

void Connection::send_rest() {
  if (is_closed_) return;
  socket_.async_write_some(
      boost::asio::buffer(rest_.data() + rest_begin_, rest_.size() - rest_begin_),
      [self = shared_from_this()](const boost::system::error_code& failure, std::size_t bytes) {
        self->rest_begin_ += bytes;
        if (failure || self->rest_begin_ == self->rest_.size()) {
          self->rest_ = std::string();
          return self->finish(static_cast<bool>(failure));
        }
        self->set_deadline(self->limits_.send_timeout);
        self->send_rest();
      });
}

void Connection::begin_stream() {
  const std::lock_guard lock(mutex_);
  is_streaming_ = true;
}

void Connection::send_and_wait(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) throw ClientGone();
    pollfd waited{descriptor_, POLLOUT, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(limits_.send_timeout.count()));
    if (ready == 0 || (waited.revents & (POLLERR | POLLNVAL)) != 0) throw ClientGone();
  }
}

void Connection::finish(bool closes) {
  {
    const std::lock_guard lock(mutex_);
    if (closes) closes_ = true;
    if (!closes_ && !has_input_) {
      set_deadline(limits_.idle_timeout);
      is_busy_ = false;
      return;
    }
  }
  boost::asio::post(thread_.context(), [self = shared_from_this()] { self->resume(); });
}

}  // namespace warpdex::server
