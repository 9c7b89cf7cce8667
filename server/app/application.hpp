// What happens to each request on its way to its handler: guards, route, body, and the logs behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <string>

#include "guard/keys.hpp"
#include "guard/origin.hpp"
#include "net/request_handler.hpp"
#include "observe/log_file.hpp"
#include "observe/metrics.hpp"
#include "opensearch/search/scrolls.hpp"
#include "routes/route.hpp"
#include "services/services.hpp"

namespace warpdex::server {

/// The routes of all faces.
std::vector<Route> all_routes();

class Application final : public RequestHandler {
 public:
  explicit Application(const ServerOptions& options);
  /// Answers what waits.
  ~Application() override;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  std::size_t on_head(Exchange& exchange) override;
  void on_request(const ExchangePtr& exchange) noexcept override;
  Response render(const HttpError& error, Exchange& exchange) override;
  void on_answered(const Exchange& exchange, int status, std::uint64_t bytes) noexcept override;
  bool take_room(std::size_t bytes) override;
  void give_back_room(std::size_t bytes) override;
  bool is_draining() const override { return is_draining_.load(std::memory_order_relaxed); }

  void drain() { is_draining_ = true; }
  void reload();
  Catalog& catalog() { return catalog_; }

 private:
  void name(Request& request);
  void check_body_kind(const Request& request, const Route& route) const;
  void answer_preflight(Exchange& exchange) const;
  void write_access(const Exchange& exchange, int status, std::uint64_t bytes,
                    std::chrono::microseconds time);

  const ServerOptions options_;
  const Router router_;
  Keys keys_;
  const OriginGuard origins_;
  Metrics metrics_;
  LogFile access_log_;
  LogFile slow_log_;
  std::atomic<bool> is_draining_ = false;
  std::atomic<std::size_t> room_taken_ = 0;
  std::atomic<std::uint64_t> next_id_;
  WorkPool writers_;
  Catalog catalog_;
  Dispatcher dispatcher_;
  WorkPool work_;
  opensearch::Scrolls scrolls_;
  Services services_;
};

}  // namespace warpdex::server
