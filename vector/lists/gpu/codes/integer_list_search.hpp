// The search of lists of codes whose products with queries are whole numbers: Coding::GpuSearch of
// GpuListSearcher.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lists/gpu/codes/code_list_queries.hpp"
#include "lists/gpu/codes/code_list_rounds.hpp"
#include "lists/gpu/codes/gpu_code_lists.hpp"
#include "lists/gpu/gpu_list_searcher.hpp"

namespace warpdex::vector {

/// Few queries are compared with all codes of their lists; a selection follows. Many are grouped by
/// the lists that they probe: a list's codes become bytes for up to 128 queries at a time, and are
/// multiplied on the tensor cores. For few queries it takes 8 bytes of GPU memory for each vector
/// of their lists, for many 32 to 128 KiB a query.
template <class Coding>
class IntegerListSearch {
 public:
  using GpuLists = GpuCodeLists<Coding>;
  static constexpr bool kReadsHostQueries = true;

  static std::uint8_t choose_way(const GpuLists& lists, const ListSearchSizes& sizes,
                                 std::size_t count, CodeWay /*way*/) {
    const bool by_lists = CodeListRounds<Coding>::suits(
        lists, count, sizes.candidates, sizes.options.probes, bits_of(lists, sizes));
    return by_lists ? 1 : 0;
  }

  static std::size_t max_queries(const GpuLists& lists, const ListSearchSizes& sizes) {
    constexpr std::size_t kValueBytes = std::size_t{1} << 30;  // worth computing at a time
    if (sizes.way != 0) return kMaxBlock;
    return std::max<std::size_t>(1, kValueBytes / (8 * places_of(lists, sizes)));
  }

  IntegerListSearch(const GpuLists& lists, const ListSearchSizes& sizes)
      : lists_(lists),
        most_(sizes.queries),
        probes_(sizes.options.probes),
        candidates_(sizes.candidates),
        stride_(places_of(lists, sizes)),
        queries_(lists, sizes.queries, bits_of(lists, sizes)) {
    if (sizes.way != 0) by_lists_.emplace(lists, most_, candidates_, probes_);
  }

  void lay_out(Arena& arena) {
    queries_.lay_out(arena);
    if (by_lists_) {
      by_lists_->lay_out(arena);
      return;
    }
    ends_ = arena.take<std::uint32_t>(most_ * probes_);
    bases_ = arena.take<float>(most_ * probes_);
    values_ = arena.take<float>(most_ * stride_);
    ids_ = arena.take<std::uint32_t>(most_ * stride_);
  }

  void begin(const BlockQueries& block, Workspace& workspace) {
    block_ = block;
    queries_.send(*block.host, block.first, block.queries.count,
                  workspace.pinned_bytes(queries_.bytes()), workspace.stream);
    if (by_lists_ || block.queries.count == 0) return;
    ScanListCodesTask<typename IntegerCodes<Coding>::Device> task{};
    task.lists = lists_.on_gpu();
    task.queries = block.queries;
    task.codes = queries_.codes();
    task.probed = block.probed;
    task.filter = block.allowed;
    task.ends = ends_;
    task.bases = bases_;
    task.values = values_;
    task.ids = ids_;
    task.stride = static_cast<std::uint32_t>(stride_);
    scan_list_codes(task, workspace.stream);
  }

  std::vector<std::uint32_t> nearest(const DeviceAnswers& found, GpuFigures& /*figures*/,
                                     Workspace& workspace) {
    const std::size_t count = block_.queries.count;
    if (by_lists_) {
      by_lists_->run(block_, queries_, found, workspace.stream);
      return find_open(queries_.panels().is_open, queries_.count(), workspace);
    }
    select_k(MatrixView<float>{values_, count, stride_, stride_},
             MatrixView<std::uint32_t>{ids_, count, stride_, stride_}, candidates_,
             SelectOrder::kSmallest, found.values, found.ids, workspace.select, workspace.stream);
    return {};
  }

  std::vector<std::uint64_t> within(std::uint32_t query, float limit, Workspace& workspace) {
    std::vector<float> values(stride_);
    std::vector<std::uint32_t> ids(stride_);
    copy_to_host(values.data(), values_ + query * stride_, stride_, workspace.stream);
    copy_to_host(ids.data(), ids_ + query * stride_, stride_, workspace.stream);
    workspace.stream.synchronize();
    const std::uint64_t last = order_key(limit, ~std::uint32_t{0});
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::uint64_t key = order_key(values[i], ids[i]);
      if (ids[i] != kNoEntry && key <= last) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

 private:
  static std::size_t bits_of(const GpuLists& lists, const ListSearchSizes& sizes) {
    return lists.codes().query_bits(sizes.options);
  }
  /// Of a query: no fewer than its candidates.
  static std::size_t places_of(const GpuLists& lists, const ListSearchSizes& sizes) {
    const std::size_t groups =
        std::max(lists.max_groups(sizes.options.probes), (sizes.candidates + 31) / 32);
    return std::max<std::size_t>(groups, 1) * 32;
  }

  const GpuLists& lists_;
  std::size_t most_;  ///< queries
  std::size_t probes_;
  std::size_t candidates_;
  std::size_t stride_;  ///< places of a query
  CodeListQueries<Coding> queries_;
  std::optional<CodeListRounds<Coding>> by_lists_;  ///< else there are `ends` to `ids`
  std::uint32_t* ends_ = nullptr;
  float* bases_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  BlockQueries block_;
};

}  // namespace warpdex::vector
