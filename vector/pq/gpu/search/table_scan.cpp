// Makes tables for some queries at a time, and scans.
#include "pq/gpu/search/table_scan.hpp"

#include <algorithm>

#include "flat/gpu/answers.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/select/block_limit.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of tables that are worth having at a time: they stay in the L2 cache.
constexpr std::size_t kTableBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxTableQueries = 4096;

}  // namespace

TableScan::TableScan(const GpuCodes& codes, std::size_t queries, std::size_t k, std::size_t probes,
                     bool collects)
    : codes_(codes),
      queries_(static_cast<std::uint32_t>(queries)),
      probes_(static_cast<std::uint32_t>(probes)),
      max_rows_(codes.max_rows(probes)),
      collects_(collects || k > block_select_limit(sizeof(std::uint64_t))),
      k_(static_cast<std::uint32_t>(k)) {
  const std::size_t table = codes.on_gpu().bytes * kByteValues * sizeof(float);
  step_ = static_cast<std::uint32_t>(
      collects_
          ? 1
          : std::clamp<std::size_t>(kTableBytes / table, 1, std::min(queries, kMaxTableQueries)));
}

void TableScan::lay_out(Arena& arena) {
  made_.tables = arena.take<float>(step_ * codes_.on_gpu().bytes * kByteValues);
  made_.bases = arena.take<float>(std::size_t{step_} * probes_);
  made_.ends = arena.take<std::uint32_t>(std::size_t{step_} * probes_);
  made_.bounds = arena.take<unsigned long long>(step_);
  made_.finished = arena.take<std::uint32_t>(step_);
  which_ = arena.take<std::uint32_t>(queries_);
  if (!collects_) {
    parts_ = arena.take<unsigned long long>(std::size_t{kMaxSharedCtas} * k_);
    return;
  }
  values_ = arena.take<float>(max_rows_);
  ids_ = arena.take<std::uint32_t>(max_rows_);
  count_ = arena.take<int>(1);
}

ScanCodesTask TableScan::prepare(const CodeQueries& search, std::uint32_t used,
                                 const ChosenQueries& chosen, const Stream& stream) const {
  make_query_tables({.codes = codes_.on_gpu(),
                     .queries = search.queries,
                     .vectors = search.vectors,
                     .probed = search.probed,
                     .used = used,
                     .chosen = chosen,
                     .made = made_},
                    stream);
  return {.codes = codes_.on_gpu(),
          .probed = search.probed,
          .used = used,
          .chosen = chosen,
          .made = made_,
          .filter = search.filter,
          .shared_memory = codes_.shared_memory()};
}

void TableScan::select(const CodeQueries& search, std::uint32_t used, const ChosenQueries& chosen,
                       const DeviceAnswers& answers, Workspace& workspace) {
  const std::size_t vectors = std::size_t{codes_.count()} / codes_.lists() * used;
  for (std::uint32_t first = 0; first < chosen.count; first += step_) {
    const std::uint32_t count = std::min(step_, chosen.count - first);
    const ChosenQueries some{chosen.which == nullptr ? nullptr : chosen.which + first,
                             chosen.first + first, count};
    select_codes(prepare(search, used, some, workspace.stream), {answers, parts_}, vectors,
                 workspace.stream);
  }
}

std::uint32_t TableScan::collect(std::uint32_t query, const CodeQueries& search, float limit,
                                 bool takes_all, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  const std::uint32_t used = search.probed.probes;
  check_cuda(cudaMemsetAsync(count_, 0, sizeof(int), stream.handle()), "cudaMemsetAsync");
  collect_codes(prepare(search, used, {nullptr, query, 1}, stream),
                {limit, takes_all, values_, ids_, count_}, max_rows_, stream);
  int count = 0;
  copy_to_host(&count, count_, 1, stream);
  stream.synchronize();
  return static_cast<std::uint32_t>(count);
}

void TableScan::select_collected(std::uint32_t query, const CodeQueries& search,
                                 const DeviceAnswers& answers, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  const std::size_t at = std::size_t{query} * answers.k;
  const DeviceAnswers own{answers.values + at, answers.ids + at, answers.k};
  clear_answers(own, 1, stream);
  const std::uint32_t count = collect(query, search, 0, true, workspace);
  if (count == 0) return;
  select_k(MatrixView<float>{values_, 1, count, count},
           MatrixView<std::uint32_t>{ids_, 1, count, count}, std::min(count, own.k),
           SelectOrder::kSmallest, own.values, own.ids, workspace.select, stream);
}

void TableScan::nearest(const CodeQueries& search, std::uint32_t used, const DeviceAnswers& answers,
                        Workspace& workspace) {
  if (!collects_) {
    select(search, used, {nullptr, 0, search.queries.count}, answers, workspace);
    return;
  }
  for (std::uint32_t query = 0; query < search.queries.count; ++query) {
    select_collected(query, search, answers, workspace);
  }
}

void TableScan::nearest_of(const std::vector<std::uint32_t>& some, const CodeQueries& search,
                           const DeviceAnswers& answers, Workspace& workspace) {
  copy_to_gpu(which_, some.data(), some.size(), workspace.stream);
  select(search, search.probed.probes, {which_, 0, static_cast<std::uint32_t>(some.size())},
         answers, workspace);
}

std::vector<std::uint64_t> TableScan::within(std::uint32_t query, const CodeQueries& search,
                                             float limit, Workspace& workspace) {
  const std::uint32_t count = collect(query, search, limit, false, workspace);
  std::vector<float> values(count);
  std::vector<std::uint32_t> ids(count);
  copy_to_host(values.data(), values_, count, workspace.stream);
  copy_to_host(ids.data(), ids_, count, workspace.stream);
  workspace.stream.synchronize();
  std::vector<std::uint64_t> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = order_key(values[i], ids[i]);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace warpdex::vector
