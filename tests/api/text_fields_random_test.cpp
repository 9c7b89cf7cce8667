// Random indexes with text fields: changed ones answer as ones built at once, phrases stand in one
// field, and one field is an index without a schema.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using test::complaint;
using testing::HasSubstr;

/// Documents with texts in random fields, some of them empty.
class RandomTexts {
 public:
  RandomTexts(std::mt19937_64& random, std::size_t fields) : random_(random), fields_(fields) {}

  std::vector<std::string> draw() {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < fields_; ++i) {
      texts.emplace_back();
      for (std::size_t words = random_() % 3 == 0 ? 0 : random_() % 12; words > 0; --words) {
        texts.back() += word() + " ";
      }
    }
    return texts;
  }
  std::string word() { return "w" + std::to_string(random_() % (1 + random_() % 200)); }

 private:
  std::mt19937_64& random_;
  std::size_t fields_;
};

/// Some fields have positions where `by_field` is set, and at least one has none.
std::string random_schema(std::mt19937_64& random, std::size_t fields, bool by_field) {
  const std::size_t with = random() % fields;
  const std::size_t without = (with + 1 + random() % (fields - 1)) % fields;
  std::string json = R"({"fields": {)";
  for (std::size_t i = 0; i < fields; ++i) {
    json += std::string(i == 0 ? "" : ", ") + "\"f" + std::to_string(i) + R"(": {"type": "text")";
    if (random() % 2 == 0) json += R"(, "weight": )" + std::to_string(random() % 3);
    if (random() % 2 == 0) json += R"(, "analyzer": "whitespace")";
    if (by_field && (i == with || (i != without && random() % 2 == 0))) {
      json += R"(, "positions": true)";
    }
    json += "}";
  }
  return json + "}}";
}

/// Names and scores.
std::vector<std::pair<std::string, float>> named_hits(const Searcher& searcher,
                                                      const std::string& text,
                                                      const SearchOptions& options) {
  std::vector<std::pair<std::string, float>> hits;
  for (const auto hit : searcher.search(text, options)) hits.emplace_back(hit.id(), hit.score());
  return hits;
}

