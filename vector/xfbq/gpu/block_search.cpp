// Lays out blocks of queries, queues their kernels, and brings their answers to the host.
#include "xfbq/gpu/block_search.hpp"

#include <algorithm>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/fetched_answers.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/rescore.hpp"
#include "kmeans/parallel_parts.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMaxScratch = std::size_t{4} << 30;
constexpr std::size_t kMaxBlock = 16384;  ///< queries
/// Queries of a block that the host's threads rank anew while the GPU searches for the next ones.
constexpr std::size_t kHostBlock = 2048;
constexpr std::size_t kHostPart = 8;  ///< queries that a thread takes at once
/// The number of a missing answer.
constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

}  // namespace

bool BlockSearch::FoundRows::has_empty() const {
  for (std::size_t q = 0; q < queries(); ++q) {
    if (of(q).empty() || of(q).front() == kNoEntry) return true;
  }
  return false;
}

void finish_query(const XfbqVectors& vectors, const PreparedQueries& queries,
                  const WantedCodes& wanted, std::size_t query, std::vector<std::uint64_t>& keys,
                  Neighbors& result) {
  if (wanted.depth.refine > 0) rescore_keys(vectors.vectors, queries.query(query), keys);
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
  if (wanted.depth.extra == 0) {
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

void BlockSearch::start_block(const PreparedQueries& queries, const WantedCodes& wanted,
                              std::size_t first, std::size_t count, BinaryBlock& block,
                              Workspace& workspace) const {
  const Stream& stream = workspace.stream;
  block.image.send(queries, first, count, wanted.depth, workspace.pinned_bytes(block.image.bytes()),
                   stream);
  const bool trims = wanted.refines_on_gpu || (wanted.refines_on_host() && wanted.depth.extra > 0);
  block.rounds.run(block.image, block.filter, trims, block.nearest, stream);
  if (wanted.refines_on_gpu) refine_block(block, stream);
}

std::vector<std::uint32_t> BlockSearch::find_open_of(const BinaryBlock& block, std::size_t first,
                                                     Workspace& workspace) const {
  std::vector<std::uint32_t> open =
      find_open(block.image.panels().is_open, block.image.count(), workspace);
  for (std::uint32_t& query : open) query += static_cast<std::uint32_t>(first);
  return open;
}

std::vector<std::uint32_t> BlockSearch::search_blocks(const PreparedQueries& queries,
                                                      const WantedCodes& wanted, BinaryBlock& block,
                                                      Workspace& workspace,
                                                      Neighbors& result) const {
  const FetchedAnswers answers(block.last(wanted), block.queries, workspace);
  std::vector<std::uint32_t> open;
  for (std::size_t first = 0; first < queries.count; first += block.queries) {
    const std::size_t count = std::min(block.queries, queries.count - first);
    start_block(queries, wanted, first, count, block, workspace);
    if (!answers.fetch(codes_.host().metric, first, count, result)) continue;
    const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
    open.insert(open.end(), some.begin(), some.end());
  }
  return open;
}

std::vector<std::uint32_t> BlockSearch::search_and_refine_on_host(const PreparedQueries& queries,
                                                                  const WantedCodes& wanted,
                                                                  BinaryBlock& block,
                                                                  Workspace& workspace,
                                                                  Neighbors& result) const {
  std::vector<std::uint32_t> open;
  FoundRows found;  // of the block before, which ended with query `first`
  std::size_t first = 0;
  const auto refine = [&] {
    for_each_part(found.queries(), kHostPart, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        std::vector<std::uint64_t> keys;
        for (const std::uint32_t row : found.of(q)) {
          if (row != kNoEntry) keys.push_back(row);
        }
        finish_query(codes_.host(), queries, wanted, first - found.queries() + q, keys, result);
      }
    });
  };
  while (first < queries.count) {
    const std::size_t count = std::min(block.queries, queries.count - first);
    start_block(queries, wanted, first, count, block, workspace);
    refine();
    found = fetch_candidates(wanted, block, workspace.stream);
    if (found.has_empty()) {
      const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
      open.insert(open.end(), some.begin(), some.end());
    }
    first += count;
  }
  refine();
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
  const std::size_t most = wanted.refines_on_host() ? kHostBlock : kMaxBlock;
  std::size_t size = fitting(std::min(queries.count, most), std::min(pool_.memory(), kMaxScratch));
  const auto workspace = pool_.take(bytes_for(1), bytes_for(size));
  size = fitting(size, workspace->scratch.size());
  BinaryBlock block(codes_, wanted, size);
  block.lay_out(workspace->scratch.data(), codes_, wanted);
  if (wanted.filter != nullptr) {
    copy_to_gpu(block.filter, wanted.filter->words().data(), wanted.filter->words().size(),
                workspace->stream);
  }
  if (wanted.refines_on_host()) {
    return search_and_refine_on_host(queries, wanted, block, *workspace, result);
  }
  return search_blocks(queries, wanted, block, *workspace, result);
}

}  // namespace warpdex::vector
