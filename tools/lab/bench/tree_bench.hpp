// Times a log with queries that no engine answers alone: trees, and and-or over several fields.
#pragma once

#include <span>

#include "bench/bench_measure.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex::tools {

/// Whether a query asks for more than an engine or a phrase search answers.
bool needs_searcher(const Query& query);

/// As `warpdex search` answers them, on the searcher's device. The looking up of words is timed
/// too. One query at a time, each thread takes the next one; a larger batch has all of the
/// searcher's threads, and the next one follows. `options` has the settings' k, mode and so on.
Measurement measure_trees(const Searcher& searcher, std::span<const Query> queries,
                          const warpdex::SearchOptions& options, const BenchSettings& settings);

}  // namespace warpdex::tools
