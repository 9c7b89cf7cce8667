// Encodes posting lists in their three forms, and reads them.
#include "warpdex/indexer/format/postings.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

// The first byte of a short list: 5 bits for the docIDs' code, 3 for the frequencies'.
constexpr std::uint8_t kDocidEscape = 31;
constexpr std::uint8_t kFrequencyEscape = 7;
constexpr std::uint8_t kFrequenciesAllOne = 6;

[[noreturn]] void damaged_list() {
  throw FormatError(
      "a posting list is damaged; run 'warpdex verify', then restore the index or "
      "build it again");
}

/// Rice and pfor have one width a list, the others one a block.
bool width_is_parameter(CodecKind kind) {
  return kind == CodecKind::kRice || kind == CodecKind::kPfor;
}

std::vector<std::uint32_t> less_one(std::span<const std::uint32_t> values) {
  std::vector<std::uint32_t> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](std::uint32_t v) { return v - 1; });
  return result;
}

void append_bytes(std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::uint8_t> encode_short(const CodecSettings& codec,
                                       std::span<const std::uint32_t> docids,
                                       std::span<const std::uint32_t> frequencies) {
  const bool all_one =
      std::all_of(frequencies.begin(), frequencies.end(), [](std::uint32_t f) { return f == 1; });
  const bool is_parameter = width_is_parameter(codec.kind);
  const auto code_of = [&](const EncodedValues& values) {
    return is_parameter ? values.parameter : values.codes[0];
  };
  const EncodedValues encoded_docids = encode_docids(codec, docids, false);
  const std::uint8_t docid_code = code_of(encoded_docids);
  EncodedValues encoded_frequencies;
  std::uint8_t frequency_code = kFrequenciesAllOne;
  if (!all_one) {
    encoded_frequencies = encode_values(codec, less_one(frequencies));
    frequency_code = code_of(encoded_frequencies);
  }
  const bool escape_docid = docid_code >= kDocidEscape;
  const bool escape_frequency = !all_one && frequency_code >= kFrequenciesAllOne;
  std::vector<std::uint8_t> bytes{
      static_cast<std::uint8_t>((escape_docid ? kDocidEscape : docid_code) |
                                (escape_frequency ? kFrequencyEscape : frequency_code) << 5)};
  if (escape_docid) bytes.push_back(docid_code);
  if (escape_frequency) bytes.push_back(frequency_code);
  append_bytes(bytes, encoded_docids.bytes);
  append_bytes(bytes, encoded_frequencies.bytes);
  return bytes;
}

void encode_long(const CodecSettings& codec, std::span<const std::uint32_t> docids,
                 std::span<const std::uint32_t> frequencies, EncodedPostings::Data& data) {
  data.docids = encode_docids(codec, docids);
  data.frequencies = encode_values(codec, less_one(frequencies));
  for (std::size_t end = kBlockSize; end < docids.size(); end += kBlockSize) {
    data.last_docids.push_back(docids[end - 1]);
  }
  data.last_docids.push_back(docids.back());
}

/// All but the bounds.
std::unique_ptr<EncodedPostings::Data> encode(const CodecSettings& codec,
                                              std::span<const std::uint32_t> docids,
                                              std::span<const std::uint32_t> frequencies) {
  auto data = std::make_unique<EncodedPostings::Data>();
  data->document_frequency = static_cast<std::uint32_t>(docids.size());
  data->collection_frequency =
      std::accumulate(frequencies.begin(), frequencies.end(), std::uint64_t{0});
  if (docids.size() == 1) {
    data->single_document = docids[0];
    data->single_frequency = frequencies[0];
  } else if (docids.size() < kBlockSize) {
    data->short_bytes = encode_short(codec, docids, frequencies);
  } else {
    encode_long(codec, docids, frequencies, *data);
  }
  return data;
}

}  // namespace

EncodedPostings::EncodedPostings(std::unique_ptr<Data> data) : data_(std::move(data)) {}
EncodedPostings::EncodedPostings(EncodedPostings&&) noexcept = default;
EncodedPostings& EncodedPostings::operator=(EncodedPostings&&) noexcept = default;
EncodedPostings::~EncodedPostings() = default;

