// What connections hand requests to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "http/error.hpp"
#include "http/response.hpp"

namespace warpdex::server {

/// All are called from many threads at once.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Looks at a request whose header is there and whose body is not, and returns how many bytes
  /// the body may have. Throws HttpError for one that is refused.
  virtual std::size_t on_head(Exchange& exchange) = 0;
  /// Answers a request, now or later. Throws nothing.
  virtual void on_request(const ExchangePtr& exchange) noexcept = 0;
  /// What a client is told that is refused by on_head(), or whose request is none.
  virtual Response render(const HttpError& error, Exchange& exchange) = 0;
  /// An answer was handed to the system; `bytes` of its body. Throws nothing.
  virtual void on_answered(const Exchange& exchange, int status, std::uint64_t bytes) noexcept = 0;

  /// Takes room for so many bytes of a body; false if there is none left.
  virtual bool take_room(std::size_t bytes) = 0;
  virtual void give_back_room(std::size_t bytes) = 0;

  /// Whether connections are to end after the answer that they wait for.
  virtual bool is_draining() const = 0;
};

}  // namespace warpdex::server
