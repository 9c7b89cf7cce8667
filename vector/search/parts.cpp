// Lists are merged by their heads: there are few of them. One catch for each type of errors, as an
// exception is copied as what it is caught as.
#include "search/parts.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// Answers that a task merges: some 100 microseconds.
constexpr std::size_t kTaskAnswers = 16'384;
constexpr std::uint64_t kNoKey = std::numeric_limits<std::uint64_t>::max();

/// One query's answers from one part, the nearest first.
struct Head {
  const std::int32_t* row;
  const std::int32_t* end;
  const float* distance;

  /// kNoKey: there are no more.
  std::uint64_t key(Metric metric) const {
    if (row == end || *row < 0) return kNoKey;
    return order_key(ascending(metric, *distance), static_cast<std::uint32_t>(*row));
  }
  void pass() {
    ++row;
    ++distance;
  }
};

/// The k smallest keys of all heads, sorted.
void take_keys(Metric metric, std::vector<Head>& heads, std::size_t k,
               std::vector<std::uint64_t>& keys) {
  std::vector<std::uint64_t> next;
  for (const Head& head : heads) next.push_back(head.key(metric));
  keys.clear();
  while (keys.size() < k) {
    const auto nearest = std::min_element(next.begin(), next.end());
    if (*nearest == kNoKey) return;
    keys.push_back(*nearest);
    Head& head = heads[static_cast<std::size_t>(nearest - next.begin())];
    head.pass();
    *nearest = head.key(metric);
  }
}

}  // namespace

Neighbors merge_nearest(Metric metric, std::span<const Neighbors> parts, std::size_t k) {
  const std::size_t queries = parts.front().queries;
  Neighbors merged = make_neighbors(metric, queries, k);
  const auto merge = [&](const oneapi::tbb::blocked_range<std::size_t>& some) {
    std::vector<Head> heads;
    std::vector<std::uint64_t> keys;
    for (std::size_t query = some.begin(); query != some.end(); ++query) {
      heads.clear();
      for (const Neighbors& part : parts) {
        const std::int32_t* const row = part.rows.data() + query * part.k;
        heads.push_back({row, row + part.k, part.distances.data() + query * part.k});
      }
      take_keys(metric, heads, k, keys);
      set_answers(metric, query, keys, merged);
    }
  };
  const std::size_t grain = std::max<std::size_t>(1, kTaskAnswers / (k * parts.size()));
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, queries, grain), merge);
  return merged;
}

RangeNeighbors merge_within(Metric metric, std::span<const RangeNeighbors> parts,
                            std::size_t queries) {
  RangeNeighbors merged;
  merged.offsets.push_back(0);
  std::vector<Head> heads;
  std::vector<std::uint64_t> keys;
  for (std::size_t query = 0; query < queries; ++query) {
    heads.clear();
    for (const RangeNeighbors& part : parts) {
      const std::int32_t* const rows = part.rows.data();
      heads.push_back({rows + part.offsets[query], rows + part.offsets[query + 1],
                       part.distances.data() + part.offsets[query]});
    }
    take_keys(metric, heads, std::numeric_limits<std::size_t>::max(), keys);
    add_answers(metric, keys, merged);
  }
  return merged;
}

void with_name(const std::string& name, const std::function<void()>& work) {
  const std::string start = name + ": ";
  try {
    work();
  } catch (const UsageError&) {
    throw;
  } catch (const CudaError& error) {
    throw CudaError(start + error.what(), error.code());
  } catch (const FormatError& error) {
    throw FormatError(start + error.what());
  } catch (const IoError& error) {
    throw IoError(start + error.what());
  } catch (const InputError& error) {
    throw InputError(start + error.what());
  } catch (const std::exception& error) {
    throw Error(start + error.what());
  }
}

}  // namespace warpdex::vector
