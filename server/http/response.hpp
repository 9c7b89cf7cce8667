// A response, and what a handler answers a request through.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.hpp"

namespace warpdex::server {

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kNdjsonType = "application/x-ndjson";

struct Response {
  int status = 200;
  std::string_view content_type = kJsonType;  ///< of static storage; empty: there is no body
  std::string body{};
  /// Further ones. Names and values hold no line feeds.
  std::vector<std::pair<std::string, std::string>> headers{};
  bool closes = false;  ///< the connection ends with this response
};

/// The words that stand behind a status.
std::string_view status_text(int status);

struct Route;

/// A request, and the way back to its client. It is answered once, from any thread: by respond(),
/// or by begin(), write() as often as need be, and end(). Where it is dropped unanswered, the
/// client gets a 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  Request request{};
  const Route* route = nullptr;  ///< none: no route has that path
  /// Asked to stop once the client has gone, and nobody waits for the answer.
  std::stop_source gone{std::nostopstate};

  /// Does not wait for the client.
  virtual void respond(Response response) = 0;

  /// Begins a body that is sent as it comes. The rest wait for a client that reads slowly, so they
  /// are for threads that may wait. They throw ClientGone if it went away, or reads too slowly.
  virtual void begin(Response head) = 0;
  virtual void write(std::string_view bytes) = 0;
  virtual void end() = 0;
};

using ExchangePtr = std::shared_ptr<Exchange>;

/// The client closed the connection, or read nothing for too long. Nobody is left to be told.
class ClientGone : public std::exception {
 public:
  const char* what() const noexcept override { return "the client went away"; }
};

}  // namespace warpdex::server
