// Times passes over a query log: on the CPU query by query, on the GPU batch by batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/gpu/gpu_facets.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::tools {

/// Trees of terms, each of which is_exact_phrase().
using Phrases = std::vector<std::shared_ptr<const QueryNode>>;

/// What is known of the log before it is run.
struct Workload {
  std::vector<PlannedQuery> plans;
  Phrases phrases;             ///< or these; of them the next are 0
  std::uint64_t terms = 0;     ///< distinct and known, over all queries
  std::uint64_t postings = 0;  ///< of their lists
  std::uint64_t bytes = 0;     ///< of these as they are encoded; short lists aside
};

/// Looks terms up. Trees are exact phrases. Throws UsageError for these beside other queries,
/// FormatError.
Workload plan_all(const Snapshot& index, std::span<const Query> queries);

struct BenchSettings {
  SearchSettings search;
  std::string filter{};                ///< the text of search.documents
  std::vector<FacetRequest> facets{};  ///< counted over all matches of each query
  std::size_t threads = 1;
  std::size_t repetitions = 1;   ///< timed passes
  std::size_t batch_size = 1;    ///< queries that a sample of time is for
  std::size_t in_flight = 1;     ///< GPU: batches that a thread has under way
  bool document_blocks = false;  ///< the index is held by blocks of documents, too
  GpuAblation ablation;
};

/// Counts over the answers to all queries.
struct AnswerCounts {
  std::uint64_t hits = 0;
  std::uint64_t without_answer = 0;  ///< queries
  std::uint64_t fell_back = 0;       ///< and-or: queries answered by OR
};

struct Measurement {
  std::vector<std::uint64_t> samples;  ///< nanoseconds, repetition by repetition
  double seconds = 0;                  ///< wall time of all timed passes
  AnswerCounts answers;                ///< of one pass
  GpuStatistics work;                  ///< of the timed passes; on the CPU, its queries only
};

/// Answers all queries once, which warms the lists and is not timed, and then `repetitions` times
/// with a sample of time for each query or batch. By queries, each thread has a searcher and takes
/// the next query; by batches, the threads of one engine share each out.
Measurement measure(const Snapshot& index, const Workload& workload, const BenchSettings& settings);

/// Makes an engine over the index in GPU memory.
using MakeGpuEngine = std::function<GpuGroupEngine(const GpuEngineSettings&)>;

/// Likewise on the GPU, with a sample for each batch, after two passes that are not timed. Each
/// thread has an engine. With facets, batches have one query, and `facets` counts them.
Measurement measure_gpu(const Snapshot& index, const MakeGpuEngine& make_engine, GpuFacets* facets,
                        const Workload& workload, const BenchSettings& settings);

}  // namespace warpdex::tools
