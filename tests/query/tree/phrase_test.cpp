// Phrases against a plain matcher over the texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "tests/reference/oracle.hpp"
#include "tests/reference/phrases.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

using NodeKind = QueryNode::Kind;
using Words = std::vector<std::string>;
using Scores = std::map<std::uint32_t, double>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

std::unique_ptr<DocumentReader> reader_of(const std::vector<Words>& documents, std::size_t first) {
  std::vector<Document> made;
  for (const Words& words : documents) made.push_back({std::to_string(first++), joined(words)});
  return documents_from_memory(std::move(made));
}

void build(const std::vector<Words>& documents, const std::filesystem::path& folder,
           CodecKind codec = CodecKind::kBitpack) {
  BuildOptions options;
  options.output = folder;
  options.analyzer = "whitespace";
  options.codec.kind = codec;
  options.positions = true;
  options.threads = 1;
  build_index(*reader_of(documents, 0), options);
}

/// Scores trees of terms, phrases and groups, slowly.
class SlowPhrases {
 public:
  SlowPhrases(const std::vector<Words>& documents, const ScorerSettings& scorer)
      : documents_(documents), scorer_(scorer) {
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
      tokens_ += static_cast<double>(documents[i].size());
      for (const std::string& word : documents[i]) {
        ++frequencies_[word][i];
        ++occurrences_[word];
      }
    }
  }

  Scores find(const QueryNode& node) const {
    Scores scores = unboosted(node);
    for (auto& [document, score] : scores) score *= static_cast<double>(node.boost);
    return scores;
  }

 private:
  Scores unboosted(const QueryNode& node) const {
    Scores scores;
    if (node.kind == NodeKind::kTerm) {
      for (const auto& [document, frequency] : frequencies_of(node.text)) {
        scores[document] = score({node.text}, frequency, document);
      }
    } else if (node.kind == NodeKind::kPhrase) {
      for (std::uint32_t i = 0; i < documents_.size(); ++i) {
        const std::vector<reference::PhraseWord> phrase = words_of(node);
        const double frequency =
            node.slop == 0 ? reference::exact_frequency(documents_[i], phrase)
                           : reference::sloppy_frequency(documents_[i], phrase, node.slop);
        if (frequency > 0) scores[i] = score(node.texts, frequency, i);
      }
    } else {
      scores = boolean(node);
    }
    return scores;
  }

  Scores boolean(const QueryNode& node) const {
    std::map<std::uint32_t, std::size_t> found;
    Scores sums;
    const auto add = [&](const std::vector<QueryNode>& clauses, std::size_t counted) {
      for (const QueryNode& clause : clauses) {
        for (const auto& [document, score] : find(clause)) {
          found[document] += counted;
          sums[document] += score;
        }
      }
    };
    add(node.must, 1);
    if (!node.must.empty()) {
      std::erase_if(sums, [&](const auto& one) { return found[one.first] < node.must.size(); });
    }
    const Scores required = sums;
    add(node.should, 0);
    if (!node.must.empty()) {
      std::erase_if(sums, [&](const auto& one) { return !required.contains(one.first); });
    }
    for (const QueryNode& clause : node.must_not) {
      for (const auto& [document, score] : find(clause)) sums.erase(document);
    }
    return sums;
  }

  static std::vector<reference::PhraseWord> words_of(const QueryNode& node) {
    std::vector<reference::PhraseWord> words;
    for (std::size_t i = 0; i < node.texts.size(); ++i) {
      if (i == 0 || node.positions[i] != node.positions[i - 1]) {
        words.push_back({node.positions[i], {}});
      }
      words.back().words.push_back(node.texts[i]);
    }
    return words;
  }

  const std::map<std::uint32_t, double>& frequencies_of(const std::string& word) const {
    static const std::map<std::uint32_t, double> none;
    const auto found = frequencies_.find(word);
    return found == frequencies_.end() ? none : found->second;
  }

  /// Of words that all occur so often.
  double score(const Words& words, double frequency, std::uint32_t document) const {
    const auto documents = static_cast<double>(documents_.size());
    const auto length = static_cast<double>(documents_[document].size());
    double sum = 0;
    for (const std::string& word : words) {
      const auto& list = frequencies_of(word);
      if (list.empty()) continue;
      sum += scorer_.kind == ScorerKind::kBm25
                 ? reference::bm25(scorer_, documents, static_cast<double>(list.size()), frequency,
                                   length, tokens_ / documents)
                 : reference::likelihood_part(reference::log_likelihood(
                       scorer_.mu, occurrences_.at(word) / tokens_, frequency, length));
    }
    return sum;
  }

  const std::vector<Words>& documents_;
  ScorerSettings scorer_;
  double tokens_ = 0;
  std::map<std::string, std::map<std::uint32_t, double>> frequencies_;
  std::map<std::string, double> occurrences_;
};

