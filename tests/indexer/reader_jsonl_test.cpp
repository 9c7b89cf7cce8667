// The JSONL reader: members, escapes, and every way in which a line can be bad.
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "tests/indexer/reader_support.hpp"

namespace warpdex::test::reading {
namespace {

Collection read_jsonl(const std::string& bytes, std::vector<std::string> fields = {"contents"},
                      const std::string& name = "docs.jsonl") {
  const TemporaryFolder folder;
  return read_bytes(folder, name, bytes, {.fields = std::move(fields)});
}

// A writer apart from any library: each character as itself or by one of its escapes.
std::string quoted(const std::string& text, std::mt19937_64& random) {
  std::string json = "\"";
  const auto escape_unit = [&](unsigned unit) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, random() % 2 == 0 ? "\\u%04x" : "\\u%04X", unit);
    json += buffer;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned code_point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t j = 1; j < size; ++j) code_point = code_point << 6 | (text[i + j] & 0x3F);
    const bool must = lead < 0x20 || lead == '"' || lead == '\\';
    if (lead == '\n' && random() % 2 == 0) {
      json += "\\n";
    } else if (lead == '/' && random() % 2 == 0) {
      json += "\\/";
    } else if ((lead == '"' || lead == '\\') && random() % 2 == 0) {
      json += {'\\', text[i]};
    } else if (must || random() % 5 == 0) {
      if (code_point >= 0x10000) {
        escape_unit(0xD800 + ((code_point - 0x10000) >> 10));
        escape_unit(0xDC00 + ((code_point - 0x10000) & 0x3FF));
      } else {
        escape_unit(code_point);
      }
    } else {
      json.append(text, i, size);
    }
    i += size;
  }
  return json + '"';
}

// A value that no reader should mind.
std::string random_value(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 4 ? 5 : 7)) {
    case 0: return "null";
    case 1: return "false";
    case 2: return "-12.5e+300";
    case 3: return "123456789012345678901234567890";
    case 4: return quoted(random_text(random, random() % 9), random);
    case 5:
      return "[" + random_value(random, depth + 1) + " , " + random_value(random, depth + 1) + "]";
    default:
      return "{\"contents\": " + random_value(random, depth + 1) +
             ",\"id\":" + random_value(random, depth + 1) + "}";
  }
}

TEST(JsonlReader, ReadsBackWhatAnotherWriterWrote) {
  std::mt19937_64 random = generator(20);
  std::vector<Document> expected;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    const std::string id = std::to_string(i) + (i % 3 == 0 ? "\xC3\xA9" : "");
    const std::string title = random_text(random, random() % 20);
    const std::string contents = random_text(random, random() % 300);
    std::vector<std::string> members{"\"contents\" : " + quoted(contents, random),
                                     quoted("title", random) + ":" + quoted(title, random),
                                     "\"x\":" + random_value(random, 0),
                                     "\"other\":" + random_value(random, 0), "\"docno\":null"};
    members.push_back((i % 2 == 0 ? "\"id\":" : "\"_id\":\t") + quoted(id, random));
    std::shuffle(members.begin(), members.end(), random);
    bytes += i % 7 == 0 ? "  { " : "{";
    for (std::size_t j = 0; j < members.size(); ++j) bytes += (j > 0 ? " ," : "") + members[j];
    bytes += i % 5 == 0 ? "}\r\n" : "}\n";
    if (i % 11 == 0) bytes += " \t\n";
    expected.push_back({id, title + "\n" + contents});
  }
  for (const std::string& suffix : kSuffixes) {
    const std::string name = "docs.jsonl" + suffix;
    expect_documents(read_jsonl(pack(bytes, suffix), {"title", "contents"}, name), expected);
  }
}

TEST(JsonlReader, TakesIdsUnderThreeNames) {
  expect_documents(
      read_jsonl("{\"id\":\"a\",\"contents\":\"x\"}\n"
                 "{\"_id\":\"b\",\"contents\":\"y\"}\n"
                 "{\"docno\":\"c\",\"contents\":\"\"}\n"
                 "{\"docno\":\"no\",\"_id\":{\"$oid\":1},\"id\":7,\"contents\":\"z\"}\n"
                 "{\"id\":null,\"_id\":-12,\"contents\":\"z\"}\n"
                 "{\"contents\":\"z\",\"id\":123456789012345678901234567890}"),
      {{"a", "x"},
       {"b", "y"},
       {"c", ""},
       {"7", "z"},
       {"-12", "z"},
       {"123456789012345678901234567890", "z"}});
}

