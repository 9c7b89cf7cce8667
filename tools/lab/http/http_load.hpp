// Loads a server over HTTP/1.1: at given times, or with callers that wait for their answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "load/open_load.hpp"

namespace warpdex::tools {

/// What came of one request.
struct HttpOutcome {
  /// Microseconds to the answer's last byte: in an open loop from the time at which the request was
  /// due, in a closed one from the time at which it was sent.
  float latency = 0;
  std::uint16_t status = 0;  ///< 0: the connection broke, or could not be made
  bool is_complete = true;   ///< false: an answer that says `"complete":false`
  bool is_of_gpu = false;    ///< an answer that says `"answered_by":"gpu"`
};

struct HttpLoadSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7700;
  std::span<const std::string> requests;  ///< bytes, with their headers; they take turns
  std::size_t connections = 64;
  std::size_t threads = 1;
  /// Ascending: an open loop, over as many connections as given; a request that finds none free
  /// waits, which counts in its latency. Empty: a closed loop, of one caller for each connection.
  std::span<const Micros> arrivals;
  double seconds = 5;  ///< of a closed loop
};

struct HttpLoadResult {
  std::vector<HttpOutcome> outcomes;  ///< in no order
  double seconds = 0;                 ///< from the start to the last answer
};

/// Sends requests until their times, or the seconds, are over, and waits for the answers. `on_wait`
/// is called every 50 ms; if it throws, the load ends with that exception. Throws InputError where
/// no connection can be made at the start.
HttpLoadResult run_http_load(const HttpLoadSettings& settings,
                             const std::function<void()>& on_wait = {});

}  // namespace warpdex::tools
