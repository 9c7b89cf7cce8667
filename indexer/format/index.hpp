// An index, opened by mapping. Immutable and safe to read from many threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex {

/// Where a term's postings are. Small: copied around freely.
struct PostingsEntry {
  std::uint32_t document_frequency = 0;
  std::uint64_t collection_frequency = 0;  ///< 0 for lists of less than a block: add them up
  std::uint32_t first_block = 0;           ///< lists of a block and more: in the block arrays
  std::uint64_t offset = 0;                ///< shorter ones: into the short lists' bytes
  std::uint32_t bytes = 0;                 ///< shorter ones: their size
  std::uint32_t single_document = 0;       ///< lists of one posting: its document
  std::uint32_t single_frequency = 0;      ///< and frequency
  std::uint8_t docid_parameter = 0;
  std::uint8_t frequency_parameter = 0;
};

/// Sizes and counts, as the manifest records them.
struct IndexCounts {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t blocks = 0;
};

class Index {
 public:
  /// Maps the index at `folder`. Checks the manifest and every file's size, header and footer;
  /// O(files). Throws IoError if there is none, FormatError if it is damaged or of another
  /// version.
  static Index open(const std::filesystem::path& folder);

  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

  const IndexSettings& settings() const;
  const IndexCounts& counts() const;
  std::span<const std::uint32_t> lengths() const;   ///< of documents, by docID, in tokens
  std::span<const float> static_scores() const;     ///< by docID, or empty
  std::string_view document_name(std::uint32_t document) const;

  /// The postings of a term, or none. O(log terms).
  std::optional<PostingsEntry> find(std::string_view term) const;

  struct Sections;
  const Sections& sections() const;

 private:
  struct State;
  explicit Index(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
