// The stored documents of one segment: blocks of records, packed by zstd with a dictionary that was
// trained on the first of them. docs/format.md, "Stored documents". Internal.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// Gathers records into blocks, and packs many blocks side by side. Holds up to 4 MiB of records,
/// or what one document takes.
class StoredWriter {
 public:
  /// The sections of a segment, in the order of the manifest.
  explicit StoredWriter(SegmentFiles& files);
  ~StoredWriter();

  /// That pack; 0: all processors.
  void set_threads(std::size_t threads) { threads_ = threads; }

  /// The next document's record, of less than 4 GiB. Throws IoError.
  void add(std::string_view record);
  /// Packs what is left. Once, at the end. Throws IoError.
  void finish();

  std::uint64_t documents() const { return documents_; }
  /// Bytes held at the moment.
  std::uint64_t memory() const;

 private:
  struct FreeDictionary {
    void operator()(ZSTD_CDict* dictionary) const { ZSTD_freeCDict(dictionary); }
  };

  void close_block();
  void pack();
  void train();

  SectionWriter dictionary_section_;
  SectionWriter block_numbers_;
  SectionWriter block_table_;
  SectionWriter blocks_section_;
  std::size_t threads_ = 0;
  std::uint64_t documents_ = 0;
  std::uint32_t block_number_ = 0;    ///< of the block that is being filled
  std::string block_;                 ///< its records
  std::uint32_t first_of_block_ = 0;  ///< its first document
  std::vector<std::string> full_;     ///< blocks that are not packed yet
  std::vector<std::uint32_t> first_of_full_;
  std::uint64_t full_bytes_ = 0;
  bool is_trained_ = false;  ///< or was found to be too little for that
  std::unique_ptr<ZSTD_CDict, FreeDictionary> dictionary_;
};

/// Reads the records of one segment, which must outlive it. One per thread.
class StoredBlocks {
 public:
  /// Throws IoError where memory is short.
  explicit StoredBlocks(const Index& index);

  /// Of a document below the number of documents. The view is good until the next call. Throws
  /// FormatError for damaged bytes.
  std::string_view record(std::uint32_t document);

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
  };

  void unpack(std::uint32_t block);
  [[noreturn]] void damaged() const;

  const Index& index_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::unique_ptr<ZSTD_DDict, Free> dictionary_;
  std::uint64_t unpacked_ = ~std::uint64_t{0};  ///< the block that `bytes_` is of
  std::vector<char> bytes_;
};

}  // namespace warpdex
