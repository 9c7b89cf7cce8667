// Vectors that a schema names: as JSON, in documents, in segments, and damaged ones. Searches are
// tested in tests/query.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kVectors = R"({"fields": {
    "near": {"type": "vector", "dimension": 3, "metric": "l2"},
    "like": {"type": "vector", "dimension": 2, "metric": "cosine", "store": "half"}}})";

template <class Failure, class Call>
std::string why_not(const Call& call) {
  try {
    call();
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(VectorSchema, IsReadAsItIsWritten) {
  const std::string json =
      R"({"fields":{"a":{"type":"vector","dimension":7,"metric":"ip","store":"float"},)"
      R"("b":{"type":"vector","dimension":8,"metric":"l2","store":"half","index":)"
      R"({"kind":"ivf-xfbq","lists":5,"bits":3,"rotated":true,"corrected":true,"clip":0.25,)"
      R"("seed":9}},"year":{"type":"int"}}})";
  const Schema schema = parse_schema(json);
  EXPECT_EQ(schema_to_json(schema), json);
  EXPECT_EQ(parse_schema(schema_to_json(schema)), schema);
  EXPECT_EQ(schema.fields[0].vectors, (vector::RowSettings{.dimension = 7}));
  const vector::RowSettings& coded = schema.fields[1].vectors;
  EXPECT_EQ(coded.metric, vector::Metric::kL2);
  EXPECT_EQ(coded.store, vector::Store::kHalf);
  EXPECT_EQ(coded.index.kind, "ivf-xfbq");
  EXPECT_EQ(coded.index.clip, 0.25);
  ASSERT_EQ(columns_of(schema).size(), 1U);
  ASSERT_EQ(vector_fields(schema).size(), 2U);
  const Schema brief =
      parse_schema(R"({"fields": {"v": {"type": "vector", "dimension": 2, "index": "sq8"}}})");
  EXPECT_EQ(brief.fields[0].vectors.index.kind, "sq8");
}

TEST(VectorSchema, MistakesAreNamed) {
  const auto refusal = [](const std::string& members) {
    return why_not<UsageError>(
        [&] { parse_schema(R"({"fields": {"v": {"type": "vector")" + members + "}}}"); });
  };
  for (const char* dimension : {"", ", \"dimension\": 0", ", \"dimension\": 4097",
                                ", \"dimension\": \"3\"", ", \"dimension\": 1.5"}) {
    EXPECT_THAT(refusal(dimension), HasSubstr("the field 'v': 'dimension'")) << dimension;
  }
  const auto with = [&](const std::string& member) {
    return refusal(R"(, "dimension": 3, )" + member);
  };
  EXPECT_THAT(with(R"("metric": "near")"), HasSubstr("the field 'v': "));
  EXPECT_THAT(with(R"("metric": "near")"), HasSubstr("'near'"));
  EXPECT_THAT(with(R"("store": "byte")"), HasSubstr("'byte'"));
  EXPECT_THAT(with(R"("index": "graph")"), HasSubstr("'graph'"));
  EXPECT_THAT(with(R"("index": 7)"), HasSubstr("'index' must be a kind or an object"));
  EXPECT_THAT(with(R"("index": {"kind": "ivf-pq", "list": 3})"), HasSubstr("unknown"));
  EXPECT_THAT(with(R"("index": {"kind": "ivf-pq", "pq_bits": 5})"), HasSubstr("the field 'v': "));
  EXPECT_THAT(with(R"("multiple": true)"), HasSubstr("a member that is unknown"));
  EXPECT_THAT(with(R"("metric": "l2", "metric": "ip")"), HasSubstr("there twice"));
}

class VectorFieldsIndex : public testing::Test {
 protected:
  std::vector<Document> documents(std::size_t first, std::size_t count) {
    std::vector<Document> made;
    for (std::size_t i = first; i < first + count; ++i) {
      Document& document = made.emplace_back(Document{"d" + std::to_string(i), "some text"});
      for (const Field& field : vector_fields(options_.schema)) {
        std::vector<float>& vector = document.embeddings.emplace_back(field.vectors.dimension);
        for (float& component : vector) component = static_cast<float>(random_() % 50) + 0.5F;
      }
    }
    return made;
  }
  BuildOptions options() const {
    BuildOptions options;
    options.output = index_;
    options.threads = 2;
    options.schema = parse_schema(kVectors);
    return options;
  }

  std::mt19937_64 random_ = test::generator(734);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
  BuildOptions options_ = options();
};

TEST_F(VectorFieldsIndex, SectionsHaveTheBytesOfVectorsWithoutNames) {
  const std::vector<Document> all = documents(0, 50);
  build_index(*documents_from_memory(all), options_);
  EXPECT_THAT(test::read_file(index_ / kManifestName), HasSubstr("\"version\": 8"));
  const std::vector<VectorSet> sets = vector_sets(Snapshot::open(index_).settings());
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<Document> one = all;
    for (Document& document : one) {
      document.embedding = document.embeddings[set];
      document.embeddings.clear();
    }
    BuildOptions alone = options_;
    alone.output = folder_ / "alone";
    alone.schema = {};
    alone.vectors = sets[set].rows;
    build_index(*documents_from_memory(one), alone);
    EXPECT_THAT(test::read_file(alone.output / kManifestName), HasSubstr("\"version\": 4"));
    for (const std::string name : {"vectors", "norms", "centre"}) {
      constexpr std::size_t kHeader = 64;
      const auto bytes = [&](const fs::path& index, const std::string& file) {
        return test::read_file(index / "segment-0" / file).substr(kHeader);
      };
      EXPECT_EQ(bytes(index_, sets[set].prefix + name), bytes(alone.output, name)) << name;
    }
  }
}

TEST_F(VectorFieldsIndex, GrownOnesMergeToTheBytesOfOneBuild) {
  const std::vector<Document> all = documents(0, 130);
  build_index(*documents_from_memory({all.begin(), all.begin() + 31}), options_);
  {
    LivingIndex living(index_);
    living.add(*documents_from_memory({all.begin() + 31, all.begin() + 33}));
    living.commit();
    living.add(*documents_from_memory({all.begin() + 33, all.end()}));
    living.merge({.all = true, .threads = 1});
    living.commit();
  }
  BuildOptions once = options_;
  once.output = folder_ / "once";
  build_index(*documents_from_memory(all), once);
  EXPECT_EQ(test::checksums(index_), test::checksums(once.output));
  EXPECT_TRUE(verify_index(index_).ok());
}

TEST_F(VectorFieldsIndex, DocumentsWithoutFittingVectorsAreBad) {
  const auto refusal = [&](const std::function<void(Document&)>& spoil) {
    std::vector<Document> bad = documents(0, 3);
    spoil(bad[1]);
    return why_not<InputError>([&] { build_index(*documents_from_memory(bad), options_); });
  };
  EXPECT_THAT(refusal([](Document& d) { d.embeddings[1].push_back(1); }),
              HasSubstr("<memory>:2: document 'd1': its vector 'like' has 3 components, and the "
                        "index takes 2"));
  EXPECT_THAT(refusal([](Document& d) { d.embeddings[0].clear(); }),
              HasSubstr("'d1': its vector 'near' has 0 components"));
  EXPECT_THAT(refusal([](Document& d) { d.embeddings[0][2] = NAN; }),
              HasSubstr("its vector 'near' has a component that is no number"));
  std::vector<Document> fewer = documents(0, 2);
  fewer[0].embeddings.pop_back();
  EXPECT_THAT(why_not<UsageError>([&] { build_index(*documents_from_memory(fewer), options_); }),
              HasSubstr("the schema has 2 vectors, and a document came with 1"));
}

TEST_F(VectorFieldsIndex, JsonLinesGiveThem) {
  const auto read = [&](const std::string& lines, DocumentFormat format = DocumentFormat::kJsonl) {
    test::write_file(folder_ / "input", lines);
    const auto reader = open_documents({.format = format,
                                        .inputs = {(folder_ / "input").string()},
                                        .vectors = vector_fields(options_.schema)});
    std::vector<std::vector<std::vector<float>>> found;
    for (RawRecord record; reader->next(record);) found.push_back(reader->parse(record).embeddings);
    return found;
  };
  const std::vector<std::vector<std::vector<float>>> wanted{{{1, -2.5, 3e2}, {0, 1}},
                                                            {{4, 5, 6}, {7, 8}}};
  EXPECT_EQ(read(R"({"id": "a", "contents": "x", "like": [0, 1], "near": [1, -2.5, 3e2]})"
                 "\n"
                 R"({"near": [4, 5, 6], "id": "b", "contents": "x", "other": [9], "like": [7, 8]})"
                 "\n"),
            wanted);
  const auto refusal = [&](const std::string& members) {
    return why_not<BadDocument>(
        [&] { read("\n{\"id\": \"a\", \"contents\": \"x\", " + members + "}\n"); });
  };
  const std::string missing = "input:2: the member 'like' is missing or not an array of numbers";
  EXPECT_THAT(refusal(R"("near": [1])"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": null)"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": [])"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": "1, 2")"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": [1, "2"])"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": [[1, 2]])"), HasSubstr(missing));
  EXPECT_THAT(refusal(R"("near": [1], "like": [1, 2], "like": [1, 2])"), HasSubstr(missing));
  for (const DocumentFormat format : {DocumentFormat::kTsv, DocumentFormat::kCsv,
                                      DocumentFormat::kSparse, DocumentFormat::kText}) {
    EXPECT_THAT(why_not<UsageError>([&] { read("", format); }),
                HasSubstr("have no vectors, as 'near' of the schema"));
  }
}

TEST_F(VectorFieldsIndex, DamageIsFound) {
  build_index(*documents_from_memory(documents(0, 20)), options_);
  for (const char* name : {"vector_0_vectors", "vector_0_norms", "vector_0_centre",
                           "vector_1_vectors", "vector_1_norms"}) {
    const fs::path file = index_ / "segment-0" / name;
    const std::string good = test::read_file(file);
    for (int i = 0; i < 20; ++i) {
      std::string bad = good;
      const std::size_t place = 64 + random_() % (good.size() - 160);
      bad[place] = static_cast<char>(bad[place] ^ (1 << random_() % 8));
      test::write_file(file, bad);
      const VerifyReport report = verify_index(index_);
      ASSERT_FALSE(report.ok()) << name << " at " << place;
      EXPECT_THAT(report.problems[0], HasSubstr(name));
    }
    fs::resize_file(file, good.size() - 1);
    EXPECT_THROW(Snapshot::open(index_), FormatError) << name;
    fs::remove(file);
    EXPECT_THAT(why_not<FormatError>([&] { Snapshot::open(index_); }), HasSubstr(name));
    test::write_file(file, good);
  }
  EXPECT_TRUE(verify_index(index_).ok());
}

}  // namespace
}  // namespace warpdex
