// Postings to encoded lists, as frequencies or as impacts.
#include <numeric>
#include <vector>

#include "format/positions.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {

ListEncoder::ListEncoder(const IndexSettings& settings, std::span<const std::uint32_t> lengths)
    : settings_(settings), lengths_(lengths) {
  if (!settings_.impacts) return;
  check_impact_settings(*settings_.impacts);
  tokens_ = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
}

EncodedPostings ListEncoder::encode(std::span<const std::uint32_t> docids,
                                    std::span<const std::uint32_t> frequencies,
                                    std::span<const std::uint32_t> steps) const {
  EncodedPostings postings = encode_only(docids, frequencies);
  if (settings_.has_positions) encode_positions(frequencies, steps, postings.data());
  // A single posting stands in the data as it is.
  if (settings_.has_forward && docids.size() > 1) {
    EncodedPostings::Data& data = postings.data();
    data.plain_docids.assign(docids.begin(), docids.end());
    data.plain_frequencies.assign(frequencies.begin(), frequencies.end());
  }
  return postings;
}

EncodedPostings ListEncoder::encode_only(std::span<const std::uint32_t> docids,
                                         std::span<const std::uint32_t> frequencies) const {
  if (!settings_.impacts) return encode_postings(settings_.codec, docids, frequencies, lengths_);
  if (settings_.impacts->source != ImpactSource::kBm25) {
    return encode_impacts(settings_.codec, docids, frequencies, lengths_.size());
  }
  std::vector<std::uint32_t> impacts(frequencies.size());
  ImpactQuantizer(*settings_.impacts, {lengths_.size(), tokens_})
      .quantize(docids, frequencies, lengths_, impacts);
  return encode_impacts(settings_.codec, docids, impacts, lengths_.size());
}

}  // namespace warpdex
