// Appends lists and static scores to the sections of a segment.
#include "format/index_writer_state.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {

void IndexWriter::State::add_lengths(std::span<const std::uint32_t> of_texts) {
  if (of_texts.size() != texts()) {
    throw UsageError("a document came with " + std::to_string(of_texts.size()) +
                     " lengths, and the index has " + std::to_string(texts()) + " texts of each");
  }
  lengths.push_back(of_texts[0]);
  length_section.append_value(of_texts[0]);
  for (std::size_t i = 1; i < of_texts.size(); ++i) {
    more_texts[i - 1].lengths.push_back(of_texts[i]);
    more_texts[i - 1].section.append_value(of_texts[i]);
  }
  for (const std::uint32_t length : of_texts) counts.tokens += length;
  for (std::size_t i = 0; i < counts.texts.size(); ++i) {
    counts.texts[i].documents += of_texts[i] > 0 ? 1 : 0;
    counts.texts[i].tokens += of_texts[i];
  }
}

void IndexWriter::State::append_static_score(float score) {
  static_scores.append_value(score);
  static_bound = std::max(static_bound, score);
  if (++static_count % kStaticWindow == 0) {
    static_bounds.append_value(std::exchange(static_bound, 0.0F));
  }
}

void IndexWriter::State::finish_impacts() {
  if (quantises) {
    const ImpactQuantizer quantizer(*settings.impacts, {counts.documents, counts.tokens});
    settings.impacts->largest = quantizer.largest();
    for (const float score : unquantised_scores) {
      append_static_score(quantizer.static_impact(score));
    }
  }
  if (static_count % kStaticWindow != 0) static_bounds.append_value(static_bound);
}

void IndexWriter::State::add_to_forward(const EncodedPostings::Data& data) {
  const auto term = static_cast<std::uint32_t>(lexicon.terms());
  if (term == 0) forward.begin(counts.documents);
  if (data.document_frequency == 1) {
    forward.add_list(term, {&data.single_document, 1}, {&data.single_frequency, 1});
    return;
  }
  if (data.plain_docids.size() != data.document_frequency) {
    throw UsageError(
        "a list of an index with a forward index was not encoded by the ListEncoder of the index's "
        "settings; encode it by that");
  }
  forward.add_list(term, data.plain_docids, data.plain_frequencies);
}

void IndexWriter::State::append_blocks(const EncodedPostings::Data& data, PostingsEntry& entry) {
  if (std::max(data.docids.bytes.size(), data.frequencies.bytes.size()) >
      std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("a posting list takes more than 4 GiB; split the collection");
  }
  entry.docid_bytes = static_cast<std::uint32_t>(data.docids.bytes.size());
  entry.frequency_bytes = static_cast<std::uint32_t>(data.frequencies.bytes.size());
  entry.docid_tail_bytes = entry.docid_bytes - data.docids.offsets.back();
  entry.frequency_tail_bytes = entry.frequency_bytes - data.frequencies.offsets.back();
  entry.docid_parameter = data.docids.parameter;
  entry.frequency_parameter = data.frequencies.parameter;
  docids.add(data.docids);
  frequencies.add(data.frequencies);
  append_all(last_docids, data.last_docids);
  append_bounds(data.bounds, entry);
  const std::uint64_t blocks = data.last_docids.size();
  if (counts.blocks + blocks > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(
        "an index holds at most 4294967295 blocks of 128 postings; split the "
        "collection");
  }
  counts.blocks += blocks;
  blocks_bases += (blocks - 1) / kBlocksPerBase;
}

void IndexWriter::State::append_positions(const EncodedPostings::Data& data, PostingsEntry& entry) {
  const EncodedValues& values = data.positions;
  PositionsWriter& to = *positions;
  entry.single_position = data.single_position;
  entry.first_position_block = static_cast<std::uint32_t>(to.blocks.codes.size());
  entry.first_position_base = static_cast<std::uint32_t>(to.bases);
  entry.first_position_start = static_cast<std::uint32_t>(to.starts.size() / sizeof(std::uint32_t));
  entry.position_offset = to.short_bytes.size();
  entry.position_bytes = static_cast<std::uint32_t>(data.short_positions.size());
  to.short_bytes.append(data.short_positions);
  if (values.codes.empty()) return;
  if (values.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("the positions of a word take more than 4 GiB; split the collection");
  }
  if (to.blocks.codes.size() + values.codes.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(
        "an index holds at most 4294967295 blocks of 128 positions; split the collection");
  }
  entry.occurrences = static_cast<std::uint32_t>(data.collection_frequency);
  entry.position_offset = to.blocks.bytes.size();
  entry.position_bytes = static_cast<std::uint32_t>(values.bytes.size());
  to.bases += (values.codes.size() - 1) / kBlocksPerBase;
  to.blocks.add(values);
  append_all(to.starts, data.position_starts);
}

void IndexWriter::State::append_bounds(const ListBounds& list_bounds, PostingsEntry& entry) {
  append_all(bounds, list_bounds.blocks);
  append_all(range_bounds, list_bounds.ranges);
  append_all(seeds, list_bounds.seeds);
  if (seeds.size() / sizeof(ListSeed) > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("an index holds at most 1431655765 long lists; split the collection");
  }
  if (!list_bounds.ranges.empty()) entry.frequent_list = frequent_lists++;
}

}  // namespace warpdex