EncodedPostings encode_postings(const CodecSettings& codec, std::span<const std::uint32_t> docids,
                                std::span<const std::uint32_t> frequencies,
                                std::span<const std::uint32_t> lengths) {
  // Bounds first, so that their memory is free again when the list is encoded.
  ListBounds bounds;
  if (docids.size() >= kBlockSize) bounds = bound_list(docids, frequencies, lengths);
  auto data = encode(codec, docids, frequencies);
  data->bounds = std::move(bounds);
  data->documents = lengths.size();
  return EncodedPostings(std::move(data));
}

EncodedPostings encode_impacts(const CodecSettings& codec, std::span<const std::uint32_t> docids,
                               std::span<const std::uint32_t> impacts, std::uint64_t documents) {
  if (std::any_of(impacts.begin(), impacts.end(),
                  [](std::uint32_t impact) { return impact < 1 || impact > kMaxImpact; })) {
    throw UsageError("an impact is outside of 1 to 255; quantise scores to that range");
  }
  auto data = encode(codec, docids, impacts);
  if (docids.size() >= kBlockSize) data->bounds = bound_impacts(docids, impacts, documents);
  data->holds_impacts = true;
  data->documents = documents;
  return EncodedPostings(std::move(data));
}

void read_short_list(const CodecSettings& codec, const IndexSections& sections,
                     const PostingsEntry& entry, std::uint64_t documents, std::uint32_t* docids,
                     std::uint32_t* frequencies) {
  if (entry.is_single()) {
    docids[0] = entry.single_document;
    frequencies[0] = entry.single_frequency;
    return;
  }
  const std::uint8_t* next = sections.short_lists.data() + entry.short_offset;
  const std::uint8_t* const end = next + entry.short_bytes;
  if (next >= end) damaged_list();
  std::uint8_t docid_code = *next & 31;
  std::uint8_t frequency_code = *next++ >> 5;
  const bool all_one = frequency_code == kFrequenciesAllOne;
  if (docid_code == kDocidEscape) docid_code = *next++;
  if (frequency_code == kFrequencyEscape) frequency_code = *next++;
  if (next > end) damaged_list();

  const bool is_parameter = width_is_parameter(codec.kind);
  const std::uint32_t count = entry.document_frequency;
  const auto decoder = [&](const std::uint8_t* begin, std::uint8_t code) {
    // The tail of a list of one block is found without being told where it starts.
    const EncodedList list{codec, is_parameter ? code : std::uint8_t{0}, count, begin, end};
    return ListDecoder(list, 0);
  };
  const auto block = [&](std::uint8_t code) {
    return BlockRef{0, 0, is_parameter ? std::uint8_t{0} : code};
  };
  const ListDecoder docid_list = decoder(next, docid_code);
  docid_list.decode_values(block(docid_code), docids);
  std::uint64_t document = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < count; ++i) {
    document += std::uint64_t{docids[i]} + 1;
    if (document >= documents) damaged_list();
    docids[i] = static_cast<std::uint32_t>(document);
  }
  if (all_one) {
    std::fill_n(frequencies, count, 1U);
    return;
  }
  const std::uint8_t* const frequency_begin =
      next + docid_list.single_block_size(block(docid_code));
  if (frequency_begin > end) damaged_list();
  decoder(frequency_begin, frequency_code).decode_values(block(frequency_code), frequencies);
  for (std::uint32_t i = 0; i < count; ++i) ++frequencies[i];
}

Postings read_postings(const Index& index, const PostingsEntry& entry) {
  const std::uint64_t documents = index.counts().documents;
  Postings postings;
  // Blocks are written whole, so there is room for a whole last one.
  const std::size_t room = std::size_t{entry.document_frequency} + kBlockSize;
  postings.docids.resize(room);
  postings.frequencies.resize(room);
  if (entry.is_short()) {
    read_short_list(index.settings().codec, index.sections(), entry, documents,
                    postings.docids.data(), postings.frequencies.data());
  } else {
    const PostingsView view(index.settings().codec, index.sections(), entry, documents);
    for (std::uint32_t block = 0; block < view.blocks(); ++block) {
      view.read_docids(block, postings.docids.data() + std::size_t{block} * kBlockSize);
      view.read_frequencies(block, postings.frequencies.data() + std::size_t{block} * kBlockSize);
    }
  }
  postings.docids.resize(entry.document_frequency);
  postings.frequencies.resize(entry.document_frequency);
  return postings;
}

