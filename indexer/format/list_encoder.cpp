// Postings to encoded lists, as frequencies or as impacts.
#include <algorithm>
#include <numeric>
#include <vector>

#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex {

ListEncoder::ListEncoder(const IndexSettings& settings, std::span<const std::uint32_t> lengths)
    : settings_(settings), lengths_(lengths) {
  if (!settings_.impacts) return;
  check_bm25_settings(settings_.impacts->k1, settings_.impacts->b);
  tokens_ = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
}

EncodedPostings ListEncoder::encode(std::span<const std::uint32_t> docids,
                                    std::span<const std::uint32_t> frequencies) const {
  if (!settings_.impacts) return encode_postings(settings_.codec, docids, frequencies, lengths_);
  std::vector<std::uint32_t> impacts(frequencies.size());
  ImpactQuantizer(*settings_.impacts, {lengths_.size(), tokens_})
      .quantize(docids, frequencies, lengths_, impacts);
  return encode_impacts(settings_.codec, docids, impacts, lengths_.size());
}

}  // namespace warpdex