class Phrases : public testing::Test {
 protected:
  std::vector<Words> random_documents(std::size_t count, std::size_t longest) {
    std::vector<Words> documents(count);
    for (Words& words : documents) {
      const std::size_t known = 2 + random_() % 9;
      for (std::size_t left = random_() % (longest + 1); left > 0; --left) {
        words.push_back(std::string(1, static_cast<char>('a' + random_() % known)));
      }
    }
    return documents;
  }

  std::string word() {
    if (random_() % 40 == 0) return "unknown";
    return std::string(1, static_cast<char>('a' + random_() % (1 + random_() % 10)));
  }

  /// With slop, of different words.
  QueryNode phrase() {
    QueryNode node{.kind = NodeKind::kPhrase};
    node.slop = random_() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random_() % 8);
    std::uint32_t position = 0;
    for (std::size_t left = 2 + random_() % 3; left > 0; --left) {
      for (std::size_t alternatives = random_() % 6 == 0 ? 2 : 1; alternatives > 0;) {
        const std::string one = word();
        const bool is_new = std::ranges::find(node.texts, one) == node.texts.end();
        if (node.slop > 0 && !is_new) continue;
        node.texts.push_back(one);
        node.positions.push_back(position);
        --alternatives;
      }
      position += random_() % 6 == 0 ? 2 : 1;
    }
    if (random_() % 3 == 0) node.boost = 0.5F;
    return node;
  }

  QueryNode tree(std::size_t depth) {
    if (depth == 0 || random_() % 3 == 0) {
      if (random_() % 2 == 0) return phrase();
      return {.kind = NodeKind::kTerm, .text = word()};
    }
    QueryNode node{.kind = NodeKind::kBoolean};
    for (std::size_t i = random_() % 3; i > 0; --i) node.must.push_back(tree(depth - 1));
    for (std::size_t i = random_() % 3; i > 0; --i) node.should.push_back(tree(depth - 1));
    if (random_() % 3 == 0) node.must_not.push_back(tree(depth - 1));
    return node;
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
  std::mt19937_64 random_ = test::generator(5711);
};

/// `loss`: what float may lose beside 1e-5 of a score.
void expect_scores(const SearchResult& found, const Scores& wanted, const SearchSettings& settings,
                   const std::function<std::uint32_t(std::uint32_t)>& document_of,
                   double loss = 0) {
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [document, score] : wanted) order.emplace_back(-score, document);
  std::ranges::sort(order);
  ASSERT_EQ(found.hits.size(), std::min<std::size_t>(settings.k, order.size()));
  if (settings.count) {
    ASSERT_EQ(found.matches, wanted.size());
  }
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const std::uint32_t document = document_of(found.hits[i].document);
    ASSERT_TRUE(wanted.contains(document)) << document;
    const double score = wanted.at(document);
    ASSERT_NEAR(found.hits[i].score, score, 1e-5 * score + loss);
    ASSERT_NEAR(score, -order[i].first, 1e-5 * score + loss);  // another one of that score
    if (i > 0) {
      const Hit& before = found.hits[i - 1];
      ASSERT_TRUE(before.score > found.hits[i].score || (before.score == found.hits[i].score &&
                                                         before.document < found.hits[i].document));
    }
  }
}

