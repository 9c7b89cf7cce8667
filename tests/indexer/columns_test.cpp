// Values of columns come back, whatever becomes of the index; what does not fit is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using ValuesById = std::map<std::string, FieldValues>;

Schema random_schema(std::mt19937_64& random) {
  Schema schema;
  for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
    Field field{"f" + std::to_string(i), static_cast<FieldType>(1 + random() % 5)};
    field.multiple = random() % 2 == 0;
    schema.fields.push_back(field);
  }
  return schema;
}

/// A value of a range that takes `bits` bits.
FieldValue random_value(std::mt19937_64& random, FieldType type, std::uint32_t bits) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto number = static_cast<std::int64_t>(random() & mask);
  switch (type) {
    case FieldType::kKeyword: return "k" + std::to_string(number % 1000);
    case FieldType::kFloat: return static_cast<double>(number % (1 << 30)) / 4 - 1000;
    case FieldType::kBool: return number % 2 == 1;
    case FieldType::kDate: return number / 1000 * 1000;
    default: return number - 5;
  }
}

/// `holes`: of 10 documents, how many have no value of a column.
std::vector<Document> random_documents(std::mt19937_64& random, const Schema& schema, int first,
                                       int count, std::uint32_t bits, unsigned holes) {
  std::vector<Document> documents;
  for (int i = first; i < first + count; ++i) {
    Document document{"d" + std::to_string(i), "x w" + std::to_string(random() % 50)};
    for (const Field& field : schema.fields) {
      auto& values = document.values.emplace_back();
      if (random() % 10 < holes) continue;
      const std::size_t most = field.multiple ? 1 + random() % 4 : 1;
      while (values.size() < most) values.push_back(random_value(random, field.type, bits));
      arrange_values(field, values);
    }
    documents.push_back(document);
  }
  return documents;
}

void note(const std::vector<Document>& documents, ValuesById& values) {
  for (const Document& document : documents) values[document.id] = document.values;
}

BuildOptions options_for(const fs::path& output, const Schema& schema, std::size_t threads = 1) {
  BuildOptions options = test::options_for(output);
  options.threads = threads;
  options.schema = schema;
  return options;
}

void expect_values(const fs::path& index, const ValuesById& wanted) {
  const Snapshot snapshot = Snapshot::open(index);
  ASSERT_EQ(snapshot.documents(), wanted.size());
  for (const auto& [id, values] : wanted) {
    const std::uint32_t document = snapshot.find_document(id).value();
    const Snapshot::Segment& segment = snapshot.segments()[snapshot.segment_of(document)];
    ASSERT_EQ(segment.index->field_values(document - segment.first_document), values) << id;
  }
  const VerifyReport report = verify_index(index);
  EXPECT_TRUE(report.ok()) << report.problems[0];
}

/// What the message of an exception says.
template <class Exception>
std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was refused";
}

class ColumnsTest : public testing::Test {
 protected:
  test::TemporaryFolder dir_;
  fs::path index_ = dir_ / "index";
};

TEST_F(ColumnsTest, ValuesOfAllWidthsComeBack) {
  std::mt19937_64 random = test::generator(91);
  for (const int count : {1, 63, 64, 65, 1000}) {
    for (const std::uint32_t bits : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 16U, 17U, 33U, 63U, 64U}) {
      const Schema schema = random_schema(random);
      const auto documents =
          random_documents(random, schema, 0, count, bits, random() % 3 == 0 ? 3 : 0);
      ValuesById values;
      note(documents, values);
      build_index(*documents_from_memory(documents), options_for(index_, schema));
      SCOPED_TRACE(schema_to_json(schema) + " bits " + std::to_string(bits));
      expect_values(index_, values);
    }
  }
}

TEST_F(ColumnsTest, BytesDependOnNoThreads) {
  std::mt19937_64 random = test::generator(92);
  const Schema schema = random_schema(random);
  const auto documents = random_documents(random, schema, 0, 5000, 20, 2);
  build_index(*documents_from_memory(documents), options_for(index_, schema, 1));
  const auto one = test::folder_bytes(index_);
  build_index(*documents_from_memory(documents), options_for(index_, schema, 4));
  EXPECT_EQ(test::folder_bytes(index_), one);
}