TEST(JsonlReader, JoinsTheFieldsThatAreThereInTheirOrder) {
  const std::string bytes =
      "{\"_id\":\"1\",\"text\":\"b\",\"title\":\"a\"}\n{\"_id\":\"2\",\"text\":\"b\"}\n"
      "{\"_id\":\"3\",\"title\":null,\"text\":\"b\"}\n{\"_id\":\"4\",\"title\":\"\",\"text\":"
      "\"b\"}";
  expect_documents(read_jsonl(bytes, {"title", "text"}),
                   {{"1", "a\nb"}, {"2", "b"}, {"3", "b"}, {"4", "\nb"}});
  expect_documents(read_jsonl("{\"id\":\"x\",\"contents\":\"y\"}", {"contents", "id"}),
                   {{"x", "y\nx"}});
}

TEST(JsonlReader, UnescapesEverything) {
  const std::string nul("a\0b", 3);
  expect_documents(
      read_jsonl("{\"id\":\"\\u0031\",\"contents\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D"
                 "\\ude00\"}\n{\"i\\u0064\":\"2\",\"contents\":\"a\\u0000b\"}"),
      {{"1", "\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80"}, {"2", nul}});
}

TEST(JsonlReader, HasNothingToReadInEmptyAndBlankFiles) {
  for (const std::string& suffix : kSuffixes) {
    for (const std::string bytes : {"", "\n", "\r\n\r\n \t\n", "\xEF\xBB\xBF", "   "}) {
      expect_documents(read_jsonl(pack(bytes, suffix), {"contents"}, "docs" + suffix), {});
    }
  }
  expect_documents(read_jsonl("\xEF\xBB\xBF{\"id\":1,\"contents\":\"x\"}"), {{"1", "x"}});
}

struct BadLine {
  std::string line;
  std::string reason;
};

TEST(JsonlReader, CountsTheDocumentsThatHaveEachField) {
  const TemporaryFolder folder;
  write_file(
      folder / "docs",
      "{\"id\":1,\"title\":\"\",\"contents\":\"x\"}\n{\"id\":2,\"title\":null,\"contents\":\"x\"}\n"
      "{\"id\":3,\"contents\":\"x\"}\n{\"id\":4,\"title\":\"bad\",\"contents\":7}\nbad\n"
      "{\"id\":5,\"text\":{\"inner\":1},\"contents\":\"x\"}\n");
  const auto reader = open_documents(
      {.inputs = {(folder / "docs").string()}, .fields = {"title", "contents", "contnts"}});
  RawRecord record;
  for (int bad = 0; reader->next(record);) {
    try {
      reader->parse(record);
    } catch (const BadDocument&) {
      EXPECT_LE(++bad, 2);
    }
  }
  const FieldUse use = reader->field_use();
  ASSERT_EQ(use.fields.size(), 3U);
  EXPECT_EQ(use.fields[0].name, "title");
  EXPECT_EQ(use.fields[0].documents, 1U);
  EXPECT_EQ(use.fields[1].name, "contents");
  EXPECT_EQ(use.fields[1].documents, 4U);
  EXPECT_EQ(use.fields[2].name, "contnts");
  EXPECT_EQ(use.fields[2].documents, 0U);
  EXPECT_EQ(use.known, "contents, id, text, title");
}