TEST(TextFieldsRandom, ChangedIndexesAnswerAsOnesBuiltAtOnce) {
  std::mt19937_64 random = test::generator(5710);
  for (int round = 0; round < 6; ++round) {
    const test::TemporaryFolder folder(test::place_in_memory());
    const std::size_t fields = 2 + random() % 3;
    RandomTexts texts(random, fields);
    const bool by_field = round % 3 == 2;
    const Schema schema = parse_schema(random_schema(random, fields, by_field));
    std::vector<std::pair<std::string, std::vector<std::string>>> live;
    const auto document = [&](const auto& of) {
      NewDocument added{.id = of.first};
      for (std::size_t i = 0; i < fields; ++i) added.fields["f" + std::to_string(i)] = of.second[i];
      return added;
    };
    NewIndex settings;
    settings.schema = schema;
    settings.positions = round % 3 == 1;
    settings.codec.kind = round < 3 ? CodecKind::kBitpack : CodecKind::kPfor;
    std::vector<std::string> placed;  // what a phrase may begin with, by where it is searched
    if (settings.positions) placed.emplace_back();
    for (const Field& field : schema.fields) {
      if (settings.positions || field.positions) placed.push_back(field.name + ":");
    }
    {
      std::optional<Writer> writer;
      writer.emplace(folder / "index", settings, WriterOptions{.journal = round % 2 == 0});
      for (int step = 0; step < 60; ++step) {
        if (random() % 3 > 0 || live.empty()) {
          live.emplace_back("d" + std::to_string(round * 1000 + step), texts.draw());
          writer->add(document(live.back()));
        } else if (random() % 2 == 0) {
          const auto changed = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
          std::rotate(changed, changed + 1, live.end());
          live.back().second = texts.draw();
          writer->update(document(live.back()));
        } else {
          const auto gone = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
          EXPECT_TRUE(writer->remove(gone->first));
          live.erase(gone);
        }
        if (random() % 8 == 0) writer->commit();
        if (round % 2 == 0 && random() % 8 == 0) {  // what is not committed is in the journal
          writer->sync();
          writer.reset();
          writer.emplace(folder / "index", NewIndex{}, WriterOptions{.journal = true});
        }
      }
      writer->commit();
    }
    ASSERT_EQ(verify_index(folder / "index").problems, std::vector<std::string>());
    std::vector<Document> documents;
    for (const auto& [id, own] : live) documents.push_back({.id = id, .texts = own});
    BuildOptions build;
    build.output = folder / "anew";
    build.schema = schema;
    build.positions = settings.positions;
    build.codec = settings.codec;
    build_index(*documents_from_memory(std::move(documents)), build);
    const Searcher changed(folder / "index");
    const Searcher anew(folder / "anew");
    std::size_t found = 0;
    for (int i = 0; i < 200; ++i) {
      std::string text;
      for (std::size_t words = 1 + random() % 4; words > 0; --words) {
        if (random() % 4 == 0) text += random() % 2 == 0 ? "+" : "-";
        if (!placed.empty() && random() % 4 == 0) {
          text += placed[random() % placed.size()] + "\"" + texts.word() + " " + texts.word() +
                  "\"~" + std::to_string(random() % 4) + " ";
          continue;
        }
        if (random() % 2 == 0) text += "f" + std::to_string(random() % fields) + ":";
        text += texts.word() + (random() % 6 == 0 ? "* " : random() % 6 == 0 ? "~1 " : " ");
      }
      SearchOptions options;
      options.k = 1 + static_cast<std::uint32_t>(random() % 30);
      options.mode = random() % 2 == 0 ? QueryMode::kAnd : QueryMode::kOr;
      options.syntax = QuerySyntax::kLucene;
      options.scorer.kind = random() % 2 == 0 ? ScorerKind::kBm25 : ScorerKind::kQueryLikelihood;
      options.searched.type = random() % 2 == 0 ? FieldsType::kBestFields : FieldsType::kMostFields;
      const auto wanted = named_hits(anew, text, options);
      ASSERT_EQ(named_hits(changed, text, options), wanted) << text;
      found += wanted.size();
    }
    EXPECT_GT(found, 0U);  // few where documents are short
    Writer(folder / "index").merge();
    {
      Writer writer(folder / "index");
      writer.merge();
      writer.commit();
    }
    const Index merged = Index::open(folder / "index");
    const Index whole = Index::open(folder / "anew");
    ASSERT_EQ(merged.section_infos().size(), whole.section_infos().size());
    for (std::size_t i = 0; i < whole.section_infos().size(); ++i) {
      EXPECT_EQ(merged.section_infos()[i].name, whole.section_infos()[i].name);
      EXPECT_EQ(merged.section_infos()[i].checksum, whole.section_infos()[i].checksum)
          << whole.section_infos()[i].name;
    }
  }
}

/// Three texts of few words, which stand between spaces.
std::vector<Document> short_texts(std::mt19937_64& random, std::size_t count) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    documents.push_back({.id = std::to_string(i), .texts = {" ", " ", " "}});
    for (std::string& text : documents.back().texts) {
      for (std::size_t words = random() % 9; words > 0; --words) {
        text += std::string(1, static_cast<char>('a' + random() % 6)) + " ";
      }
    }
  }
  return documents;
}

/// Which documents have a phrase in one of the texts that are set, by the texts themselves.
std::set<std::string> with_phrase(const std::vector<Document>& documents, const std::string& phrase,
                                  const std::vector<bool>& texts) {
  std::set<std::string> found;
  for (const Document& document : documents) {
    for (std::size_t text = 0; text < texts.size(); ++text) {
      const bool is_there = document.texts[text].find(" " + phrase + " ") != std::string::npos;
      if (texts[text] && is_there) found.insert(document.id);
    }
  }
  return found;
}