std::uint32_t frequency_in(const Index& index, const PostingsEntry& entry, std::uint32_t document) {
  std::array<std::uint32_t, kBlockSize> docids;
  const auto place_among = [&](std::uint32_t count) -> std::optional<std::uint32_t> {
    const auto end = docids.begin() + count;
    const auto found = std::lower_bound(docids.begin(), end, document);
    if (found == end || *found != document) return std::nullopt;
    return static_cast<std::uint32_t>(found - docids.begin());
  };
  if (entry.is_short()) {
    std::array<std::uint32_t, kBlockSize> frequencies;
    read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                    docids.data(), frequencies.data());
    const auto place = place_among(entry.document_frequency);
    return place ? frequencies[*place] : 0;
  }
  const PostingsView view(index.settings().codec, index.sections(), entry,
                          index.counts().documents);
  const std::uint32_t* const last = view.last_docids();
  const auto block =
      static_cast<std::uint32_t>(std::lower_bound(last, last + view.blocks(), document) - last);
  if (block == view.blocks()) return 0;
  view.read_docids(block, docids.data());
  const auto place = place_among(view.block_count(block));
  return place ? view.frequency(block, *place) : 0;
}

PostingsView::PostingsView(const CodecSettings& codec, const IndexSections& sections,
                           const PostingsEntry& entry, std::uint64_t documents)
    : last_docids_(sections.block_last_docids.data() + entry.first_block),
      docid_bases_(sections.docid_bases.data() + entry.first_base),
      docid_offsets_(sections.docid_offsets.data() + entry.first_block),
      docid_codes_(sections.docid_codes.data() + entry.first_block),
      frequency_bases_(sections.frequency_bases.data() + entry.first_base),
      frequency_offsets_(sections.frequency_offsets.data() + entry.first_block),
      frequency_codes_(sections.frequency_codes.data() + entry.first_block),
      bounds_(sections.block_bounds.data() + entry.first_block),
      docid_bytes_(sections.docids.data() + entry.docid_offset),
      docid_size_(entry.docid_bytes),
      documents_(documents) {
  const std::uint8_t* const frequency_bytes = sections.frequencies.data() + entry.frequency_offset;
  docids_ = ListDecoder({codec, entry.docid_parameter, entry.document_frequency, docid_bytes_,
                         docid_bytes_ + entry.docid_bytes},
                        entry.docid_bytes - entry.docid_tail_bytes);
  frequencies_ = ListDecoder({codec, entry.frequency_parameter, entry.document_frequency,
                              frequency_bytes, frequency_bytes + entry.frequency_bytes},
                             entry.frequency_bytes - entry.frequency_tail_bytes);
  blocks_ = docids_.blocks();
  if (last_docids_[blocks_ - 1] >= documents_) damaged();
}

void PostingsView::read_frequencies(std::uint32_t block, std::uint32_t* frequencies) const {
  frequencies_.decode_values(frequency_block(block), frequencies);
  for (std::uint32_t i = 0; i < kBlockSize; ++i) ++frequencies[i];
}

const std::uint8_t* PostingsView::dense_bytes(std::uint32_t block) const {
  const std::uint32_t begin = docid_block(block).offset;
  const std::uint64_t bits = std::uint64_t{last_docids_[block]} - (base(block) + 1U) + 1;
  if (bits > 8U * kMaxBlockBytes || begin > docid_size_ || docid_size_ - begin < (bits + 7) / 8) {
    damaged();
  }
  return docid_bytes_ + begin;
}

void PostingsView::damaged() { damaged_list(); }

}  // namespace warpdex