TEST_F(ColumnsTest, LiveWithTheIndex) {
  std::mt19937_64 random = test::generator(93);
  const Schema schema = random_schema(random);
  auto documents = random_documents(random, schema, 0, 300, 12, 2);
  ValuesById values;
  note(documents, values);
  build_index(*documents_from_memory(documents), options_for(index_, schema));
  {
    LivingIndex living(index_);
    AddOptions add;
    add.update = true;
    add.build.memory = kMinBuildMemory;
    const auto more = random_documents(random, schema, 250, 100, 30, 5);
    living.add(*documents_from_memory(more), add);
    note(more, values);
    for (int i = 10; i < 20; ++i) {
      EXPECT_TRUE(living.remove("d" + std::to_string(i)));
      values.erase("d" + std::to_string(i));
    }
    living.commit();
    expect_values(index_, values);
    living.merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
    living.commit();
  }
  expect_values(index_, values);
  RewriteOptions rewrite;
  rewrite.input = index_;
  rewrite.output = dir_ / "reordered";
  rewrite.memory = kMinBuildMemory;
  reorder_index(rewrite, {});
  expect_values(dir_ / "reordered", values);
  ConvertOptions convert;
  convert.rewrite = rewrite;
  convert.rewrite.output = dir_ / "converted";
  convert.codec.kind = CodecKind::kRice;
  convert_index(convert);
  expect_values(dir_ / "converted", values);
}

TEST_F(ColumnsTest, AMergeIsABuildOfWhatIsLive) {
  std::mt19937_64 random = test::generator(94);
  const Schema schema = random_schema(random);
  const auto documents = random_documents(random, schema, 0, 700, 9, 2);
  const std::vector<Document> first(documents.begin(), documents.begin() + 300);
  const std::vector<Document> rest(documents.begin() + 300, documents.end());
  build_index(*documents_from_memory(first), options_for(index_, schema));
  LivingIndex living(index_);
  AddOptions add;
  add.build.memory = kMinBuildMemory;
  living.add(*documents_from_memory(rest), add);
  living.merge({.all = true, .memory = kMinBuildMemory, .threads = 1});
  living.commit();
  build_index(*documents_from_memory(documents), options_for(dir_ / "once", schema));
  EXPECT_EQ(test::checksums(index_), test::checksums(dir_ / "once"));
}

TEST_F(ColumnsTest, DamageIsFound) {
  const Schema schema = parse_schema(
      R"({"fields": {"k": {"type": "keyword", "multiple": true}, "n": {"type": "int"}}})");
  std::mt19937_64 random = test::generator(95);
  const auto documents = random_documents(random, schema, 0, 100, 6, 2);
  build_index(*documents_from_memory(documents), options_for(index_, schema));
  for (const char* name : {"column_0", "column_1"}) {
    const fs::path file = index_ / "segment-0" / name;
    const std::uint64_t size = fs::file_size(file);
    for (std::uint64_t place = 64; place + 96 < size; ++place) {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(place));
      const auto byte = static_cast<char>(stream.get());
      const auto set = [&](char to) {
        stream.seekp(static_cast<std::streamoff>(place));
        stream.put(to).flush();
      };
      set(static_cast<char>(byte ^ static_cast<char>(1 << random() % 8)));
      EXPECT_FALSE(verify_index(index_).ok());
      try {  // a search must survive any bytes
        const Snapshot snapshot = Snapshot::open(index_);
        for (std::uint32_t i = 0; i < 100; ++i) {
          try {
            snapshot.segments()[0].index->field_values(i);
          } catch (const FormatError&) {
          }
        }
      } catch (const FormatError&) {
      }
      set(byte);
    }
  }
  EXPECT_TRUE(verify_index(index_).ok());
}

class ColumnReaderTest : public ColumnsTest {
 protected:
  /// The values of the documents of a file.
  std::vector<FieldValues> read(DocumentFormat format, const std::string& text,
                                const std::string& schema) {
    const fs::path file = dir_ / "input";
    std::ofstream(file) << text;
    ReaderOptions options{.format = format, .inputs = {file}};
    options.columns = columns_of(parse_schema(schema));
    const auto reader = open_documents(options);
    std::vector<FieldValues> values;
    for (RawRecord record; reader->next(record);) values.push_back(reader->parse(record).values);
    return values;
  }
  static std::string json_of(const std::string& value) {
    return R"({"id": "a", "contents": "x", "f": )" + value + "}\n";
  }
  std::string refusal_of(const std::string& type, const std::string& value) {
    return complaint<BadDocument>([&] {
      read(DocumentFormat::kJsonl, json_of(value), R"({"fields": {"f": )" + type + "}}");
    });
  }
};

TEST_F(ColumnReaderTest, JsonGivesValues) {
  const std::string schema = R"({"fields": {
      "k": {"type": "keyword", "multiple": true}, "i": {"type": "int"}, "f": {"type": "float"},
      "d": {"type": "date"}, "b": {"type": "bool"}}})";
  const auto values = read(
      DocumentFormat::kJsonl,
      R"({"id": "a", "contents": "x", "k": ["z", "a", "z"], "i": 3.0, "f": 2, "d": "1970-01-02",)"
      R"( "b": true, "other": [1, [2]]})"
      "\n"
      R"({"id": "b", "contents": "x", "k": "one", "i": null, "d": 5})"
      "\n",
      schema);
  const std::vector<FieldValues> wanted{{{std::string("a"), std::string("z")},
                                         {std::int64_t{3}},
                                         {2.0},
                                         {std::int64_t{86'400'000}},
                                         {true}},
                                        {{std::string("one")}, {}, {}, {std::int64_t{5}}, {}}};
  EXPECT_EQ(values, wanted);
}

