// Schemas: what they accept and refuse, and that what is written is what was read.
#include <gmock/gmock.h>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {
namespace {

using ::testing::HasSubstr;

std::string refusal_of_schema(const std::string& json) {
  try {
    parse_schema(json);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(SchemaJson, ReadsFieldsInTheirOrder) {
  const Schema schema = parse_schema(R"({"fields": {
      "title": {"type": "text", "analyzer": "german", "positions": true, "weight": 2.5},
      "contents": {"type": "text"},
      "tags": {"type": "keyword", "multiple": true}, "year": {"type": "int"},
      "price": {"type": "float"}, "added": {"type": "date"}, "draft": {"type": "bool"}}})");
  const Schema expected{{{"title", FieldType::kText, "german", true, false, 2.5F},
                         {"contents"},
                         {"tags", FieldType::kKeyword, "", false, true},
                         {"year", FieldType::kInt},
                         {"price", FieldType::kFloat},
                         {"added", FieldType::kDate},
                         {"draft", FieldType::kBool}}};
  EXPECT_EQ(schema, expected);
  EXPECT_EQ(schema.find("tags"), 2);
  EXPECT_EQ(schema.find("tag"), std::nullopt);
}

TEST(SchemaJson, IsWrittenAsItIsRead) {
  const Schema schema = parse_schema(R"({"fields": {
      "a.b-c_1": {"type": "text", "analyzer": {"tokenizer": "standard", "filters": ["lowercase"]}},
      "d": {"type": "text", "weight": 0}, "e": {"type": "date", "multiple": true}}})");
  EXPECT_EQ(parse_schema(schema_to_json(schema)), schema);
  EXPECT_EQ(schema_to_json(parse_schema(R"({"fields":{"a":{"type":"text","positions":false}}})")),
            R"({"fields":{"a":{"type":"text"}}})");
}

TEST(SchemaJson, RefusesWhatIsNone) {
  EXPECT_THAT(refusal_of_schema("{"), HasSubstr("not JSON, at byte 1"));
  EXPECT_THAT(refusal_of_schema("[]"), HasSubstr("an object with the member 'fields'"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {}})"), HasSubstr("1 to 255 fields"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": "text"}})"), HasSubstr("the member 'type'"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": {"type": "txt"}}})"),
              HasSubstr("the field 'a' must have the type text, keyword"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": {"type": "int", "weight": 2}}})"),
              HasSubstr("the field 'a', of type int, has the unknown member 'weight'"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": {"type": "text", "weight": -1}}})"),
              HasSubstr("'weight' must be a number from 0"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": {"type": "text", "analyzer": "elvish"}}})"),
              HasSubstr("the field 'a': "));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"id": {"type": "text"}}})"),
              HasSubstr("'id' names documents"));
  EXPECT_THAT(refusal_of_schema(R"({"fields": {"a": {"type": "int"}, "a": {"type": "int"}}})"),
              HasSubstr("'a' is there twice"));
  for (const std::string name : {"", "_a", "1a", "a b", "a:b", "\u00e4"}) {
    const std::string json = R"({"fields": {")" + name + R"(": {"type": "int"}}})";
    EXPECT_THAT(refusal_of_schema(json), HasSubstr("must have a name of letters")) << name;
  }
}

}  // namespace
}  // namespace warpdex
