// A thread that reads and writes the sockets of its connections.
#pragma once

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <unordered_set>

#include "net/connection.hpp"

namespace warpdex::server {

class IoThread {
 public:
  IoThread(RequestHandler& handler, const ServerLimits& limits, std::atomic<std::size_t>& open);
  /// Cuts all connections off.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  boost::asio::io_context& context() { return context_; }
  /// Takes a connection over. Any thread.
  void add(Connection::Socket socket);
  /// Ends the connections that wait for a request. Any thread.
  void close_idle();
  /// Cuts all off, and ends the thread.
  void stop();

  /// A connection has ended. On the thread.
  void remove(Connection* connection);

 private:
  void sweep();

  RequestHandler& handler_;
  const ServerLimits& limits_;
  std::atomic<std::size_t>& open_;
  boost::asio::io_context context_{1};
  boost::asio::steady_timer timer_{context_};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::thread thread_;
};

}  // namespace warpdex::server
