// What a request is refused with, or fails by. Each face renders it in its own form.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"

namespace warpdex::server {

class HttpError : public Error {
 public:
  /// `type` is a word for programs, `reason` a sentence for people.
  HttpError(int status, std::string type, const std::string& reason)
      : Error(reason), status_(status), type_(std::move(type)) {}

  int status() const { return status_; }
  const std::string& type() const { return type_; }
  /// Of the answer, as Retry-After.
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }
  void add_header(std::string name, std::string value) {
    headers_.emplace_back(std::move(name), std::move(value));
  }

 private:
  int status_;
  std::string type_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// The status for logs of a request whose client went away.
inline constexpr int kClientGone = 499;

// The usual ones.
HttpError bad_request(const std::string& reason);
HttpError not_found(const std::string& reason);
HttpError conflict(const std::string& reason);
HttpError too_large(const std::string& reason);
/// 429 and 503, to be tried again after a second.
HttpError too_busy(const std::string& reason);
HttpError unavailable(const std::string& reason);

/// What an exception stands for: an HttpError itself; UsageError and InputError are the client's
/// fault, everything else the server's.
HttpError http_error_of(const std::exception_ptr& failure);

}  // namespace warpdex::server
