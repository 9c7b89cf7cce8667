// An index with positions of random texts, for tests of phrases on the GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::test {

/// An index of random texts of few words, of which some are rare.
class PhraseCollection {
 public:
  PhraseCollection(std::uint64_t stream, CodecKind codec) : random_(generator(stream)) {
    options_.output = folder_ / "index";
    options_.analyzer = "whitespace";
    options_.codec.kind = codec;
    options_.positions = true;
    options_.threads = 1;
  }

  std::size_t below(std::size_t end) { return random_() % end; }

  /// Before build(): the documents have static scores, up to so much.
  void set_static_scores(double largest, std::size_t documents) {
    options_.static_scores = folder_ / "scores";
    std::ofstream file(options_.static_scores);
    for (std::size_t i = 0; i < documents; ++i) {
      file << i << '\t' << largest * static_cast<double>(below(1000)) / 1000 << '\n';
    }
  }

  void build(std::size_t documents, std::size_t longest) {
    build_index(*documents_from_memory(make(documents, longest)), options_);
  }
  void add(std::size_t documents, std::size_t longest) {
    LivingIndex index(folder_ / "index");
    AddOptions options;
    options.build.threads = 1;
    index.add(*documents_from_memory(make(documents, longest)), options);
    index.commit();
  }
  void add_text(std::string text) { extra_.push_back(std::move(text)); }
  /// One in `share`.
  void remove(std::size_t share) {
    LivingIndex index(folder_ / "index");
    for (std::size_t i = 0; i < made_; ++i) {
      if (below(share) == 0) index.remove(std::to_string(i));
    }
    index.commit();
  }
  Snapshot open() const { return Snapshot::open(folder_ / "index"); }

  /// Common ones more often than rare ones; some documents have few of them.
  std::string word() {
    const std::size_t kind = below(40);
    if (kind == 0) return "unknown";
    if (kind < 4) return "rare" + std::to_string(below(40));
    return std::string(1, static_cast<char>('a' + below(1 + below(12))));
  }

  QueryNode phrase() {
    QueryNode node{.kind = QueryNode::Kind::kPhrase};
    std::uint32_t position = 0;
    for (std::size_t words = 2 + below(below(3) == 0 ? 4 : 1); words > 0; --words) {
      node.texts.push_back(word());
      node.positions.push_back(position);
      position += below(6) == 0 ? 2 : 1;  // a stop word is left out
    }
    if (below(3) == 0) node.boost = 0.7F;
    return node;
  }

  SearchSettings settings() {
    SearchSettings settings;
    settings.k = std::array{1U, 2U, 10U, 31U, 32U, 33U, 100U, 128U, 1000U}[below(9)];
    settings.count = below(3) == 0;
    if (below(3) == 0) settings.scorer.kind = ScorerKind::kQueryLikelihood;
    if (below(6) == 0) settings.scorer.kind = ScorerKind::kPl2;
    return settings;
  }

 private:
  std::vector<Document> make(std::size_t documents, std::size_t longest) {
    std::vector<Document> made;
    for (std::size_t i = 0; i < documents; ++i) {
      std::string text;
      const std::size_t known = 1 + below(12);
      for (std::size_t words = below(longest + 1); words > 0; --words) {
        text += below(60) == 0 ? "rare" + std::to_string(below(40))
                               : std::string(1, static_cast<char>('a' + below(known)));
        text += ' ';
      }
      made.push_back({std::to_string(made_++), text});
    }
    for (std::string& text : extra_) made.push_back({std::to_string(made_++), std::move(text)});
    extra_.clear();
    return made;
  }

  const TemporaryFolder folder_{place_in_memory()};
  std::mt19937_64 random_;
  BuildOptions options_;
  std::vector<std::string> extra_;
  std::size_t made_ = 0;
};

}  // namespace warpdex::test
