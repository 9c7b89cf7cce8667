// Packs stored documents block by block.
#include <zdict.h>

#include <algorithm>
#include <utility>

#include "format/stored_blocks.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/format/section_names.hpp"

namespace warpdex {
namespace {

/// A block is closed when it has so many bytes: more pack better, fewer are read faster.
constexpr std::size_t kBlockBytes = 8 << 10;
/// So many bytes of blocks are packed at a time, and a dictionary is trained on the first of them.
constexpr std::uint64_t kBytesAtOnce = 4 << 20;
/// For fewer, a dictionary costs more than it saves.
constexpr std::uint64_t kMinTrainingBytes = 1 << 20;
constexpr std::size_t kSampleBytes = 4096;
constexpr std::size_t kDictionaryBytes = 64 << 10;
/// Higher levels take two to five times as long and save a twentieth.
constexpr int kLevel = 3;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) == 0) return result;
  throw IoError(std::string("stored documents cannot be packed: ") + ZSTD_getErrorName(result) +
                "; allow more memory");
}

std::string packed(ZSTD_CCtx* context, const std::string& block) {
  std::string bytes(ZSTD_compressBound(block.size()), '\0');
  bytes.resize(
      checked(ZSTD_compress2(context, bytes.data(), bytes.size(), block.data(), block.size())));
  return bytes;
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

StoredWriter::StoredWriter(SegmentFiles& files)
    : dictionary_section_(files, section::kStoredDictionary),
      block_numbers_(files, section::kStoredBlockNumbers),
      block_table_(files, section::kStoredBlockTable),
      blocks_section_(files, section::kStoredBlocks) {}

StoredWriter::~StoredWriter() = default;

void StoredWriter::add(std::string_view record) {
  if (!block_.empty() && record.size() >= kBlockBytes) close_block();
  block_numbers_.append_value(block_number_);
  block_ += record;
  ++documents_;
  if (block_.size() >= kBlockBytes) close_block();
  if (full_bytes_ >= kBytesAtOnce) pack();
}

void StoredWriter::close_block() {
  full_bytes_ += block_.size();
  full_.push_back(std::exchange(block_, {}));
  first_of_full_.push_back(first_of_block_);
  first_of_block_ = static_cast<std::uint32_t>(documents_);
  ++block_number_;
}

void StoredWriter::train() {
  if (std::exchange(is_trained_, true) || full_bytes_ < kMinTrainingBytes) return;
  std::string samples;
  std::vector<std::size_t> sizes;
  for (const std::string& block : full_) {
    for (std::size_t i = 0; i < block.size() && samples.size() < kBytesAtOnce; i += kSampleBytes) {
      sizes.push_back(std::min(kSampleBytes, block.size() - i));
      samples.append(block, i, sizes.back());
    }
  }
  std::string bytes(kDictionaryBytes, '\0');
  const std::size_t size = ZDICT_trainFromBuffer(bytes.data(), bytes.size(), samples.data(),
                                                 sizes.data(), static_cast<unsigned>(sizes.size()));
  if (ZDICT_isError(size) != 0) return;  // as for documents without anything in common
  bytes.resize(size);
  dictionary_.reset(ZSTD_createCDict(bytes.data(), bytes.size(), kLevel));
  if (dictionary_) dictionary_section_.append(bytes_of(bytes));
}

void StoredWriter::pack() {
  train();
  std::vector<std::string> packed_blocks(full_.size());
  const std::size_t threads = std::min(threads_ == 0 ? default_threads() : threads_, full_.size());
  const std::size_t share = threads == 0 ? 0 : (full_.size() + threads - 1) / threads;
  parallel_for(threads, threads, [&](std::size_t, std::size_t part) {
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    if (!context) throw IoError("stored documents cannot be packed; allow more memory");
    checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel));
    checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
    if (dictionary_) checked(ZSTD_CCtx_refCDict(context.get(), dictionary_.get()));
    for (std::size_t i = part * share; i < std::min((part + 1) * share, full_.size()); ++i) {
      packed_blocks[i] = packed(context.get(), full_[i]);
    }
  });
  for (std::size_t i = 0; i < full_.size(); ++i) {
    block_table_.append_value(StoredBlock{blocks_section_.size(), first_of_full_[i],
                                          static_cast<std::uint32_t>(full_[i].size())});
    blocks_section_.append(bytes_of(packed_blocks[i]));
  }
  full_.clear();
  first_of_full_.clear();
  full_bytes_ = 0;
}

void StoredWriter::finish() {
  if (!block_.empty()) close_block();
  pack();
}

std::uint64_t StoredWriter::memory() const { return 2 * full_bytes_ + block_.capacity(); }

}  // namespace warpdex
