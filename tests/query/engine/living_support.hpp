// An index that random documents come to and go from, and beside it what is live in it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "indexer/format/manifest.hpp"
#include "indexer/living/open_segment.hpp"
#include "tests/support.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/target.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::test {

/// Components of documents' vectors.
inline constexpr std::size_t kLivingDimension = 7;

/// With stored fields, vectors whose form and metric differ with the codec, and text fields if
/// there are several.
inline BuildOptions living_options(const std::filesystem::path& output, CodecKind codec,
                                   std::size_t fields) {
  BuildOptions options;
  options.output = output;
  options.analyzer = "whitespace";
  options.codec.kind = codec;
  options.threads = 1;
  options.stored_fields = {"text", "note"};
  for (std::size_t i = 0; fields > 1 && i < fields; ++i) {
    options.schema.fields.push_back({.name = "f" + std::to_string(i)});
  }
  const bool are_halves = codec == CodecKind::kPfor;
  options.vectors = vector::RowSettings{
      are_halves                     ? vector::Metric::kL2
      : codec == CodecKind::kBitpack ? vector::Metric::kCosine
                                     : vector::Metric::kInnerProduct,
      are_halves ? vector::Store::kHalf : vector::Store::kFloat, kLivingDimension};
  return options;
}

/// An index, and beside it what is live in it, in order.
class Living {
 public:
  Living(std::uint64_t stream, CodecKind codec, bool weights, std::size_t documents = 300,
         bool has_static = false, std::size_t fields = 1)
      : random_(generator(stream)),
        codec_(codec),
        weights_(weights),
        has_static_(has_static),
        fields_(fields) {
    for (std::size_t i = 0; i < documents; ++i) live_.push_back(new_document());
    build(index(), live_);
    open();
  }

  std::filesystem::path index() const { return folder_ / "index"; }
  const std::vector<Document>& live() const { return live_; }
  std::mt19937_64& random() { return random_; }
  void open() {
    writer_ = std::make_unique<LivingIndex>(index());
    if (in_background_) writer_->merge_in_background({kMinBuildMemory, 1});
  }
  /// From now on.
  void merge_in_background() {
    in_background_ = true;
    writer_->merge_in_background({kMinBuildMemory, 1});
  }
  void finish_merges() { writer_->finish_merges(); }
  void close() { writer_.reset(); }
  void commit() { writer_->commit(); }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  void add() { add_some(1 + below(below(8) == 0 ? 300 : 6)); }

  void add_some(std::size_t count) {
    std::vector<Document> documents(count);
    for (Document& document : documents) document = new_document();
    live_.insert(live_.end(), documents.begin(), documents.end());
    EXPECT_EQ(add(std::move(documents)).updated, 0U);
  }

  void remove() { remove_some(1 + below(6)); }

  void remove_some(std::size_t count) {
    for (; count > 0 && !live_.empty(); --count) {
      const auto gone = live_.begin() + static_cast<std::ptrdiff_t>(below(live_.size()));
      EXPECT_TRUE(writer_->remove(gone->id));
      EXPECT_FALSE(writer_->remove(gone->id));
      live_.erase(gone);
    }
  }

  /// Each document goes with that chance in percent.
  void remove_share(std::uint64_t percent) {
    std::erase_if(live_, [&](const Document& document) {
      if (below(100) >= percent) return false;
      EXPECT_TRUE(writer_->remove(document.id));
      return true;
    });
  }

  /// The documents that came last go.
  void remove_last(std::size_t count) {
    for (; count > 0; --count) {
      EXPECT_TRUE(writer_->remove(live_.back().id));
      live_.pop_back();
    }
  }

  /// Removes all documents of a segment, which are `count` of live() from `first` on, but keeps the
  /// segment: a LivingIndex would drop it with the commit.
  void empty_segment(std::size_t number, std::size_t first, std::size_t count) {
    close();
    const std::filesystem::path target = resolve_target(index());
    const Snapshot snapshot = Snapshot::open(index());
    Manifest manifest = manifest_from_json(read_file(index() / kManifestName));
    ReplacementFolder folder(target, std::make_shared<TargetLock>(target));
    ++manifest.stored.commit;
    for (std::size_t i = 0; i < snapshot.segments().size(); ++i) {
      SegmentInfo& info = manifest.stored.segments[i];
      OpenSegment segment(info, snapshot.segments()[i].index, false);
      for (std::size_t j = first; i == number && j < first + count; ++j) {
        segment.remove(segment.find(live_[j].id).value());
      }
      EXPECT_EQ(segment.live_documents() == 0, i == number);
      info = segment.write(folder, manifest.stored.commit);
    }
    folder.commit(manifest_to_json(manifest));
    const auto gone = live_.begin() + static_cast<std::ptrdiff_t>(first);
    live_.erase(gone, gone + static_cast<std::ptrdiff_t>(count));
    open();
  }

  /// Some documents get another text, some beside are new.
  void update() {
    std::vector<Document> documents;
    for (std::uint64_t count = 1 + below(4); count > 0 && !live_.empty(); --count) {
      const auto old = live_.begin() + static_cast<std::ptrdiff_t>(below(live_.size()));
      documents.push_back(new_document());
      documents.back().id = old->id;
      live_.erase(old);
    }
    const std::uint64_t updated = documents.size();
    documents.push_back(new_document());
    live_.insert(live_.end(), documents.begin(), documents.end());
    EXPECT_EQ(add(std::move(documents), true).updated, updated);
  }