TEST(JsonlReader, SaysWhatIsWrongWithALineAndGoesOn) {
  const std::vector<BadLine> bad{
      {"{", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"x\"} trailing", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"x\"}{}", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"x\"", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"x", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"x\",}", "not valid JSON"},
      {"{'id':'1'}", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"a\x01\"}", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"a\x1F\"}", "not valid JSON"},
      {"{\"id\":\"1\",\"contents\":\"\\x\"}", "not valid JSON"},
      {"{\"id\":01,\"contents\":\"x\"}", "not valid JSON"},
      {"{\"id\":1,\"contents\":\"\\ud800 \"}", "surrogate"},
      {"{\"id\":1,\"contents\":\"\\udc00\"}", "surrogate"},
      {"{\"id\":1,\"contents\":\"\\ud83d\\ud83d\"}", "surrogate"},
      {"7", "not a JSON object"},
      {"\"text\"", "not a JSON object"},
      {"null", "not a JSON object"},
      {"[{\"id\":1,\"contents\":\"x\"}]", "jq -c"},
      {"{}", "there is no id"},
      {"{\"name\":\"1\",\"contents\":\"x\"}", "members here: contents, name"},
      {"{\"x\":{\"id\":1},\"contents\":\"x\"}", "there is no id"},
      {"{\"id\":1.5,\"contents\":\"x\"}", "'id' is a number with a fraction"},
      {"{\"id\":1e3,\"contents\":\"x\"}", "'id' is a number with a fraction"},
      {"{\"id\":true,\"contents\":\"x\"}", "'id' is a boolean"},
      {"{\"id\":[1],\"contents\":\"x\"}", "'id' is an array"},
      {"{\"id\":{},\"contents\":\"x\"}", "'id' is an object"},
      {"{\"id\":\"\",\"contents\":\"x\"}", "the id is empty"},
      {"{\"id\":\"a b\",\"contents\":\"x\"}", "white space"},
      {"{\"id\":\"a\\u0000b\",\"contents\":\"x\"}", "control character"},
      {"{\"id\":\"1\",\"id\":\"1\",\"contents\":\"x\"}", "'id' occurs twice"},
      {"{\"id\":1,\"contents\":\"x\",\"contents\":null}", "'contents' occurs twice"},
      {"{\"id\":1,\"contents\":[\"x\"]}", "'contents' is an array"},
      {"{\"id\":1,\"contents\":3}", "'contents' is an integer"},
      {"{\"id\":1,\"contents\":null}",
       "the member 'contents' is null, so there is nothing to index"},
      {"{\"id\":null,\"docno\":null,\"contents\":\"x\"}",
       "there is no id, and the members 'id', 'docno' are null; give one"},
      {"{\"id\":1,\"title\":\"x\",\"text\":\"y\"}",
       "the members here are id, text, title; 'index --fields' says which are indexed"},
      {"{\"id\":1,\"contents\":\"caf\xE9 au lait\"}", "iconv -f LATIN1"},
      {"{\"id\":1,\"contents\":\"\xC0\x80\"}", "not UTF-8"},
      {"{\"id\":1,\"contents\":\"\xED\xA0\x80\"}", "not UTF-8"},
      {"{\"id\":1,\"contents\":\"\xF4\x90\x80\x80\"}", "not UTF-8"},
      {"{\"id\":1,\"contents\":\"\xE2\x82\"}", "not UTF-8"},
      {std::string("{\"id\":1,\"contents\":\"x\"}\0", 24), "NUL"},
      {std::string("\0\1\2\xFE\xFF", 5), "NUL"},
      {"\x02\xFE\xFF", "binary file"},
  };
  std::string bytes;
  for (const BadLine& line : bad)
    bytes += "{\"id\":\"good\",\"contents\":\"x\"}\n\n" + line.line + "\n";
  const Collection collection = read_jsonl(bytes);
  EXPECT_EQ(collection.documents.size(), bad.size());
  ASSERT_EQ(collection.bad.size(), bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const std::string place = "docs.jsonl:" + std::to_string(3 * i + 3) + ": ";
    EXPECT_NE(collection.bad[i].find(place), std::string::npos) << collection.bad[i];
    EXPECT_NE(collection.bad[i].find(bad[i].reason), std::string::npos) << collection.bad[i];
    EXPECT_EQ(collection.locations[i].line, 3 * i + 1);
  }
}

TEST(JsonlReader, NestingDoesNotExhaustTheStack) {
  const std::string open(2000000, '[');
  const std::string close(2000000, ']');
  const Collection collection =
      read_jsonl("{\"id\":1,\"x\":" + open + close + ",\"contents\":\"y\"}\n" + open);
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_EQ(collection.documents[0].text, "y");
  EXPECT_EQ(collection.bad.size(), 1U);
}

TEST(JsonlReader, TakesADocumentOf50Megabytes) {
  std::string text;
  while (text.size() < 50000000) text += "some words \xC3\xA9 and more; ";
  const Collection collection = read_jsonl("{\"id\":1,\"contents\":\"" + text + "\"}");
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_TRUE(collection.documents[0].text == text);
}

