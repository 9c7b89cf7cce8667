#include "net/io_thread.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>
#include <vector>

namespace warpdex::server {
namespace {

/// Between two looks for timeouts, which are of seconds, and for clients that have gone.
constexpr std::chrono::milliseconds kBetweenSweeps{250};

}  // namespace

IoThread::IoThread(RequestHandler& handler, const ServerLimits& limits,
                   std::atomic<std::size_t>& open)
    : handler_(handler), limits_(limits), open_(open) {
  sweep();
  thread_ = std::thread([this] { context_.run(); });
  pthread_setname_np(thread_.native_handle(), "io");
}

IoThread::~IoThread() { stop(); }

void IoThread::stop() {
  if (!thread_.joinable()) return;
  boost::asio::post(context_, [this] {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) connection->cut();
    timer_.cancel();
    context_.stop();
  });
  thread_.join();
  connections_.clear();
}

void IoThread::add(Connection::Socket socket) {
  auto connection = std::make_shared<Connection>(std::move(socket), *this, handler_, limits_);
  boost::asio::post(context_, [this, connection] {
    connections_.insert(connection);
    connection->start();
  });
}

void IoThread::close_idle() {
  boost::asio::post(context_, [this] {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) connection->close_if_idle();
  });
}

void IoThread::remove(Connection* connection) {
  if (connections_.erase(connection->shared_from_this()) > 0) {
    open_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void IoThread::sweep() {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       Connection::Clock::now().time_since_epoch())
                       .count();
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) connection->check(now);
  timer_.expires_after(kBetweenSweeps);
  timer_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) sweep();
  });
}

}  // namespace warpdex::server
