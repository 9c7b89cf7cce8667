// Lays out blocks of queries, queues their kernels, and brings their answers to the host.
#include "binary/gpu/block_search.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/fetched_answers.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// This many queries, or more, are divided into more blocks than memory demands: one more block
/// costs less than if the GPU waits until all queries are encoded, or the host until all candidates
/// are there.
constexpr std::size_t kMinCut = 4096;
constexpr std::size_t kShortShare = 5;  ///< a short block has a fifth of them
constexpr std::size_t kHostPart = 8;    ///< queries that a thread takes at once
/// The number of a missing answer.
constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

/// How many of the queries from `first` on the next block has, of up to `most`. The first block is
/// short: the GPU has nothing to do while it is encoded. Where the host ranks candidates, so is the
/// last, beside whose ranking the GPU has nothing to do.
std::size_t block_size(const WantedCodes& wanted, std::size_t most, std::size_t first,
                       std::size_t count) {
  const std::size_t left = count - first;
  if (left < kMinCut) return std::min(left, most);
  if (first == 0) return std::min(left / kShortShare, most);
  if (left > most || !wanted.refines_on_host()) return std::min(left, most);
  return left - left / kShortShare;
}

}  // namespace

bool BlockSearch::FoundRows::has_empty() const {
  for (std::size_t q = 0; q < queries(); ++q) {
    if (of(q).empty() || of(q).front() == kNoEntry) return true;
  }
  return false;
}

void finish_query(const BinaryVectors& vectors, const PreparedQueries& queries,
                  const WantedCodes& wanted, std::size_t query, std::vector<std::uint64_t>& keys,
                  Neighbors& result) {
  if (wanted.options.refine > 0) rescore_keys(vectors.vectors, queries.query(query), keys);
  keep_nearest(keys, wanted.k);
  set_answers(vectors.metric, query, keys, result);
}

void BlockSearch::refine_block(const BinaryBlock& block, const Stream& stream) const {
  rescore({.rows = vectors_->rows(),
           .choice = {.count = codes_.count()},
           .order = block.rounds.order(),
           .queries = block.image.floats(),
           .is_l2 = vectors_->is_l2(),
           .lists = block.rounds.lists(block.image),
           .is_open = block.image.panels().is_open,
           .overlaps = block.rounds.overlaps()},
          block.answers, false, stream);
}

BlockSearch::FoundRows BlockSearch::fetch_candidates(const WantedCodes& wanted,
                                                     const BinaryBlock& block,
                                                     const Stream& stream) const {
  const std::size_t some = block.image.count();
  FoundRows found{{}, std::vector<std::size_t>(some + 1)};
  if (wanted.options.extra == 0) {
    const std::size_t each = block.nearest.k;
    found.rows.resize(some * each);
    for (std::size_t q = 0; q <= some; ++q) found.begins[q] = q * each;
    copy_to_host(found.rows.data(), block.nearest.ids, found.rows.size(), stream);
    stream.synchronize();
    return found;
  }
  const CandidateLists lists = block.rounds.lists(block.image);
  std::vector<std::uint32_t> counts(some);
  copy_to_host(counts.data(), lists.counts, some, stream);
  stream.synchronize();
  std::vector<Candidate> list;
  for (std::size_t q = 0; q < some; ++q) {
    list.resize(counts[q]);
    copy_to_host(list.data(), lists.candidates + q * lists.capacity, list.size(), stream);
    stream.synchronize();
    for (const Candidate& one : list) found.rows.push_back(block.rounds.order().row(one.place));
    found.begins[q + 1] = found.rows.size();
  }
  return found;
}

void BlockSearch::start_block(const void* pinned, std::size_t count, const WantedCodes& wanted,
                              BinaryBlock& block, const Stream& stream) const {
  block.image.send(pinned, count, stream);
  const bool trims =
      wanted.refines_on_gpu || (wanted.refines_on_host() && wanted.options.extra > 0);
  block.rounds.run(block.image, block.filter, trims, block.nearest, stream);
  if (wanted.refines_on_gpu) refine_block(block, stream);
}

