// Posting lists between memory and bytes: encoding a term's postings, and reading them back block
// by block or, for short lists, at once. docs/format.md, "Posting lists".
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/list_bounds.hpp"

namespace warpdex {

/// A term's postings as they go to the sections; which members are set depends on the form.
struct EncodedPostings::Data {
  std::uint32_t document_frequency = 0;
  std::uint64_t collection_frequency = 0;
  std::uint32_t single_document = 0;
  std::uint32_t single_frequency = 0;
  std::vector<std::uint8_t> short_bytes;
  EncodedValues docids;
  EncodedValues frequencies;
  std::vector<std::uint32_t> last_docids;
  ListBounds bounds;
  bool holds_impacts = false;
  std::uint64_t documents = 0;  ///< of the collection that it was encoded for
  bool has_positions = false;
  std::uint32_t single_position = 0;           ///< of a list with one occurrence
  std::vector<std::uint8_t> short_positions;   ///< of a list with few
  EncodedValues positions;                     ///< of others
  std::vector<std::uint32_t> position_starts;  ///< by block of postings
  /// As they were given, for the forward index; empty where there is none.
  std::vector<std::uint32_t> plain_docids;
  std::vector<std::uint32_t> plain_frequencies;
};

/// Reads a list of one posting or a short list: `docids` and `frequencies` have room for
/// kBlockSize values. Every docID is below `documents`. Throws FormatError.
void read_short_list(const CodecSettings& codec, const IndexSections& sections,
                     const PostingsEntry& entry, std::uint64_t documents, std::uint32_t* docids,
                     std::uint32_t* frequencies);

/// A whole list: docIDs ascending, and their frequencies, or impacts in an index of them.
struct Postings {
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> frequencies;
  std::vector<std::uint32_t> steps{};  ///< with positions, those of all occurrences: read_steps()
};

/// Reads the whole list of a term, whatever its form. O(postings). Throws FormatError.
Postings read_postings(const Index& index, const PostingsEntry& entry);

/// How often a term is in a document (of an index of impacts: its impact), or 0. O(log postings).
/// Throws FormatError.
std::uint32_t frequency_in(const Index& index, const PostingsEntry& entry, std::uint32_t document);

/// A long list in a mapped index: its block metadata as arrays, and its blocks on demand.
/// Holds no memory of its own. Not copied often: about 200 bytes.
class PostingsView {
 public:
  PostingsView() = default;
  /// Throws FormatError if the list's last block passes `documents`.
  PostingsView(const CodecSettings& codec, const IndexSections& sections,
               const PostingsEntry& entry, std::uint64_t documents);

  std::uint32_t size() const { return docids_.count(); }
  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t block_count(std::uint32_t block) const { return docids_.block_count(block); }
  /// Last docIDs of all blocks, ascending unless damaged.
  const std::uint32_t* last_docids() const { return last_docids_; }
  const ScoreBound* bounds() const { return bounds_; }
  bool is_dense(std::uint32_t block) const { return docid_codes_[block] == kDenseCode; }

  /// The docID before the block's first possible one, or -1.
  std::uint32_t base(std::uint32_t block) const {
    return block == 0 ? ~std::uint32_t{0} : last_docids_[block - 1];
  }

  /// Writes up to kBlockSize docIDs; those written are ascending and below the number of
  /// documents. Throws FormatError.
  void read_docids(std::uint32_t block, std::uint32_t* docids) const {
    if (last_docids_[block] >= documents_) damaged();
    docids_.decode_docids(docid_block(block), base(block), last_docids_[block], docids);
  }

  /// Writes the block's frequencies.
  void read_frequencies(std::uint32_t block, std::uint32_t* frequencies) const;

  /// One frequency without the others.
  std::uint32_t frequency(std::uint32_t block, std::uint32_t index) const {
    return frequencies_.value_at(frequency_block(block), index) + 1;
  }

  /// Bit i of a dense block's bytes stands for docID base(block) + 1 + i; the last bit of
  /// last_docid is inside. `bytes` are checked to lie in the list.
  const std::uint8_t* dense_bytes(std::uint32_t block) const;

  BlockRef docid_block(std::uint32_t block) const {
    return {block, offset(docid_bases_, docid_offsets_, block), docid_codes_[block]};
  }
  BlockRef frequency_block(std::uint32_t block) const {
    return {block, offset(frequency_bases_, frequency_offsets_, block), frequency_codes_[block]};
  }
  const ListDecoder& docid_decoder() const { return docids_; }
  const ListDecoder& frequency_decoder() const { return frequencies_; }

 private:
  static std::uint32_t offset(const std::uint32_t* bases, const std::uint16_t* offsets,
                              std::uint32_t block) {
    const std::uint32_t group = block / kBlocksPerBase;
    return (group == 0 ? 0 : bases[group - 1]) + offsets[block];
  }
  [[noreturn]] static void damaged();

  ListDecoder docids_;
  ListDecoder frequencies_;
  const std::uint32_t* last_docids_ = nullptr;
  const std::uint32_t* docid_bases_ = nullptr;
  const std::uint16_t* docid_offsets_ = nullptr;
  const std::uint8_t* docid_codes_ = nullptr;
  const std::uint32_t* frequency_bases_ = nullptr;
  const std::uint16_t* frequency_offsets_ = nullptr;
  const std::uint8_t* frequency_codes_ = nullptr;
  const ScoreBound* bounds_ = nullptr;
  const std::uint8_t* docid_bytes_ = nullptr;
  std::uint32_t docid_size_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint64_t documents_ = 0;
};

}  // namespace warpdex
