// Copies lists to page-locked memory piece by piece. Each thread locks and fills a piece, since
// locking memory takes longer than copying.
#include "gpu/lists/host_lists.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::gpu {
namespace {

/// A piece is complete when it has so many bytes, or 1/kPieces of all that may be taken.
constexpr std::size_t kPieceBytes = std::size_t{64} << 20;
constexpr std::size_t kPieces = 8;
constexpr std::size_t kMaxThreads = 8;
constexpr std::size_t kHostListAlignment = 64;

/// Copies bytes [begin, end) of a section and kReadSlack more; zeros where the section has ended.
void copy_with_slack(std::span<const std::uint8_t> section, std::uint64_t begin, std::uint64_t end,
                     std::uint8_t* to) {
  const std::uint64_t wanted = end + kReadSlack - begin;
  const std::uint64_t given = std::min<std::uint64_t>(wanted, section.size() - begin);
  std::memcpy(to, section.data() + begin, given);
  std::memset(to + given, 0, wanted - given);
}

}  // namespace

std::size_t HostLists::Piece::frequencies_offset() const {
  const std::size_t docids = docids_end - docids_begin + kReadSlack;
  return (docids + kHostListAlignment - 1) / kHostListAlignment * kHostListAlignment;
}

std::size_t HostLists::Piece::bytes() const {
  return frequencies_offset() + (frequencies_end - frequencies_begin) + kReadSlack;
}

EncodedBytes HostLists::Piece::place(const void* begin, const PostingsEntry& list) const {
  const auto* const bytes = static_cast<const std::uint8_t*>(begin);
  return {bytes + (list.docid_offset - docids_begin),
          bytes + frequencies_offset() + (list.frequency_offset - frequencies_begin)};
}

HostLists::HostLists(const Index& index, std::size_t max_bytes, int device) : index_(index) {
  if (max_bytes == 0) return;
  cut(std::min(kPieceBytes, max_bytes / kPieces));
  std::atomic<bool> is_full = false;
  std::size_t fitting = 0;
  for (std::size_t sum = 0; fitting < pieces_.size(); ++fitting) {
    sum += pieces_[fitting].bytes();
    if (sum > max_bytes) break;
  }
  parallel_for(std::min(default_threads(), kMaxThreads), fitting, [&](std::size_t, std::size_t i) {
    if (is_full) return;
    try {
      const CurrentDevice current(device);
      pieces_[i].memory = PinnedBuffer(pieces_[i].bytes());
    } catch (const CudaError&) {
      is_full = true;  // the host cannot lock more memory
      return;
    }
    fill(pieces_[i]);
  });
}

std::size_t HostLists::bytes() const {
  std::size_t sum = 0;
  for (const Piece& piece : pieces_) sum += piece.memory.size();
  return sum;
}

/// In all sections, lists lie in the order of their terms.
void HostLists::cut(std::size_t piece_bytes) {
  index_.for_each_term([&](std::string_view, const PostingsEntry& list) {
    if (list.is_short()) return;
    if (pieces_.empty() || pieces_.back().bytes() >= piece_bytes) {
      Piece& piece = pieces_.emplace_back();
      piece.first_block = list.first_block;
      piece.docids_begin = list.docid_offset;
      piece.frequencies_begin = list.frequency_offset;
    }
    pieces_.back().docids_end = list.docid_offset + list.docid_bytes;
    pieces_.back().frequencies_end = list.frequency_offset + list.frequency_bytes;
  });
}

void HostLists::fill(Piece& piece) const {
  auto* const memory = static_cast<std::uint8_t*>(piece.memory.data());
  copy_with_slack(index_.sections().docids, piece.docids_begin, piece.docids_end, memory);
  copy_with_slack(index_.sections().frequencies, piece.frequencies_begin, piece.frequencies_end,
                  memory + piece.frequencies_offset());
}

/// Null if the list has no copy.
const HostLists::Piece* HostLists::find_piece(const PostingsEntry& list) const {
  const auto behind = std::upper_bound(
      pieces_.begin(), pieces_.end(), list.first_block,
      [](std::uint32_t block, const Piece& piece) { return block < piece.first_block; });
  if (behind == pieces_.begin() || std::prev(behind)->memory.size() == 0) return nullptr;
  return &*std::prev(behind);
}

EncodedBytes HostLists::find(const PostingsEntry& list) const {
  const Piece* const piece = find_piece(list);
  return piece == nullptr ? EncodedBytes{} : piece->place(piece->memory.device_data(), list);
}

EncodedBytes HostLists::source(const PostingsEntry& list) const {
  const Piece* const piece = find_piece(list);
  if (piece != nullptr) return piece->place(piece->memory.data(), list);
  return {index_.sections().docids.data() + list.docid_offset,
          index_.sections().frequencies.data() + list.frequency_offset};
}

}  // namespace warpdex::gpu
