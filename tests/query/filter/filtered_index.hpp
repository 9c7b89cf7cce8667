// Documents with columns and vectors, and random filters and queries for them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/reference/filters.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/query/scorer.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::test {

/// Documents with columns and vectors, some of them removed again, in several segments.
class FilteredIndex {
 public:
  FilteredIndex(std::uint64_t stream, CodecKind codec, std::size_t documents, bool changes)
      : random_(generator(stream)), schema_(reference::random_schema(random_)) {
    std::vector<Document> all;
    for (std::size_t i = 0; i < documents; ++i) all.push_back(new_document(i));
    const auto built = changes ? documents / 2 : documents;
    BuildOptions options;
    options.output = index();
    options.analyzer = "whitespace";
    options.codec.kind = codec;
    options.threads = 1;
    options.schema = schema_;
    options.vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, kDimension};
    const auto place = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    build_index(*documents_from_memory({all.begin(), place(built)}), options);
    for (const Document& document : all) documents_.emplace(document.id, document);
    if (!changes) return;
    LivingIndex living(index());
    AddOptions add;
    add.build.threads = 1;
    for (std::size_t first = built; first < documents; first += documents / 8) {
      const std::size_t end = std::min(documents, first + documents / 8);
      living.add(*documents_from_memory({place(first), place(end)}), add);
      living.commit();
    }
    for (std::size_t i = 0; i < documents; i += 7) {
      EXPECT_TRUE(living.remove(all[i].id));
      documents_.erase(all[i].id);
    }
    living.commit();
  }

  std::filesystem::path index() const { return folder_ / "index"; }
  const Schema& schema() const { return schema_; }
  std::mt19937_64& random() { return random_; }
  const std::map<std::string, Document>& documents() const { return documents_; }

  /// One that lets few, some or most documents through.
  FilterNode filter() {
    if (random_() % 3 != 0) return reference::random_filter(random_, schema_);
    FilterNode few{FilterNode::Kind::kIn, "id"};
    for (std::size_t i = random_() % 20; i > 0; --i) {
      few.values.push_back("d" + std::to_string(random_() % documents_.size()));
    }
    return few;
  }

  bool passes(const FilterNode& filter, std::string_view id) const {
    const auto document = documents_.find(std::string(id));
    return document != documents_.end() &&
           reference::passes(filter, schema_, document->first, document->second.values);
  }

  Query query() {
    Query query;
    for (std::uint64_t count = 1 + random_() % 5; count > 0; --count) {
      const Occur occur = random_() % 8 == 0   ? Occur::kMust
                          : random_() % 8 == 0 ? Occur::kMustNot
                                               : Occur::kUnsigned;
      query.terms.push_back({word(), occur, random_() % 4 == 0 ? 1.5F : 1.0F});
    }
    return query;
  }

  SearchSettings settings() {
    SearchSettings settings;
    settings.mode = static_cast<QueryMode>(random_() % 3);
    constexpr std::uint32_t kFilteredSizes[] = {1, 3, 10, 100, 1000};
    settings.k = kFilteredSizes[random_() % 5];
    settings.count = random_() % 2 == 0;
    const auto scorers = named_scorers();
    settings.scorer.kind = scorers[random_() % scorers.size()];
    return settings;
  }

  std::vector<float> vector() {
    std::vector<float> vector(kDimension);
    for (float& component : vector) component = static_cast<float>(random_() % 200) / 8;
    return vector;
  }

 private:
  static constexpr std::size_t kDimension = 3;

  std::string word() {
    const double uniform = static_cast<double>(random_() % 1'000'000) / 1e6;
    return "w" + std::to_string(static_cast<int>(std::pow(1000.0, uniform)));
  }
  Document new_document(std::size_t number) {
    Document document{"d" + std::to_string(number), ""};
    for (std::uint64_t words = random_() % 30; words > 0; --words) document.text += word() + " ";
    document.values = reference::random_values(random_, schema_);
    document.embedding = vector();
    return document;
  }

  const TemporaryFolder folder_{place_in_memory()};
  std::mt19937_64 random_;
  Schema schema_;
  std::map<std::string, Document> documents_;  ///< live ones
};

}  // namespace warpdex::test
