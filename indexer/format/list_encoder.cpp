// Postings to encoded lists, as frequencies or as impacts.
#include <numeric>
#include <vector>

#include "format/positions.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {

ListEncoder::ListEncoder(const IndexSettings& settings,
                         std::vector<std::span<const std::uint32_t>> lengths)
    : settings_(settings), positioned_(settings), lengths_(std::move(lengths)) {
  if (!settings_.impacts) return;
  check_impact_settings(*settings_.impacts);
  tokens_ = std::accumulate(lengths_[0].begin(), lengths_[0].end(), std::uint64_t{0});
}

std::size_t ListEncoder::field_of(std::string_view term) const {
  if (lengths_.size() == 1) return 0;
  const std::size_t field = field_of_term(term);
  if (field < lengths_.size()) return field;
  throw FormatError("a term is of a text field that the index has not");
}

EncodedPostings ListEncoder::encode(std::span<const std::uint32_t> docids,
                                    std::span<const std::uint32_t> frequencies,
                                    std::span<const std::uint32_t> steps, std::size_t field) const {
  EncodedPostings postings = encode_only(docids, frequencies, field);
  if (positioned_.has(field)) encode_positions(frequencies, steps, postings.data());
  // A single posting stands in the data as it is.
  if (settings_.has_forward && docids.size() > 1) {
    EncodedPostings::Data& data = postings.data();
    data.plain_docids.assign(docids.begin(), docids.end());
    data.plain_frequencies.assign(frequencies.begin(), frequencies.end());
  }
  return postings;
}

EncodedPostings ListEncoder::encode_only(std::span<const std::uint32_t> docids,
                                         std::span<const std::uint32_t> frequencies,
                                         std::size_t field) const {
  const std::span<const std::uint32_t> lengths = lengths_[field];
  if (!settings_.impacts) return encode_postings(settings_.codec, docids, frequencies, lengths);
  if (settings_.impacts->source != ImpactSource::kBm25) {
    return encode_impacts(settings_.codec, docids, frequencies, lengths.size());
  }
  std::vector<std::uint32_t> impacts(frequencies.size());
  ImpactQuantizer(*settings_.impacts, {lengths.size(), tokens_})
      .quantize(docids, frequencies, lengths, impacts);
  return encode_impacts(settings_.codec, docids, impacts, lengths.size());
}

}  // namespace warpdex
