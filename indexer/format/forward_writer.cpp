// Sorts postings by document, in memory or by way of a temporary file.
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

/// Documents of a range: a multiple of kForwardGroup.
constexpr std::uint64_t kRange = 1024;
constexpr const char* kFile = "forward-runs";

std::uint64_t range_of(std::uint32_t document) { return document / kRange; }

/// Where the entries of each key start, and one past the last. `key` is below `keys`.
template <class Entry, class Key>
std::vector<std::uint64_t> starts_of(std::span<const Entry> entries, std::uint64_t keys,
                                     const Key& key) {
  std::vector<std::uint64_t> starts(keys + 1);
  for (const Entry& entry : entries) ++starts[key(entry) + 1];
  for (std::uint64_t i = 0; i < keys; ++i) starts[i + 1] += starts[i];
  return starts;
}

/// Sorts by key, entries of one key in their order.
template <class Entry, class Key>
std::vector<Entry> sorted_by(std::span<const Entry> entries, std::vector<std::uint64_t> starts,
                             const Key& key) {
  std::vector<Entry> sorted(entries.size());
  for (const Entry& entry : entries) sorted[starts[key(entry)]++] = entry;
  return sorted;
}

}  // namespace

/// The records of a range, and where each group of documents starts in them.
struct ForwardWriter::Encoded {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> groups;
};

void ForwardWriter::set_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kMinEntries = 1 << 12;
  max_entries_ = std::max(bytes / (2 * sizeof(Entry)), kMinEntries);
}

std::uint64_t ForwardWriter::memory() const {
  std::uint64_t bytes = 2 * entries_.capacity() * sizeof(Entry);
  for (const Run& run : runs_) bytes += run.first.capacity() * sizeof(std::uint64_t);
  return bytes;
}

void ForwardWriter::add_list(std::uint32_t term_number, std::span<const std::uint32_t> docids,
                             std::span<const std::uint32_t> frequencies) {
  for (std::size_t i = 0; i < docids.size(); ++i) {
    if (entries_.size() == max_entries_) spill();
    entries_.push_back({docids[i], term_number, frequencies[i]});
  }
}

void ForwardWriter::spill() {
  std::uint32_t last = 0;
  for (const Entry& entry : entries_) last = std::max(last, entry.document);
  const auto range = [](const Entry& entry) { return range_of(entry.document); };
  Run run{starts_of<Entry>(entries_, range_of(last) + 1, range)};
  const std::vector<Entry> sorted = sorted_by<Entry>(entries_, run.first, range);
  for (std::uint64_t& first : run.first) first += spilled_;
  if (!file_.is_open()) {
    file_.open(folder_ / kFile, std::ios::binary | std::ios::trunc);
  }
  file_.write(reinterpret_cast<const char*>(sorted.data()),
              static_cast<std::streamsize>(sorted.size() * sizeof(Entry)));
  if (!file_) {
    throw IoError("cannot write '" + (folder_ / kFile).string() + "': " + errno_message(errno) +
                  "; make room or choose another folder");
  }
  spilled_ += sorted.size();
  runs_.push_back(std::move(run));
  entries_.clear();
}

std::vector<ForwardWriter::Entry> ForwardWriter::read_range(std::ifstream& file,
                                                            std::uint64_t range) const {
  std::vector<Entry> entries;
  for (const Run& run : runs_) {
    if (range + 1 >= run.first.size()) continue;
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

/// `entries` of documents in [begin, end), those of one document by ascending term.
ForwardWriter::Encoded ForwardWriter::encode(std::span<const Entry> entries, std::uint64_t begin,
                                             std::uint64_t end) {
  const auto place = [begin](const Entry& entry) { return entry.document - begin; };
  const std::vector<std::uint64_t> starts = starts_of(entries, end - begin, place);
  const std::vector<Entry> sorted = sorted_by(entries, starts, place);
  Encoded encoded;
  encoded.bytes.reserve(3 * entries.size());
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

void ForwardWriter::finish(std::uint64_t documents, SectionWriter& offsets, SectionWriter& bytes) {
  const bool is_spilled = !runs_.empty();
  if (is_spilled) {
    spill();
    std::vector<Entry>().swap(entries_);
    file_.close();
  }
  const auto range = [](const Entry& entry) { return range_of(entry.document); };
  const std::uint64_t ranges = (documents + kRange - 1) / kRange;
  std::vector<std::uint64_t> starts;
  if (!is_spilled) {
    starts = starts_of<Entry>(entries_, ranges, range);
    entries_ = sorted_by<Entry>(entries_, starts, range);
  }
  const std::size_t at_once = 4 * (threads_ == 0 ? default_threads() : threads_);
  std::vector<Encoded> encoded(at_once);
  for (std::uint64_t first = 0; first < ranges; first += at_once) {
    const std::uint64_t count = std::min<std::uint64_t>(at_once, ranges - first);
    parallel_for(threads_, count, [&](std::size_t, std::size_t i) {
      const std::uint64_t own = first + i;
      std::vector<Entry> read;
      std::span<const Entry> entries;
      if (is_spilled) {
        std::ifstream file(folder_ / kFile, std::ios::binary);
        read = read_range(file, own);
        entries = read;
      } else {
        entries = std::span(entries_).subspan(starts[own], starts[own + 1] - starts[own]);
      }
      encoded[i] = encode(entries, own * kRange, std::min((own + 1) * kRange, documents));
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
