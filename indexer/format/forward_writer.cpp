// Sorts postings by ranges of documents as they come, then by document within a range.
#include "format/forward_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "format/posting_code.hpp"
#include "format/varint.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

/// A range has 2^kLeastShift documents or more: a multiple of kForwardGroup.
constexpr std::uint32_t kLeastShift = 10;
/// Entries of a chunk.
constexpr std::uint32_t kChunk = 256;
constexpr const char* kFile = "forward-runs";

}  // namespace

/// The records of a range, and where each group of documents starts in them.
struct ForwardWriter::Encoded {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> groups;
};

void ForwardWriter::set_memory(std::uint64_t bytes) { max_memory_ = bytes; }

/// Each range has a chunk that is not full: with many documents, ranges are larger, so that these
/// chunks take a quarter of the memory at most.
void ForwardWriter::begin(std::uint64_t documents) {
  constexpr std::uint64_t kMinChunks = 16;
  constexpr std::uint64_t kMaxShares = 4;
  documents_ = documents;
  max_chunks_ = std::max(max_memory_ / (kChunk * sizeof(Entry)), kMinChunks);
  range_shift_ = kLeastShift;
  while (documents >> range_shift_ >= max_chunks_ / kMaxShares) ++range_shift_;
  ranges_.resize((documents + (std::uint64_t{1} << range_shift_) - 1) >> range_shift_);
}

std::uint64_t ForwardWriter::memory() const {
  std::uint64_t bytes = memory_.size();
  for (const Run& run : runs_) bytes += run.first.capacity() * sizeof(std::uint64_t);
  return bytes;
}

void ForwardWriter::add_list(std::uint32_t term_number, std::span<const std::uint32_t> docids,
                             std::span<const std::uint32_t> frequencies) {
  for (std::size_t i = 0; i < docids.size(); ++i) {
    Range& range = ranges_[docids[i] >> range_shift_];
    if (range.left == 0) take_chunk(range);
    pool()[range.next] = {docids[i], term_number, frequencies[i]};
    ++range.next;
    --range.left;
  }
}

/// Gives a range whose chunks are full another one.
void ForwardWriter::take_chunk(Range& range) {
  if (chunks_ == max_chunks_) spill();
  const std::uint64_t end = (chunks_ + 1) * kChunk * sizeof(Entry);
  if (end > memory_.size()) {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
    const std::uint64_t most = max_chunks_ * kChunk * sizeof(Entry);
    memory_.grow(std::min(std::max(2 * end, kLeast), most));
  }
  range.chunks.push_back(static_cast<std::uint32_t>(chunks_));
  range.next = chunks_ * kChunk;
  range.left = kChunk;
  ++chunks_;
}

ForwardWriter::Pieces ForwardWriter::pieces(const Range& range) {
  Pieces pieces;
  for (const std::uint32_t chunk : range.chunks) {
    pieces.emplace_back(pool() + std::uint64_t{chunk} * kChunk, kChunk);
  }
  if (!pieces.empty()) pieces.back() = pieces.back().first(kChunk - range.left);
  return pieces;
}

void ForwardWriter::spill() {
  if (!file_.is_open()) {
    file_.open(folder_ / kFile, std::ios::binary | std::ios::trunc);
  }
  Run run{{spilled_}};
  for (Range& range : ranges_) {
    for (const std::span<const Entry> piece : pieces(range)) {
      file_.write(reinterpret_cast<const char*>(piece.data()),
                  static_cast<std::streamsize>(piece.size_bytes()));
      spilled_ += piece.size();
    }
    run.first.push_back(spilled_);
    range = {};
  }
  if (!file_) {
    throw IoError("cannot write '" + (folder_ / kFile).string() + "': " + errno_message(errno) +
                  "; make room or choose another folder");
  }
  runs_.push_back(std::move(run));
  chunks_ = 0;
}

std::vector<ForwardWriter::Entry> ForwardWriter::read_range(std::ifstream& file,
                                                            std::uint64_t range) const {
  std::vector<Entry> entries;
  for (const Run& run : runs_) {
    const std::uint64_t count = run.first[range + 1] - run.first[range];
    const std::size_t at = entries.size();
    entries.resize(at + count);
    file.seekg(static_cast<std::streamoff>(run.first[range] * sizeof(Entry)));
    file.read(reinterpret_cast<char*>(entries.data() + at),
              static_cast<std::streamsize>(count * sizeof(Entry)));
    if (!file) {
      throw IoError("cannot read '" + (folder_ / kFile).string() + "': " + errno_message(errno));
    }
  }
  return entries;
}

/// Entries of documents in [begin, end), those of one document by ascending term.
ForwardWriter::Encoded ForwardWriter::encode(const Pieces& pieces, std::uint64_t begin,
                                             std::uint64_t end) {
  std::vector<std::uint64_t> starts(end - begin + 1);
  for (const std::span<const Entry> piece : pieces) {
    for (const Entry& entry : piece) ++starts[entry.document - begin + 1];
  }
  for (std::uint64_t i = 0; i < end - begin; ++i) starts[i + 1] += starts[i];
  std::vector<Entry> sorted(starts.back());
  std::vector<std::uint64_t> places = starts;
  for (const std::span<const Entry> piece : pieces) {
    for (const Entry& entry : piece) sorted[places[entry.document - begin]++] = entry;
  }
  Encoded encoded;
  encoded.bytes.reserve(3 * sorted.size());
  std::vector<std::uint8_t> record;
  for (std::uint64_t i = 0; i < end - begin; ++i) {
    if (i % kForwardGroup == 0) encoded.groups.push_back(encoded.bytes.size());
    record.resize(std::max(record.size(), build::kMaxPostingBytes * (starts[i + 1] - starts[i])));
    std::uint8_t* next = record.data();
    std::uint32_t before = 0;
    for (std::uint64_t j = starts[i]; j < starts[i + 1]; ++j) {
      next = build::write_posting(next, sorted[j].term - before, sorted[j].frequency);
      before = sorted[j].term;
    }
    append_varint(encoded.bytes, static_cast<std::uint64_t>(next - record.data()));
    encoded.bytes.insert(encoded.bytes.end(), record.data(), next);
  }
  return encoded;
}

void ForwardWriter::finish(SectionWriter& offsets, SectionWriter& bytes) {
  const bool is_spilled = !runs_.empty();
  if (is_spilled) {
    spill();
    memory_ = {};
    file_.close();
  }
  const std::size_t at_once = 4 * (threads_ == 0 ? default_threads() : threads_);
  std::vector<Encoded> encoded(at_once);
  for (std::uint64_t first = 0; first < ranges_.size(); first += at_once) {
    const std::uint64_t count = std::min<std::uint64_t>(at_once, ranges_.size() - first);
    parallel_for(threads_, count, [&](std::size_t, std::size_t i) {
      const std::uint64_t own = first + i;
      std::vector<Entry> read;
      if (is_spilled) {
        std::ifstream file(folder_ / kFile, std::ios::binary);
        read = read_range(file, own);
      }
      encoded[i] = encode(is_spilled ? Pieces{read} : pieces(ranges_[own]), own << range_shift_,
                          std::min((own + 1) << range_shift_, documents_));
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const std::uint64_t group : encoded[i].groups) {
        offsets.append_value(bytes.size() + group);
      }
      bytes.append(encoded[i].bytes);
    }
  }
}

}  // namespace warpdex
