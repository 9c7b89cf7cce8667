// Cuts an index into parts: each is the whole with all documents but a range of them left out.
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "build/segment_build.hpp"
#include "rewrite/rewriter.hpp"
#include "rewrite/source.hpp"
#include "rewrite/stages.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/check_sections.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t kTableBytes = 12;  // of a document: its new docID, and what a writer holds

/// The segments of a snapshot with some of its live documents.
class RangeOfDocuments {
 public:
  /// Live documents from the `begin`-th to the `end`-th.
  RangeOfDocuments(const Snapshot& snapshot, std::uint64_t begin, std::uint64_t end) {
    left_out_.reserve(snapshot.segments().size());
    std::uint64_t number = 0;
    for (const Snapshot::Segment& segment : snapshot.segments()) {
      const Index& index = *segment.index;
      const std::uint64_t documents = index.counts().documents;
      RemovedRowsBuilder left_out(documents, index.removed());
      for (std::uint64_t i = 0; i < documents; ++i) {
        if (index.removed().contains(i)) continue;
        if (number < begin || number >= end) left_out.add(i);
        ++number;
      }
      if (left_out.count() == documents) continue;
      left_out_.emplace_back(left_out.words().begin(), left_out.words().end());
      sources_.push_back(
          {&index, left_out.count() == 0 ? RemovedRows() : RemovedRows(left_out_.back())});
      postings_ += index.counts().postings;
    }
  }

  std::span<const rewrite::RewriteSource> sources() const { return sources_; }
  /// Of the lists that are read.
  std::uint64_t postings() const { return postings_; }

 private:
  std::vector<std::vector<std::uint64_t>> left_out_;  ///< bits of documents, by source
  std::vector<rewrite::RewriteSource> sources_;
  std::uint64_t postings_ = 0;
};

void check_folder_of_parts(const std::filesystem::path& output, std::uint32_t parts) {
  std::error_code ignored;
  if (std::filesystem::exists(output / kManifestName, ignored)) {
    throw UsageError(
        "'" + output.string() +
        "' is an index, which holds nothing else; choose another folder for the parts");
  }
  if (std::filesystem::exists(part_folder(output, parts), ignored)) {
    throw UsageError("'" + part_folder(output, parts).string() +
                     "' would stay beside the new parts, as if it were one of them; remove it, or "
                     "choose another folder");
  }
}

void check_split(const RewriteOptions& options, const Snapshot& snapshot, std::uint32_t parts) {
  check_folder_of_parts(options.output, parts);
  if (parts == 0 || parts > kMaxParts) {
    throw UsageError("an index is split into 1 to " + std::to_string(kMaxParts) +
                     " parts; choose a number of these");
  }
  if (parts > snapshot.documents()) {
    throw UsageError("the index '" + options.input.string() + "' has " +
                     std::to_string(snapshot.documents()) + " documents, too few for " +
                     std::to_string(parts) + " parts; ask for fewer parts");
  }
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::filesystem::path folder = part_folder(options.output, part);
    rewrite::check_places(options.input, folder);
    if (resolve_target(folder) == resolve_target(options.input)) {
      throw UsageError("a part would take the place of the index '" + options.input.string() +
                       "' itself; choose another folder for the parts");
    }
  }
}

/// Writes a part. `tell` is called with the share done.
void write_part(const RangeOfDocuments& range, const IndexSettings& settings,
                const std::filesystem::path& output, const rewrite::Means& means,
                const std::function<void(double)>& tell, std::vector<std::string>& notes) {
  IndexWriter writer(output, settings);
  const std::uint64_t forward = settings.has_forward ? means.memory / 8 : 0;
  writer.set_forward_memory(forward);
  const rewrite::RewriteSettings rewriting{settings, {}, means.memory - forward, means.threads};
  const auto total = static_cast<double>(range.postings() + 1);
  rewrite::rewrite_index(range.sources(), rewriting, writer,
                         [&](std::uint64_t done) { tell(static_cast<double>(done) / total); });
  for (std::string& note : writer.commit([&] { tell(1); })) notes.push_back(std::move(note));
}

}  // namespace

SplitReport split_index(const RewriteOptions& options, std::uint32_t parts) {
  const auto start = std::chrono::steady_clock::now();
  const rewrite::Stages stages(options.on_progress);
  const Snapshot snapshot = Snapshot::open(options.input);
  check_split(options, snapshot, parts);
  const rewrite::Means means =
      rewrite::means_of(options).without(kTableBytes * snapshot.docid_end());
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    check_before_copy(*segment.index, [&](double share) { stages.tell_share("checking", share); });
  }
  std::filesystem::create_directories(options.output);
  SplitReport report;
  const std::uint64_t documents = snapshot.documents();
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint64_t begin = documents * part / parts;
    const std::uint64_t end = documents * (part + 1) / parts;
    report.parts.push_back({part_folder(options.output, part), end - begin});
    write_part(
        RangeOfDocuments(snapshot, begin, end), snapshot.settings(), report.parts.back().folder,
        means, [&](double share) { stages.tell_share("splitting", (part + share) / parts); },
        report.notes);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

BuildReport build_parts(DocumentReader& reader, const BuildOptions& options, std::uint32_t parts,
                        const std::function<void(const RewriteProgress&)>& splitting,
                        SplitReport& report) {
  check_folder_of_parts(options.output, parts);
  std::filesystem::create_directories(options.output);
  // It lends a folder for the whole that goes with it, and is never committed.
  const IndexWriter beside(options.output / "whole", build::settings_of(reader, options));
  BuildOptions whole = options;
  whole.output = beside.scratch_folder() / "whole";
  BuildReport built = build_index(reader, whole);
  if (built.documents < parts) {
    throw UsageError("the input holds " + std::to_string(built.documents) +
                     " documents, too few for " + std::to_string(parts) +
                     " parts; ask for fewer parts");
  }
  report = split_index({whole.output, options.output, options.memory, options.threads, splitting},
                       parts);
  built.seconds += report.seconds;
  built.notes.insert(built.notes.end(), report.notes.begin(), report.notes.end());
  return built;
}

}  // namespace warpdex
