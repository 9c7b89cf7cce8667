// The table of routes: what a server answers, for whom, and how.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/error.hpp"
#include "http/response.hpp"
#include "http/role.hpp"

namespace warpdex::server {

struct Services;

/// The form of a body. Whoever sends another content type gets a 415.
enum class BodyKind : std::uint8_t {
  kEmpty,   ///< a body is refused
  kJson,    ///< one JSON value, or no body
  kNdjson,  ///< lines of JSON
};

/// A form of answers: its errors, and the addresses whose errors have it where no route matches.
struct Face {
  std::string_view name;                                                  ///< in metrics and logs
  std::string (*render)(const HttpError& error, const Request& request);  ///< a JSON body
};

/// The answer that an error is in a face's form, with the headers of the error.
Response render_error(const Face& face, const HttpError& error, const Request& request);

/// Answers a request, or sees to it that another thread does. What it throws is rendered by the
/// route's face. An I/O thread must not wait.
using Handler = void (*)(Services& services, const ExchangePtr& exchange);

/// Where a handler runs.
enum class RunsOn : std::uint8_t {
  kReader,    ///< the I/O thread
  kSearcher,  ///< the I/O thread reads the search. Refused unread where too many wait
  kWorker,    ///< the work pool: it may wait
};

struct Route {
  Method method = Method::kGet;
  /// Segments, of which {name} stands for any that is not empty: "/v1/{index}/search". Where
  /// several routes match, the one with a literal segment first does.
  std::string_view pattern;
  Role role = Role::kRead;
  BodyKind body = BodyKind::kEmpty;
  Handler handler = nullptr;
  const Face* face = nullptr;
  RunsOn runs_on = RunsOn::kReader;
  std::size_t max_body = 0;  ///< bytes; 0: the server's limit
};

class Router {
 public:
  /// Throws UsageError where two routes are the same.
  explicit Router(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::string allowed{};  ///< the methods of that path, where the method is none of them
  };
  /// Fills request.arguments. A HEAD is answered by the route of GET where it has none of its own.
  Match find(Request& request) const;

  std::span<const Route> routes() const { return routes_; }

 private:
  struct Pattern {
    std::vector<std::string_view> segments;  ///< empty: a parameter
  };
  bool matches(const Pattern& pattern, const Request& request) const;

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;
};

}  // namespace warpdex::server
