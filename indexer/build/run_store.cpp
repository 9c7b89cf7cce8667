// Spills inverters to runs, and merges runs into fewer.
#include "build/run_store.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "build/run_file.hpp"
#include "build/term_merger.hpp"
#include "format/posting_code.hpp"

namespace warpdex::build {
namespace {

// The term's postings in all its pieces as one piece.
void merge_pieces(PostingMerger& merger, const std::vector<std::uint8_t>& bytes,
                  const PieceSizes& pieces, bool have_positions,
                  std::vector<std::uint8_t>& merged) {
  std::uint32_t last = 0;
  merger.start(bytes.data(), pieces, have_positions);
  merger.for_each([&](const PostingCursor& posting) {
    std::array<std::uint8_t, kMaxPostingBytes> code;
    const std::uint8_t* end =
        write_posting(code.data(), posting.document - last, posting.frequency);
    merged.insert(merged.end(), static_cast<const std::uint8_t*>(code.data()), end);
    if (have_positions) merged.insert(merged.end(), posting.steps, posting.next);
    last = posting.document;
  });
}

void merge_runs(std::vector<std::unique_ptr<TermSource>> sources, const PositionedTexts& positioned,
                RunWriter& writer) {
  TermMerger terms(std::move(sources));
  PostingMerger postings;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> merged;
  PieceSizes pieces;
  while (terms.next()) {
    bytes.clear();
    merged.clear();
    pieces.clear();
    terms.take(bytes, pieces);
    if (pieces.size() > 1) {
      merge_pieces(postings, bytes, pieces, positioned.has_term(terms.term()), merged);
    }
    writer.add(terms.term(), pieces.size() > 1 ? merged : bytes);
  }
  writer.finish();
}

}  // namespace

std::filesystem::path RunStore::new_path() {
  return folder_ / ("run-" + std::to_string(created_++));
}

void RunStore::spill(Inverter& inverter) {
  if (!inverter.empty()) {
    std::filesystem::path path;
    {
      const std::lock_guard lock(mutex_);
      path = new_path();
      runs_.push_back(path);
    }
    inverter.sort();
    RunWriter writer(path);
    std::vector<std::uint8_t> postings;
    for (std::size_t i = 0; i < inverter.sorted_terms(); ++i) {
      postings.clear();
      inverter.copy_postings(i, postings);
      writer.add(inverter.term(i), postings);
    }
    writer.finish();
    ++spilled_;
    const std::lock_guard lock(mutex_);
    longest_term_ = std::max(longest_term_, writer.longest_term());
  }
  inverter.reset();
}

void RunStore::merge_down(std::size_t fan_in, std::size_t buffer_bytes) {
  while (runs_.size() > fan_in) {
    // The oldest ones; what comes of them waits behind the others, so sizes stay alike.
    const auto chosen = static_cast<std::ptrdiff_t>(fan_in);
    std::vector<std::unique_ptr<TermSource>> sources;
    for (auto run = runs_.begin(); run != runs_.begin() + chosen; ++run) {
      sources.push_back(std::make_unique<RunReader>(*run, buffer_bytes));
    }
    const std::filesystem::path path = new_path();
    RunWriter writer(path);
    merge_runs(std::move(sources), positioned_, writer);
    for (auto run = runs_.begin(); run != runs_.begin() + chosen; ++run) {
      std::filesystem::remove(*run);
    }
    runs_.erase(runs_.begin(), runs_.begin() + chosen);
    runs_.push_back(path);
  }
}

std::vector<std::unique_ptr<TermSource>> RunStore::open(std::size_t buffer_bytes) const {
  std::vector<std::unique_ptr<TermSource>> sources;
  for (const auto& run : runs_) sources.push_back(std::make_unique<RunReader>(run, buffer_bytes));
  return sources;
}

}  // namespace warpdex::build