/// Each set of fields with positions; where there are none, `index --positions` gives all.
TEST(TextFieldsRandom, PhrasesStandInOneFieldWithPositions) {
  std::mt19937_64 random = test::generator(5712);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::string names = "xyz";
  SearchOptions options;
  options.k = 1'000;
  options.syntax = QuerySyntax::kLucene;
  for (std::size_t set = 0; set < 8; ++set) {
    const auto has = [&](std::size_t field) { return set == 0 || (set >> field & 1) != 0; };
    const std::vector<Document> documents = short_texts(random, 300);
    BuildOptions build;
    build.output = folder / "index";
    build.analyzer = "whitespace";
    build.positions = set == 0;
    for (std::size_t i = 0; i < 3; ++i) {
      build.schema.fields.push_back({.name = {names[i]}, .positions = (set >> i & 1) != 0});
    }
    build_index(*documents_from_memory(documents), build);
    EXPECT_EQ(verify_index(folder / "index").problems, std::vector<std::string>());
    const Searcher searcher(folder / "index");
    for (int i = 0; i < 60; ++i) {
      std::string phrase;
      for (int word = 0; word < 2 + i % 2; ++word) {
        phrase += (word == 0 ? "" : " ") + std::string(1, static_cast<char>('a' + random() % 6));
      }
      for (std::size_t field = 0; field <= 3; ++field) {
        const std::string text =
            (field == 3 ? "" : std::string{names[field], ':'}) + "\"" + phrase + "\"";
        if (field == 3 ? !(has(0) && has(1) && has(2)) : !has(field)) {
          EXPECT_THAT(complaint<InputError>([&] { searcher.search(text, options); }),
                      HasSubstr("' has no positions of words (those with positions: '"));
          continue;
        }
        std::set<std::string> found;
        for (const auto hit : searcher.search(text, options)) found.emplace(hit.id());
        const std::vector<bool> texts{field % 3 == 0, field == 1 || field == 3,
                                      field == 2 || field == 3};
        ASSERT_EQ(found, with_phrase(documents, phrase, texts)) << text << " of set " << set;
      }
    }
  }
}

TEST(TextFieldsRandom, OneFieldIsAnIndexWithoutASchema) {
  std::mt19937_64 random = test::generator(5711);
  const test::TemporaryFolder folder(test::place_in_memory());
  RandomTexts texts(random, 1);
  std::vector<Document> with;
  std::vector<Document> without;
  for (int i = 0; i < 2'000; ++i) {
    const std::vector<std::string> own = texts.draw();
    with.push_back({.id = std::to_string(i), .texts = own});
    without.push_back({.id = std::to_string(i), .text = own[0]});
  }
  BuildOptions build;
  build.output = folder / "without";
  build_index(*documents_from_memory(std::move(without)), build);
  build.output = folder / "with";
  build.schema = parse_schema(R"({"fields": {"body": {"type": "text", "weight": 3}}})");
  build_index(*documents_from_memory(std::move(with)), build);
  const Index one = Index::open(folder / "with");
  const Index plain = Index::open(folder / "without");
  ASSERT_EQ(one.section_infos().size(), plain.section_infos().size());
  for (std::size_t i = 0; i < plain.section_infos().size(); ++i) {
    EXPECT_EQ(one.section_infos()[i].checksum, plain.section_infos()[i].checksum);
  }
  const Searcher searcher(folder / "with");
  const Searcher other(folder / "without");
  for (int i = 0; i < 100; ++i) {
    const std::string text = texts.word() + " +" + texts.word() + " -" + texts.word();
    for (const QuerySyntax syntax :
         {QuerySyntax::kPlain, QuerySyntax::kSigned, QuerySyntax::kLucene}) {
      SearchOptions options;
      options.syntax = syntax;
      ASSERT_EQ(named_hits(searcher, text, options), named_hits(other, text, options)) << text;
    }
  }
  SearchOptions lucene;
  lucene.syntax = QuerySyntax::kLucene;
  EXPECT_EQ(named_hits(searcher, "body:w1", lucene), named_hits(other, "w1", lucene));
}

}  // namespace
}  // namespace warpdex
