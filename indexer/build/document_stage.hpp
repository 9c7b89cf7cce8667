// The first stage of a build: documents in, postings in inverters and runs, names and lengths in
// the index writer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/id_table.hpp"
#include "build/inverter.hpp"
#include "build/memory_plan.hpp"
#include "build/place_table.hpp"
#include "build/progress.hpp"
#include "build/run_store.hpp"
#include "build/segment_build.hpp"
#include "build/weights.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::build {

/// Reads, parses, analyses and inverts every document. Threads take batches of records in turn;
/// parse, analyse and count terms side by side; accept or refuse documents and give out docIDs in
/// input order, so that what becomes of a document never depends on timing; and then append
/// postings side by side, each thread to an inverter of its own.
class DocumentStage {
 public:
  /// `admission` and `static_scores` may be null. All arguments must outlive the stage.
  DocumentStage(DocumentReader& reader, const BuildOptions& options, const MemoryPlan& plan,
                const Admission* admission, const IdTable* static_scores, IndexWriter& writer,
                RunStore& runs, Progress& progress, BuildReport& report);
  ~DocumentStage();

  /// Once. Throws as build_index does.
  void run();

  /// The largest static score of a document in the index, and that document's id.
  struct LargestStatic {
    float score = 0;
    std::string id;
  };
  const LargestStatic& largest_static() const { return largest_static_; }

  /// Of the weights of the documents in the index, if these are sparse vectors.
  const WeightSummary& weights() const { return weights_; }

  /// What was not spilled; one a thread, some may be empty. Call once, after run().
  std::vector<Inverter> take_inverters();

 private:
  struct Prepared;
  struct Batch;
  struct Worker;

  bool take(Batch& batch);
  void prepare(Worker& worker, Batch& batch) const;
  /// Counts the terms of all texts of a document.
  void count_texts(Worker& worker, const Document& document, Batch& batch,
                   Prepared& prepared) const;
  /// Those of the next text.
  void count_text(Worker& worker, std::string_view text, std::size_t start, Batch& batch,
                  Prepared& prepared) const;
  void count_piece(Worker& worker, std::string_view piece, std::size_t start, Batch& batch,
                   Prepared& prepared) const;
  static void count_vector(Worker& worker, const std::vector<TermWeight>& vector,
                           std::vector<TermCount>& counts, Prepared& prepared);
  std::string stored_record(const Document& document) const;
  void check_values(const FieldValues& values) const;
  /// A document's vectors, by set. Throws InputError for one that the index does not take.
  std::vector<std::vector<float>> take_vectors(Document& document) const;
  void accept(Batch& batch);
  bool accept(Prepared& document, const Location& location);
  void check_room(const Location& location) const;
  void refuse(const std::string& problem);
  void invert(Worker& worker, Batch& batch);

  DocumentReader& reader_;
  const BuildOptions& options_;
  std::size_t columns_;  ///< of the schema
  std::vector<VectorSet> vector_sets_;
  const MemoryPlan& plan_;
  const Admission* admission_;
  const IdTable* static_scores_;
  IndexWriter& writer_;
  RunStore& runs_;
  Progress& progress_;
  BuildReport& report_;

  PlaceTable places_;
  IdTable ids_{true};  // with the bits of their places' numbers
  std::uint64_t scores_found_ = 0;
  LargestStatic largest_static_;
  WeightSummary weights_;
  std::atomic<std::uint64_t> table_bytes_{0};
  std::size_t text_fields_ = 0;  ///< of the schema
  PositionedTexts positioned_;
  std::vector<std::uint32_t> lengths_;  ///< of the document that is accepted
  bool ended_ = false;                  // the reader has no more
  std::vector<std::unique_ptr<Worker>> workers_;
};

/// Calls visit(piece) for the pieces of a text, in order, each of about 64 KiB unless no cut can
/// be made: cuts lie where Analyzer::cuts_at_spaces() says that they may. Bounds what analysis
/// holds at a time.
template <class Visit>
void for_each_piece(std::string_view text, const Visit& visit) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const auto starts_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  while (text.size() > 2 * kPiece) {
    std::size_t cut = kPiece;
    while (cut < text.size() &&
           !((text[cut - 1] == ' ' || text[cut - 1] == '\n') && starts_word(text[cut]))) {
      ++cut;
    }
    visit(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  if (!text.empty()) visit(text);
}

}  // namespace warpdex::build