TEST_F(ColumnReaderTest, CsvGivesValues) {
  const auto values = read(DocumentFormat::kCsv, "id,contents,n,d\na,x,7,1970\nb,y,,\n",
                           R"({"fields": {"n": {"type": "int"}, "d": {"type": "date"}}})");
  const std::vector<FieldValues> wanted{{{std::int64_t{7}}, {std::int64_t{0}}}, {{}, {}}};
  EXPECT_EQ(values, wanted);
}

TEST_F(ColumnReaderTest, WhatDoesNotFitIsNamed) {
  const std::string text = R"({"type": "int"})";
  EXPECT_THAT(refusal_of(text, "\"7\""), HasSubstr("input:1: the field 'f' has the value '7'"));
  EXPECT_THAT(refusal_of(text, "1.5"), HasSubstr("'1.5'; it takes a whole number of 64 bits"));
  for (const char* past : {"9223372036854775808", "-9223372036854775809", "-9223372036854776000",
                           "9007199254740993.5", "1e19"}) {
    EXPECT_THAT(refusal_of(text, past), HasSubstr("a whole number of 64 bits")) << past;
  }
  EXPECT_THAT(refusal_of(text, "[1, 2]"), HasSubstr("has 2 values, and the schema allows one"));
  EXPECT_THAT(refusal_of(text, "{\"a\": 1}"), HasSubstr("a value that is an object"));
  EXPECT_THAT(refusal_of(text, "[[1]]"), HasSubstr("a value that is an array"));
  EXPECT_THAT(refusal_of(text, "[null]"), HasSubstr("a value that is null"));
  EXPECT_THAT(refusal_of(R"({"type": "bool"})", "1"), HasSubstr("it takes true or false"));
  EXPECT_THAT(refusal_of(R"({"type": "keyword"})", "1"), HasSubstr("it takes a string"));
  EXPECT_THAT(refusal_of(R"({"type": "date"})", "\"1990-02-30\""),
              HasSubstr("the field 'f': '1990-02-30' is no date that exists"));
}

TEST_F(ColumnReaderTest, WholeNumbersAreExact) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::string line =
      "{\"id\": 1, \"contents\": \"\", \"n\": [-9223372036854775808, "
      "9223372036854775807, 9007199254740991.0, 1e15, -2.0]}\n";
  const auto values =
      read(DocumentFormat::kJsonl, line, R"({"fields": {"n": {"type": "int", "multiple": true}}})");
  const std::vector<FieldValues> wanted{
      {{kLeast, std::int64_t{-2}, std::int64_t{1'000'000'000'000'000},
        std::int64_t{9'007'199'254'740'991}, std::numeric_limits<std::int64_t>::max()}}};
  EXPECT_EQ(values, wanted);
  const Field field{.name = "n", .type = FieldType::kInt};
  for (const char* past : {"-9223372036854775809", "9007199254740993.0", "4611686018427387904.1"}) {
    EXPECT_THROW(value_of_text(field, past), InputError) << past;
  }
  EXPECT_THROW(value_for(field, -9223372036854775808.0), InputError);
}

TEST_F(ColumnReaderTest, FormatsWithoutFieldsAreRefused) {
  EXPECT_THAT(complaint<UsageError>([&] {
                read(DocumentFormat::kTsv, "a\tx\n", R"({"fields": {"n": {"type": "int"}}})");
              }),
              HasSubstr("have no fields, as 'n' of the schema"));
}

TEST(Dates, AreMillisecondsOfUtc) {
  const std::map<std::string, std::int64_t> dates{
      {"1970", 0},
      {"1970-02", 31 * 86'400'000LL},
      {"1969-12-31", -86'400'000},
      {"2000-02-29", 951'782'400'000},
      {"1970-01-01T00:00", 0},
      {"1970-01-01T01:00:00+01:00", 0},
      {"1970-01-01T00:00:00-0030", 1'800'000},
      {"1970-01-01 00:00:01.5Z", 1500},
      {"1970-01-01T00:00:00.123456Z", 123},
      {"0000-01-01", -62'167'219'200'000},
      {"9999-12-31T23:59:59.999Z", 253'402'300'799'999}};
  for (const auto& [text, milliseconds] : dates) {
    EXPECT_EQ(parse_date(text), milliseconds) << text;
    EXPECT_EQ(parse_date(date_text(milliseconds)), milliseconds) << text;
  }
  for (const char* text :
       {"", "90", "1990-", "1990-13", "1900-02-29", "1990-1-1", "1990-01-01T", "1990-01-01T24:00",
        "1990-01-01T00:60", "1990-01-01T00:00Zx", "1990-01-01T00:00:00.", "x", "1990-01-01T0"}) {
    EXPECT_THROW(parse_date(text), InputError) << text;
  }
}

}  // namespace
}  // namespace warpdex