TEST_F(Phrases, AreThoseOfThePlainMatcher) {
  constexpr std::array kCodecs = {CodecKind::kBitpack, CodecKind::kRice, CodecKind::kPfor,
                                  CodecKind::kPforBlock};
  for (std::size_t round = 0; round < 8; ++round) {
    const std::vector<Words> documents = random_documents(round < 2   ? 10
                                                          : round < 7 ? 400
                                                                      : 9'000,
                                                          round % 3 == 0 ? 200 : 20);
    build(documents, folder_ / "index", kCodecs[round % 4]);
    TreeSearcher searcher(Snapshot::open(folder_ / "index"));
    SearchSettings settings;
    settings.scorer.kind = round % 4 == 3 ? ScorerKind::kQueryLikelihood : ScorerKind::kBm25;
    const SlowPhrases slow(documents, settings.scorer);
    for (int i = 0; i < (round == 7 ? 30 : 150); ++i) {
      const QueryNode node = i % 3 == 0 ? tree(3) : phrase();
      settings.k = 1 + static_cast<std::uint32_t>(random_() % (i % 2 == 0 ? 10 : 10'000));
      settings.count = random_() % 3 == 0;
      const Scores wanted = slow.find(node);
      SCOPED_TRACE("round " + std::to_string(round) + ", query " + std::to_string(i));
      expect_scores(
          searcher.search(node, settings).result, wanted, settings,
          [](std::uint32_t document) { return document; },
          settings.scorer.kind == ScorerKind::kBm25 ? 0 : 2e-6);
      std::vector<std::uint32_t> all;
      for (const auto& [document, score] : wanted) all.push_back(document);
      ASSERT_EQ(searcher.matches(node).documents, all);
      if (HasFatalFailure()) return;
    }
  }
}

/// Segments, removed documents.
TEST_F(Phrases, AreThoseOfChangedIndexes) {
  std::vector<Words> documents = random_documents(300, 30);
  build(documents, folder_ / "index");
  std::vector<std::uint32_t> live;
  {
    LivingIndex index(folder_ / "index");
    const std::vector<Words> more = random_documents(200, 30);
    AddOptions options;
    options.build.threads = 1;
    index.add(*reader_of(more, documents.size()), options);
    documents.insert(documents.end(), more.begin(), more.end());
    index.commit();
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
      i % 3 == 1 ? static_cast<void>(index.remove(std::to_string(i))) : live.push_back(i);
    }
    index.commit();
  }
  std::vector<Words> kept;
  for (const std::uint32_t document : live) kept.push_back(documents[document]);
  const Snapshot snapshot = Snapshot::open(folder_ / "index");
  ASSERT_EQ(snapshot.segments().size(), 2U);
  TreeSearcher searcher(snapshot);
  SearchSettings settings;
  const SlowPhrases slow(kept, settings.scorer);
  for (int i = 0; i < 200; ++i) {
    const QueryNode node = i % 3 == 0 ? tree(2) : phrase();
    settings.k = 1 + static_cast<std::uint32_t>(random_() % 50);
    settings.count = random_() % 2 == 0;
    expect_scores(
        searcher.search(node, settings).result, slow.find(node), settings,
        [&](std::uint32_t document) {
          const auto number =
              static_cast<std::uint32_t>(std::stoul(std::string(snapshot.document_name(document))));
          return static_cast<std::uint32_t>(std::ranges::find(live, number) - live.begin());
        });
    if (HasFatalFailure()) return;
  }
}

/// Opening does not check sections' checksums: a search must survive any bytes in them.
TEST_F(Phrases, OfDamagedIndexesAreRefusedOrAnswered) {
  std::vector<Words> documents = random_documents(600, 60);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].push_back("seldom" + std::to_string(i / 9));
  }
  build(documents, folder_ / "index");
  std::vector<std::filesystem::path> files;
  for (const std::string name : {"positions", "short_positions", "position_starts",
                                 "position_offsets", "position_codes", "frequencies", "lexicon"}) {
    files.push_back(folder_ / "index" / "segment-0" / name);
    ASSERT_TRUE(std::filesystem::exists(files.back())) << name;
  }
  std::size_t refused = 0;
  for (int round = 0; round < 150; ++round) {
    const std::filesystem::path& file = files[random_() % files.size()];
    const std::string whole = test::read_file(file);
    std::string damaged = whole;
    constexpr std::size_t kHeader = 64;
    constexpr std::size_t kBehind = 96;
    for (std::size_t edits = 1 + random_() % 4; edits > 0; --edits) {
      damaged[kHeader + random_() % (whole.size() - kHeader - kBehind)] =
          static_cast<char>(random_());
    }
    test::write_file(file, damaged);
    for (int i = 0; i < 10; ++i) {
      try {
        TreeSearcher searcher(Snapshot::open(folder_ / "index"));
        QueryNode node = phrase();
        if (random_() % 2 == 0) node.texts[0] = "seldom" + std::to_string(random_() % 60);
        searcher.search(node, {.k = 10, .scorer = {}});
      } catch (const FormatError&) {
        ++refused;
      }
    }
    test::write_file(file, whole);
  }
  EXPECT_GT(refused, 30U);
}

TEST_F(Phrases, OfManyWordsAreFound) {
  Words words;
  QueryNode node{.kind = NodeKind::kPhrase};
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    words.push_back("w" + std::to_string(i));
    node.texts.push_back(words.back());
    node.positions.push_back(i);
  }
  const test::TemporaryFolder folder;
  build({words, {"w0", "w1"}}, folder / "index");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  TreeSearcher searcher(snapshot);
  const TreeResult found = searcher.search(node, {.k = 10, .scorer = {}});
  ASSERT_EQ(found.result.hits.size(), 1U);
  EXPECT_EQ(found.result.hits[0].document, 0U);
}

TEST_F(Phrases, KeepTheGapsOfStopWords) {
  Query query;
  take_tree(query, {.kind = NodeKind::kPhrase, .text = "the ships of the sea", .slop = 1},
            *make_analyzer("english"), true);
  ASSERT_TRUE(query.tree);
  EXPECT_EQ(query.tree->texts, (Words{"ship", "sea"}));
  EXPECT_EQ(query.tree->positions, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(query.tree->slop, 1U);
  EXPECT_EQ(query.terms.size(), 2U);
}

TEST_F(Phrases, AreRefusedWithoutPositions) {
  Query query;
  const QueryNode node{.kind = NodeKind::kPhrase, .text = "one two"};
  EXPECT_THROW(take_tree(query, node, *make_analyzer("whitespace"), false), InputError);
}

}  // namespace
}  // namespace warpdex
