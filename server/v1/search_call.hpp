// What a search asks for, by the names that `warpdex search` has for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catalog/served_index.hpp"
#include "dispatch/dispatcher.hpp"
#include "routes/parameters.hpp"
#include "warpdex/server/server.hpp"

namespace warpdex::server::v1 {

struct SearchCall {
  SearchJob job{};         ///< without `done`
  std::uint32_t from = 0;  ///< answers that are passed over
  bool has_vector = false;
  bool is_sorted = false;  ///< by columns, so that hits have cursors
};

/// Reads all parameters of a search, and parses its words. Throws HttpError (400) for what is
/// unknown, out of range or has no effect, UsageError and InputError. `arrival` is when its
/// deadline begins.
SearchCall read_search(Parameters& parameters, const IndexPtr& index, const ServerLimits& limits,
                       Request::Clock::time_point arrival);

/// The answer as one JSON object, without a line end.
std::string search_json(const SearchCall& call, const SearchOutcome& outcome);

}  // namespace warpdex::server::v1
