// Takes connections, and shares them out among I/O threads.
#pragma once

#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "net/io_thread.hpp"

namespace warpdex::server {

class Listener {
 public:
  /// Listens. Throws UsageError for what is no IP address, IoError where it is taken.
  Listener(const std::string& address, std::uint16_t port, std::size_t threads,
           RequestHandler& handler, const ServerLimits& limits);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return open_.load(std::memory_order_relaxed); }
  /// Takes no more connections, and ends those that wait for a request.
  void stop_listening();
  void close_idle();
  /// Cuts all connections off, and ends the threads.
  void stop();

 private:
  void accept();
  void on_accept(const boost::system::error_code& failure, Connection::Socket socket);

  RequestHandler& handler_;
  const ServerLimits& limits_;
  std::atomic<std::size_t> open_ = 0;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::size_t next_ = 0;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::uint16_t port_ = 0;
};

/// Whether an address is of this machine's own network alone. UsageError for what is no IP address.
bool is_loopback(const std::string& address);

}  // namespace warpdex::server