  void merge() { writer_->merge({.all = below(4) == 0, .memory = kMinBuildMemory, .threads = 1}); }

  /// Does so many random operations, and commits them.
  void change(std::uint64_t operations) {
    for (; operations > 0; --operations) {
      switch (below(8)) {
        case 0: merge(); break;
        case 1: update(); break;
        case 2: commit(); break;
        case 3: remove_share(10); break;
        case 4: remove(); break;
        default: add();
      }
    }
    commit();
  }

  void build(const std::filesystem::path& output, std::vector<Document> documents) const {
    BuildOptions options = living_options(output, codec_, fields_);
    options.static_scores = static_scores(documents);
    const auto reader = weights_ ? vectors_from_memory(std::move(documents))
                                 : documents_from_memory(std::move(documents));
    build_index(*reader, options);
  }

  Query query() {
    Query query;
    for (std::uint64_t count = 1 + below(5); count > 0; --count) {
      const Occur occur = below(8) == 0   ? Occur::kMust
                          : below(8) == 0 ? Occur::kMustNot
                                          : Occur::kUnsigned;
      const std::string mark = fields_ == 1 ? "" : field_mark(below(fields_));
      query.terms.push_back({mark + word(), occur, below(4) == 0 ? 1.5F : 1.0F});
    }
    return query;
  }

  SearchSettings settings() {
    SearchSettings settings;
    settings.mode = static_cast<QueryMode>(below(3));
    settings.k = static_cast<std::uint32_t>(std::array{1U, 3U, 10U, 100U, 1000U}[below(5)]);
    settings.count = below(2) == 0;
    if (weights_) return settings;
    settings.scorer.kind = below(3) == 0 ? ScorerKind::kQueryLikelihood : ScorerKind::kBm25;
    settings.scorer.form = below(2) == 0 ? Bm25Form::kLucene : Bm25Form::kPisa;
    return settings;
  }

  std::vector<float> new_vector() {
    std::vector<float> vector(kLivingDimension);
    for (float& component : vector) component = static_cast<float>(below(2000)) / 64 - 10;
    return vector;
  }

 private:
  BuildReport add(std::vector<Document> documents, bool update = false) {
    AddOptions options{.update = update, .build = {}};
    options.build.threads = 1;
    options.build.static_scores = static_scores(documents);
    const auto reader = weights_ ? vectors_from_memory(std::move(documents))
                                 : documents_from_memory(std::move(documents));
    return writer_->add(*reader, options);
  }

  /// A file of static scores of most of the documents; each depends on the document's id alone. No
  /// file where the index has no such scores.
  std::filesystem::path static_scores(const std::vector<Document>& documents) const {
    if (!has_static_) return {};
    std::string lines;
    for (const Document& document : documents) {
      const std::uint64_t number = std::stoull(document.id.substr(1)) * 2'654'435'761 >> 8;
      if (number % 8 == 0) continue;
      lines += document.id + "\t" + std::to_string(static_cast<double>(number % 512) / 64) + "\n";
    }
    write_file(folder_ / "static", lines);
    return folder_ / "static";
  }

  std::string word() {
    const double uniform = static_cast<double>(below(1'000'000)) / 1e6;
    return "w" + std::to_string(static_cast<int>(std::pow(2000.0, uniform)));
  }

  /// The text is in the second field. The first one is short, others are mostly missing.
  std::vector<std::string> new_texts(const std::string& text) {
    std::vector<std::string> texts(fields_);
    texts[1] = text;
    for (std::uint64_t words = below(6); words > 0; --words) texts[0] += word() + " ";
    for (std::size_t i = 2; i < fields_; ++i) {
      for (auto words = below(3) * below(2) * below(200); words > 0; --words)
        texts[i] += word() + " ";
    }
    return texts;
  }

  Document new_document() {
    Document document{"d" + std::to_string(next_++), ""};
    for (std::uint64_t words = below(40); words > 0; --words) document.text += word() + " ";
    document.stored = {document.text, std::nullopt};
    if (below(3) == 0) document.stored[1] = word();
    document.embedding = new_vector();
    if (fields_ > 1) document.texts = new_texts(document.text);
    if (!weights_) return document;
    document.text.clear();
    std::set<std::string> terms;
    for (std::uint64_t words = 1 + below(20); words > 0; --words) terms.insert(word());
    for (const std::string& term : terms) {
      document.vector.push_back({term, static_cast<float>(1 + below(255))});
    }
    return document;
  }

  const TemporaryFolder folder_{place_in_memory()};
  std::mt19937_64 random_;
  CodecKind codec_;
  bool weights_;
  bool has_static_;
  std::size_t fields_;
  bool in_background_ = false;
  int next_ = 0;
  std::vector<Document> live_;
  std::unique_ptr<LivingIndex> writer_;
};

/// Random queries, planned over a snapshot, each with settings of its own.
struct LivingLog {
  LivingLog(Living& living, const Snapshot& snapshot, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      queries.push_back(living.query());
      plans.push_back(plan_query(snapshot, queries.back()));
      settings.push_back(living.settings());
      settings.back().scorer = effective_scorer(snapshot.settings(), settings.back().scorer);
    }
  }

  std::vector<Query> queries;
  std::vector<PlannedQuery> plans;
  std::vector<SearchSettings> settings;
};

}  // namespace warpdex::test