template <class Take>
void BlockSearch::search_blocks(const PreparedQueries& queries, const WantedCodes& wanted,
                                BinaryBlock& block, Workspace& workspace, const Take& take) const {
  std::size_t count = block_size(wanted, block.queries, 0, queries.count);
  Arena halves(workspace.pinned_bytes(2 * aligned_piece(block.image.bytes())));
  std::uint8_t* own = halves.take<std::uint8_t>(block.image.bytes());
  std::uint8_t* next = halves.take<std::uint8_t>(block.image.bytes());
  block.image.encode(queries, 0, count, wanted.options, own);
  for (std::size_t first = 0; first < queries.count;) {
    start_block(own, count, wanted, block, workspace.stream);
    const std::size_t end = first + count;
    const std::size_t next_count = block_size(wanted, block.queries, end, queries.count);
    block.image.encode(queries, end, next_count, wanted.options, next);
    take(first, count);
    first = end;
    count = next_count;
    std::swap(own, next);
  }
}

std::vector<std::uint32_t> BlockSearch::find_open_of(const BinaryBlock& block, std::size_t first,
                                                     Workspace& workspace) const {
  std::vector<std::uint32_t> open =
      find_open(block.image.panels().is_open, block.image.count(), workspace);
  for (std::uint32_t& query : open) query += static_cast<std::uint32_t>(first);
  return open;
}

std::vector<std::uint32_t> BlockSearch::search_on_gpu(const PreparedQueries& queries,
                                                      const WantedCodes& wanted, BinaryBlock& block,
                                                      Workspace& workspace,
                                                      Neighbors& result) const {
  const FetchedAnswers answers(block.last(wanted), block.queries, workspace);
  std::vector<std::uint32_t> open;
  search_blocks(queries, wanted, block, workspace, [&](std::size_t first, std::size_t count) {
    if (!answers.fetch(codes_.host().metric, first, count, result)) return;
    const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
    open.insert(open.end(), some.begin(), some.end());
  });
  return open;
}

void BlockSearch::rank_on_host(const FoundRows& found, std::size_t first,
                               const PreparedQueries& queries, const WantedCodes& wanted,
                               Neighbors& result) const {
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, found.queries(), kHostPart),
                            [&](const auto& part) {
                              std::vector<std::uint64_t> keys;
                              for (std::size_t q = part.begin(); q < part.end(); ++q) {
                                keys.clear();
                                for (const std::uint32_t row : found.of(q)) {
                                  if (row != kNoEntry) keys.push_back(row);
                                }
                                finish_query(codes_.host(), queries, wanted, first + q, keys,
                                             result);
                              }
                            });
}

std::vector<std::uint32_t> BlockSearch::search_and_rank_on_host(const PreparedQueries& queries,
                                                                const WantedCodes& wanted,
                                                                BinaryBlock& block,
                                                                Workspace& workspace,
                                                                Neighbors& result) const {
  std::vector<std::uint32_t> open;
  FoundRows found;  // of the block before
  std::size_t found_first = 0;
  search_blocks(queries, wanted, block, workspace, [&](std::size_t first, std::size_t /*count*/) {
    rank_on_host(found, found_first, queries, wanted, result);
    found = fetch_candidates(wanted, block, workspace.stream);
    found_first = first;
    if (!found.has_empty()) return;
    const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
    open.insert(open.end(), some.begin(), some.end());
  });
  rank_on_host(found, found_first, queries, wanted, result);
  return open;
}

std::vector<std::uint32_t> BlockSearch::run(const PreparedQueries& queries,
                                            const WantedCodes& wanted, Neighbors& result) const {
  const auto bytes_for = [&](std::size_t some) {
    return BinaryBlock(codes_, wanted, some).lay_out(nullptr, codes_, wanted);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  const std::size_t largest =
      queries.count < kMinCut ? queries.count : queries.count - queries.count / kShortShare;
  std::size_t size = fitting(std::min(largest, kMaxBlock), std::min(pool_.memory(), kMaxScratch));
  const auto workspace = pool_.take(bytes_for(1), bytes_for(size));
  size = fitting(size, workspace->scratch.size());
  BinaryBlock block(codes_, wanted, size);
  block.lay_out(workspace->scratch.data(), codes_, wanted);
  if (wanted.options.filter != nullptr) {
    copy_to_gpu(block.filter, wanted.options.filter->words().data(),
                wanted.options.filter->words().size(), workspace->stream);
  }
  if (wanted.refines_on_host()) {
    return search_and_rank_on_host(queries, wanted, block, *workspace, result);
  }
  return search_on_gpu(queries, wanted, block, *workspace, result);
}

}  // namespace warpdex::vector
