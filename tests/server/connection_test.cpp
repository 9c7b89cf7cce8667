// What a connection does while an answer is awaited, over a handler that answers when it is told.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/listener.hpp"

namespace warpdex::server {
namespace {

using namespace std::chrono_literals;

/// Answers /fast at once with its name, and keeps others.
class StandInHandler final : public RequestHandler {
 public:
  std::size_t on_head(Exchange&) override { return 0; }
  void on_request(const ExchangePtr& exchange) noexcept override {
    if (exchange->request.target == "/fast") return exchange->respond({.body = "fast\n"});
    const std::lock_guard lock(mutex_);
    kept_.push_back(exchange);
  }
  Response render(const HttpError& error, Exchange&) override {
    return {.status = error.status(), .body = std::string(error.what())};
  }
  void on_answered(const Exchange&, int, std::uint64_t) noexcept override {}
  bool take_room(std::size_t) override { return true; }
  void give_back_room(std::size_t) override {}
  bool is_draining() const override { return false; }

  /// Waits for one.
  ExchangePtr take() {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (!kept_.empty()) {
          ExchangePtr exchange = std::move(kept_.back());
          kept_.pop_back();
          return exchange;
        }
      }
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<ExchangePtr> kept_;
};

class Client {
 public:
  explicit Client(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void ask(const std::string& targets) {
    std::string text;
    for (const char target : targets) {
      text += target == 'f' ? "GET /fast HTTP/1.1\r\n\r\n" : "GET /slow HTTP/1.1\r\n\r\n";
    }
    ASSERT_EQ(::send(descriptor_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void end_sending() { ::shutdown(descriptor_, SHUT_WR); }
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  /// What comes, until it ends with `end`, or the server closes.
  std::string read_to(const std::string& end) {
    std::string text;
    std::array<char, 4096> part{};
    while (!text.ends_with(end)) {
      const ssize_t size = ::recv(descriptor_, part.data(), part.size(), 0);
      if (size <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int descriptor_;
};

class Connections : public ::testing::Test {
 protected:
  /// Waits for it, for long enough that only a defect is not waited for.
  static bool is_stopped(const Exchange& exchange) {
    for (int i = 0; i < 1000 && !exchange.gone.stop_requested(); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    return exchange.gone.stop_requested();
  }

  ServerLimits limits;
  StandInHandler handler;
  Listener listener{"127.0.0.1", 0, 1, handler, limits};
  Client client{listener.port()};
};

TEST_F(Connections, AResetStopsTheRequest) {
  client.ask("s");
  const ExchangePtr exchange = handler.take();
  EXPECT_FALSE(exchange->gone.stop_requested());
  client.reset();
  EXPECT_TRUE(is_stopped(*exchange));
  exchange->respond({.status = 499});
}

TEST_F(Connections, AResetIsSeenBehindRequestsThatWait) {
  client.ask("ssff");
  const ExchangePtr exchange = handler.take();
  client.reset();
  EXPECT_TRUE(is_stopped(*exchange));
  exchange->respond({.status = 499});
}

/// Each request has a stop of its own, and requests that wait are answered in their order.
TEST_F(Connections, AClientThatWaitsIsNotGone) {
  client.ask("sfs");
  ExchangePtr exchange = handler.take();
  std::this_thread::sleep_for(600ms);  // two looks
  EXPECT_FALSE(exchange->gone.stop_requested());
  exchange->respond({.body = "slow\n"});
  const std::string told = client.read_to("fast\n");
  EXPECT_LT(told.find("slow\n"), told.find("fast\n")) << told;
  exchange = handler.take();
  EXPECT_FALSE(exchange->gone.stop_requested());
  client.reset();
  EXPECT_TRUE(is_stopped(*exchange));
  exchange->respond({.status = 499});
}

TEST_F(Connections, AHalfClosedOneIsAnsweredAndThenStopped) {
  client.ask("ss");
  client.end_sending();
  ExchangePtr exchange = handler.take();
  std::this_thread::sleep_for(600ms);
  EXPECT_FALSE(exchange->gone.stop_requested());
  exchange->respond({.body = "first\n"});
  EXPECT_NE(client.read_to("first\n").find("first"), std::string::npos);
  exchange = handler.take();
  EXPECT_TRUE(is_stopped(*exchange));
  exchange->respond({.status = 499, .body = "second\n"});
  EXPECT_NE(client.read_to("second\n").find("HTTP/1.1 499 Client Closed Request"),
            std::string::npos);
}

/// A stream that is read shows that the client is there.
TEST_F(Connections, AHalfClosedStreamGoesOn) {
  client.ask("s");
  client.end_sending();
  const ExchangePtr exchange = handler.take();
  exchange->begin({});
  exchange->write("piece\n");
  std::this_thread::sleep_for(2600ms);  // longer than others are waited for
  EXPECT_FALSE(exchange->gone.stop_requested());
  exchange->end();
  EXPECT_NE(client.read_to("0\r\n\r\n").find("piece"), std::string::npos);
}

}  // namespace
}  // namespace warpdex::server
