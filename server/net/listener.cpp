#include "net/listener.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <future>

#include "warpdex/core/error.hpp"

namespace warpdex::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Where there are no descriptors left.
constexpr std::chrono::milliseconds kPause{100};

asio::ip::address address_of(const std::string& text) {
  error_code failure;
  const asio::ip::address address = asio::ip::make_address(text, failure);
  if (failure) {
    throw UsageError("'" + text + "' is no IP address to listen at; give one as 127.0.0.1 or ::1");
  }
  return address;
}

std::vector<std::unique_ptr<IoThread>> make_threads(std::size_t count, RequestHandler& handler,
                                                    const ServerLimits& limits,
                                                    std::atomic<std::size_t>& open) {
  std::vector<std::unique_ptr<IoThread>> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.push_back(std::make_unique<IoThread>(handler, limits, open));
  }
  return threads;
}

}  // namespace

bool is_loopback(const std::string& address) { return address_of(address).is_loopback(); }

Listener::Listener(const std::string& address, std::uint16_t port, std::size_t threads,
                   RequestHandler& handler, const ServerLimits& limits)
    : handler_(handler),
      limits_(limits),
      threads_(make_threads(threads, handler, limits, open_)),
      acceptor_(threads_[0]->context()),
      pause_(threads_[0]->context()) {
  const asio::ip::tcp::endpoint endpoint(address_of(address), port);
  error_code failure;
  acceptor_.open(endpoint.protocol(), failure);
  if (!failure) acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
  if (!failure) acceptor_.bind(endpoint, failure);
  if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) {
    throw IoError("the address " + address + ":" + std::to_string(port) +
                  " cannot be listened at: " + failure.message() + "; choose another");
  }
  port_ = acceptor_.local_endpoint().port();
  asio::post(threads_[0]->context(), [this] { accept(); });
}

Listener::~Listener() { stop(); }

void Listener::accept() {
  next_ = (next_ + 1) % threads_.size();
  acceptor_.async_accept(threads_[next_]->context(),
                         [this](const error_code& failure, Connection::Socket socket) {
                           on_accept(failure, std::move(socket));
                         });
}

void Listener::on_accept(const error_code& failure, Connection::Socket socket) {
  if (!acceptor_.is_open()) return;
  if (failure) {
    pause_.expires_after(kPause);
    pause_.async_wait([this](const error_code& cancelled) {
      if (!cancelled) accept();
    });
    return;
  }
  if (open_.load(std::memory_order_relaxed) < limits_.connections && !handler_.is_draining()) {
    open_.fetch_add(1, std::memory_order_relaxed);
    threads_[next_]->add(std::move(socket));
  }
  accept();
}

void Listener::stop_listening() {
  std::promise<void> done;
  asio::post(threads_[0]->context(), [&] {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    done.set_value();
  });
  done.get_future().wait();
  close_idle();
}

void Listener::close_idle() {
  for (const auto& thread : threads_) thread->close_idle();
}

void Listener::stop() {
  for (const auto& thread : threads_) thread->stop();
}

}  // namespace warpdex::server