TEST(JsonlReader, SurvivesRandomBytesAndDamage) {
  std::mt19937_64 random = generator(21);
  std::string noise;
  for (int i = 0; i < 300000; ++i) noise += static_cast<char>(random());
  EXPECT_TRUE(read_jsonl(noise).documents.empty());
  const std::string line =
      "{\"id\":\"1\",\"a\":[1,{\"b\":null}],\"contents\":\"x\\u00e9\\n\xC3\xA9\"}";
  std::string lines;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = line;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    lines += damaged + "\n";
  }
  const Collection collection = read_jsonl(lines);
  EXPECT_GT(collection.documents.size(), 0U);
  EXPECT_GT(collection.bad.size(), 0U);
}

TEST(JsonlReader, ReadsFilesInTheirOrderAndPipes) {
  const TemporaryFolder folder;
  write_file(folder / "b", "{\"id\":1,\"contents\":\"x\"}");
  write_file(folder / "empty", "");
  write_file(folder / "a.gz", pack("\n{\"id\":2,\"contents\":\"y\"}\n", ".gz"));
  const PipeWriter writer((folder / "pipe").string(), "{\"id\":3,\"contents\":\"z\"}\nx", 3);
  ReaderOptions options;
  for (const std::string name : {"b", "empty", "a.gz", "pipe"}) {
    options.inputs.push_back((folder / name).string());
  }
  const Collection collection = read_collection(options);
  ASSERT_EQ(collection.documents.size(), 3U);
  EXPECT_EQ(collection.locations[1].to_string(), (folder / "a.gz").string() + ":2");
  EXPECT_EQ(collection.documents[2].id, "3");
  ASSERT_EQ(collection.bad.size(), 1U);
  EXPECT_TRUE(collection.bad[0].starts_with((folder / "pipe").string() + ":2: "));
}

TEST(JsonlReader, RefusesOptionsThatCannotBe) {
  const TemporaryFolder folder;
  write_file(folder / "a", "");
  const std::string file = (folder / "a").string();
  EXPECT_THROW(open_documents({.inputs = {}}), UsageError);
  EXPECT_THROW(open_documents({.inputs = {file}, .fields = {}}), UsageError);
  EXPECT_THROW(open_documents({.inputs = {file}, .fields = {"a", "a"}}), UsageError);
  EXPECT_THROW(open_documents({.inputs = {file}, .fields = {""}}), UsageError);
  EXPECT_THROW(open_documents({.inputs = {"-", "-"}}), UsageError);
  EXPECT_THROW(open_documents({.inputs = {file, file + "_missing"}}), IoError);
  EXPECT_THROW(open_documents({.inputs = {folder.path().string()}}), IoError);
  EXPECT_EQ(document_format_from_name("trec"), DocumentFormat::kTrec);
  EXPECT_THROW(document_format_from_name("JSON"), UsageError);
}

TEST(JsonlReader, ACutFileEndsTheBuild) {
  const TemporaryFolder folder;
  const std::string packed = pack("{\"id\":1,\"contents\":\"x\"}\n", ".xz");
  write_file(folder / "a.xz", packed.substr(0, packed.size() - 1));
  ReaderOptions options;
  options.inputs = {(folder / "a.xz").string()};
  try {
    read_collection(options);
    FAIL() << "nothing was thrown";
  } catch (const BadDocument&) {
    FAIL() << "a cut file is not one bad document";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a.xz"), std::string::npos);
  }
}

// Compared with RapidJSON's other form, the tree, over a real collection.
TEST(JsonlReader, AgreesWithTreesOverCacm) {
  WARPDEX_NEEDS_DATA("ir/cacm/docs.jsonl.xz");
  const std::filesystem::path file = data_folder() / "ir/cacm/docs.jsonl.xz";
  std::vector<Document> expected;
  const std::string newline = "\n";
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    rapidjson::Document tree;
    tree.Parse(line.c_str());
    ASSERT_FALSE(tree.HasParseError());
    std::string text = tree.HasMember("title") ? tree["title"].GetString() + newline : "";
    expected.push_back({tree["id"].GetString(), text + tree["contents"].GetString()});
  }
  EXPECT_EQ(expected.size(), 3204U);
  ReaderOptions options;
  options.inputs = {file.string()};
  options.fields = {"title", "contents"};
  expect_documents(read_collection(options), expected);
}

}  // namespace
}  // namespace warpdex::test::reading
