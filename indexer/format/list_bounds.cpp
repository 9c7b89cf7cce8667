// Cuts a list into blocks and ranges, and bounds each.
#include "warpdex/indexer/format/list_bounds.hpp"

#include <algorithm>
#include <numeric>

#include "warpdex/codecs/codec.hpp"

namespace warpdex {
namespace {

/// `bound(begin, end)` for each block of the list, and for each range of docIDs if it is frequent.
template <class Bound>
ListBounds bound_pieces(std::span<const std::uint32_t> docids, std::uint64_t documents,
                        const Bound& bound) {
  ListBounds bounds;
  for (std::size_t begin = 0; begin < docids.size(); begin += kBlockSize) {
    bounds.blocks.push_back(bound(begin, std::min(begin + kBlockSize, docids.size())));
  }
  if (!is_frequent(docids.size(), documents)) return bounds;
  bounds.ranges.resize(range_count(documents));
  for (std::size_t begin = 0; begin < docids.size();) {
    const std::uint32_t range = docids[begin] / kRangeDocuments;
    const auto end = static_cast<std::size_t>(
        std::partition_point(
            docids.begin() + static_cast<std::ptrdiff_t>(begin), docids.end(),
            [range](std::uint32_t docid) { return docid / kRangeDocuments == range; }) -
        docids.begin());
    bounds.ranges[range] = bound(begin, end);
    begin = end;
  }
  return bounds;
}

}  // namespace

ListBounds bound_list(std::span<const std::uint32_t> docids,
                      std::span<const std::uint32_t> frequencies,
                      std::span<const std::uint32_t> lengths) {
  std::vector<std::uint32_t> own_lengths(docids.size());
  std::transform(docids.begin(), docids.end(), own_lengths.begin(),
                 [lengths](std::uint32_t docid) { return lengths[docid]; });
  ListBounds bounds = bound_pieces(docids, lengths.size(), [&](std::size_t begin, std::size_t end) {
    const auto piece = std::span(own_lengths).subspan(begin, end - begin);
    const auto total = std::accumulate(piece.begin(), piece.end(), std::uint64_t{0});
    return make_score_bound(frequencies.subspan(begin, end - begin), piece,
                            static_cast<double>(total) / static_cast<double>(piece.size()));
  });
  bounds.seeds = find_seeds(frequencies, own_lengths);
  return bounds;
}

ListBounds bound_impacts(std::span<const std::uint32_t> docids,
                         std::span<const std::uint32_t> impacts, std::uint64_t documents) {
  ListBounds bounds = bound_pieces(docids, documents, [&](std::size_t begin, std::size_t end) {
    return make_impact_bound(impacts.subspan(begin, end - begin));
  });
  bounds.seeds = find_impact_seeds(impacts);
  return bounds;
}

}  // namespace warpdex
