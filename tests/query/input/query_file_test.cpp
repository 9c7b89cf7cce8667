// Query files: the four formats on the real logs, and every way in which a file can be wrong.
#include "warpdex/query/input/query_file.hpp"

#include <set>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs(const std::vector<QueryText>& queries) {
  Pairs result;
  for (const QueryText& query : queries) result.emplace_back(query.id, query.text);
  return result;
}

class QueryFile : public ::testing::Test {
 protected:
  Pairs read(const std::string& bytes, QueryFormat format) {
    test::write_file(folder_ / "queries", bytes);
    return pairs(read_queries(folder_ / "queries", format));
  }

  /// The message of the InputError that reading throws, without the folder.
  std::string complaint(const std::string& bytes, QueryFormat format) {
    try {
      read(bytes, format);
    } catch (const InputError& error) {
      const std::string message = error.what();
      const std::string prefix = folder_.path().string() + "/";
      EXPECT_EQ(message.substr(0, prefix.size()), prefix);
      return message.substr(std::min(prefix.size(), message.size()));
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(QueryFile, Tsv) {
  EXPECT_EQ(read("1\tpearl farming\n\nq 2 \t a\tb \n3\t", QueryFormat::kTsv),
            (Pairs{{"1", "pearl farming"}, {"q 2", " a\tb "}, {"3", ""}}));
  EXPECT_EQ(read("1\ta\r\n2\tb\r\n\r\n", QueryFormat::kTsv), (Pairs{{"1", "a"}, {"2", "b"}}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "1\ta\n",
                 QueryFormat::kTsv),
            (Pairs{{"1", "a"}}));
  EXPECT_EQ(read("", QueryFormat::kTsv), Pairs{});
}

TEST_F(QueryFile, Colon) {
  EXPECT_EQ(read("1:pearl farming\n2:ratio 3:4\n3:\n", QueryFormat::kColon),
            (Pairs{{"1", "pearl farming"}, {"2", "ratio 3:4"}, {"3", ""}}));
}

TEST_F(QueryFile, LinesCountEmptyOnes) {
  EXPECT_EQ(read("one\n\nthree\tx", QueryFormat::kLines),
            (Pairs{{"1", "one"}, {"2", ""}, {"3", "three\tx"}}));
  EXPECT_EQ(read("one\n", QueryFormat::kLines), (Pairs{{"1", "one"}}));
  EXPECT_EQ(read("", QueryFormat::kLines), Pairs{});
}

TEST_F(QueryFile, TrecTopics) {
  const std::string topics =
      "<top>\n<num> Number: 701\n\n<title> U.S. oil\nindustry  \n\n<desc> Description:\n"
      "with a <b> and 3 < 4 <title\n</top>\r\n\n"
      "<TOP lang='EN'>\r\n<NUM>MQ-2</NUM><TITLE>Topic: pearl 1 < 2 <b>farming</b></TITLE>\r\n"
      "<top><num>3<title>\n<narr> no end";
  EXPECT_EQ(
      read(topics, QueryFormat::kTrec),
      (Pairs{{"701", "U.S. oil industry"}, {"MQ-2", "pearl 1 < 2 <b>farming</b>"}, {"3", ""}}));
  EXPECT_EQ(read("\n \n", QueryFormat::kTrec), Pairs{});
  EXPECT_EQ(
      read("<top><num>1<title>caf&eacute; &#233;t&#xE9; R&D &none;</top>", QueryFormat::kTrec),
      (Pairs{{"1", "café été R&D &none;"}}));
}

// Four megabytes of markup that a search from every '<' would take hours for.
TEST_F(QueryFile, TopicsTakeTimeInProportionToTheirSize) {
  for (const std::string piece : {"<", "<a", "<a ", "<b>", "</", "<titles", "<x y"}) {
    for (const std::string end : {"", " >"}) {
      std::string text = "x";
      while (text.size() < 4'000'000) text += piece;
      text += end;
      EXPECT_EQ(read("<top><num>1</num><title>" + text + "\n</top>", QueryFormat::kTrec).size(), 1U)
          << piece << end;
    }
  }
  const std::string blanks(2'000'000, ' ');
  std::string tags;
  while (tags.size() < 2'000'000) tags += "<b>";
  EXPECT_EQ(read("<top><num>1\n<title>x\n" + blanks + tags, QueryFormat::kTrec),
            (Pairs{{"1", "x"}}));
}

TEST_F(QueryFile, WrongFilesAreNamedByLine) {
  using enum QueryFormat;
  const auto expect = [&](const std::string& bytes, QueryFormat format, const std::string& start) {
    EXPECT_EQ(complaint(bytes, format).substr(0, start.size()), start) << bytes;
  };
  expect("1\ta\nno separator\n", kTsv, "queries:2 has no tab between");
  expect("1\ta\n2:b\n", kTsv, "queries:2 has no tab between");
  expect("1\ta\n", kColon, "queries:1 has no colon between");
  expect("1\ta\n\t b\n", kTsv, "queries:2 has a query without an id");
  expect("\t\n", kTsv, "queries:1 has a query without an id");
  expect(":a\n", kColon, "queries:1 has a query without an id");
  expect("7\ta\n\n7\tb\n", kTsv, "queries:3 repeats the query id 7 of line 1");
  expect("1\ta\n2\tcaf\xE9\n", kTsv,
         "queries:2 has a query that is not UTF-8 (byte 4 of its text); it looks like Latin-1: "
         "convert the file first, as with iconv -f LATIN1 -t UTF-8");
  expect("\xFF\ta\n", kTsv, "queries:1 has a query that is not UTF-8 (byte 1 of its id)");
  expect("fine\n\xC3\n", kLines, "queries:2 has a query that is not UTF-8");
  expect("\n<DOC>\n<DOCNO> 1 </DOCNO>\nx\n</DOC>\n", kTrec, "queries:2 does not start TREC topics");
  expect("1\tpearl farming\n", kTrec, "queries:1 does not start TREC topics");
  expect("<num> 1\n", kTrec, "queries:1 has a <num> outside of <top>");
  expect("<top>\n<num> 1\n</top>\n", kTrec, "queries:1 starts a topic without a <title>");
  expect("\n<top>\n<title> x\n</top>\n", kTrec, "queries:2 starts a topic without a <num>");
  expect("<top>\n<num> 1\n<title> x\n<num> 2\n", kTrec, "queries:4 has a second <num>");
  expect("<top><num>Number:<title>x</top>", kTrec, "queries:1 has a query without an id");
  expect("<top><num>1<title>x</top>\n<top><num>1<title>y", kTrec,
         "queries:2 repeats the query id 1");
}

TEST_F(QueryFile, TopicsByTheirFields) {
  const std::string topics =
      "<top>\n<num> Number: 1\n<title> Topic: oil\n<desc> Description:\nWhere is\noil?\n"
      "<narr> Narrative: Not whales.\n</top>\n<top><num>2<title>sea<desc></top>\n";
  const auto read_fields = [&](std::vector<TopicField> fields) {
    test::write_file(folder_ / "queries", topics);
    std::vector<std::string> bad;
    QueryReadOptions options;
    options.topic_fields = std::move(fields);
    options.on_bad_query = [&](const std::string& message) { bad.push_back(message); };
    const Pairs got = pairs(read_queries(folder_ / "queries", QueryFormat::kTrec, options));
    return std::pair(got, bad.size());
  };
  using enum TopicField;
  EXPECT_EQ(read_fields({kTitle, kDescription}),
            std::pair(Pairs({{"1", "oil Where is oil?"}, {"2", "sea "}}), std::size_t{0}));
  EXPECT_EQ(read_fields({kNarrative, kTitle}),
            std::pair(Pairs({{"1", "Not whales. oil"}}), std::size_t{1}));
  EXPECT_THROW(read_fields({}), UsageError);
  EXPECT_THROW(read_fields({kTitle, kTitle}), UsageError);
  EXPECT_EQ(topic_field_from_name("narr"), kNarrative);
  EXPECT_THROW(topic_field_from_name("num"), UsageError);
}

TEST_F(QueryFile, JsonAsBeirHasIt) {
  EXPECT_EQ(
      read("{\"_id\": \"PLAIN-1\", \"text\": \"caf\\u00e9 au lait\", \"metadata\": {\"x\": [1]}}\n"
           "\n{\"id\":-7,\"query\":\"\"}\r\n{\"qid\":\"3\",\"text\":null,\"contents\":\"c\"}",
           QueryFormat::kJsonl),
      (Pairs{{"PLAIN-1", "caf\xC3\xA9 au lait"}, {"-7", ""}, {"3", "c"}}));
}

TEST_F(QueryFile, SparseVectors) {
  test::write_file(folder_ / "queries",
                   "{\"id\": \"a\", \"vector\": {\"##ing\": 1.5, \"x y\": 3, \"zero\": 0}}\n"
                   "{\"_id\": 2, \"vector\": {}}\n");
  const std::vector<QueryText> got = read_queries(folder_ / "queries", QueryFormat::kSparse);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].vector, (std::vector<QueryTerm>{{"##ing", Occur::kUnsigned, 1.5F},
                                                   {"x y", Occur::kUnsigned, 3}}));
  EXPECT_TRUE(got[0].is_vector && got[1].is_vector && got[1].vector.empty());
  const auto analyzer = make_analyzer("english");
  EXPECT_EQ(parse_query(got[0], QuerySyntax::kPlain, *analyzer), (Query{"a", got[0].vector}));
}

TEST_F(QueryFile, TermsThatAreTooLongAreCounted) {
  const std::string longest(65'535, 'x');
  test::write_file(folder_ / "queries", "{\"id\": 1, \"vector\": {\"a\": 1, \"" + longest +
                                            "\": 2, \"" + longest + "x\": 3}}\n");
  const std::vector<QueryText> got = read_queries(folder_ / "queries", QueryFormat::kSparse);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].vector.size(), 2U);
  EXPECT_EQ(got[0].long_terms, 1U);
  const auto analyzer = make_analyzer("whitespace");
  EXPECT_EQ(parse_query(got[0], QuerySyntax::kPlain, *analyzer).long_words, 1U);
}

TEST_F(QueryFile, WrongJsonIsNamedByLine) {
  using enum QueryFormat;
  const auto expect = [&](const std::string& line, QueryFormat format, const std::string& start) {
    const std::string message = complaint("\n" + line + "\n", format);
    EXPECT_EQ(message.substr(0, start.size() + 10), "queries:2 " + start) << line;
  };
  expect("{\"id\":1,\"text\":\"a\"", kJsonl, "is not valid JSON: ");
  expect("[1]", kJsonl, "is not a JSON object; write a query as {\"_id\"");
  expect("{\"text\":\"a\"}", kJsonl, "has a query without an id");
  expect("{\"id\":1.5,\"text\":\"a\"}", kJsonl, "has an id that is neither");
  expect("{\"id\":1}", kJsonl, "has a query without the member 'text'");
  expect("{\"id\":1,\"vector\":{}}", kJsonl,
         "has a query without the member 'text'; one with a vector is read by the format sparse");
  expect("{\"id\":1,\"text\":5}", kJsonl, "has a text that is not a string");
  expect("{\"id\":1,\"text\":\"caf\xE9\"}", kJsonl, "has a query that is not UTF-8");
  expect("{\"id\":1,\"text\":\"a\"}", kSparse, "has a query whose member 'vector' is not an obj");
  expect("{\"id\":1,\"vector\":{\"a\":\"1\"}}", kSparse,
         "has a weight of the term 'a' that is not a");
  for (const std::string weight : {"-1", "NaN", "1e10", "1e-10", "Infinity", "-1e-20"}) {
    expect("{\"id\":1,\"vector\":{\"a\":" + weight + "}}", kSparse,
           "has a weight of the term 'a' that is not 0 and not from 1e-9 to 1e9");
  }
  expect("{\"id\":1,\"vector\":{\"a\":1,\"b\":2,\"a\":1}}", kSparse, "has the term 'a' twice");
  expect("{\"id\":1,\"vector\":{\"\":1}}", kSparse, "has a term that is empty");
  expect("{\"id\":1,\"text\":" + std::string(200'000, '['), kJsonl, "is not valid JSON");
  EXPECT_NE(complaint("{\"_id\":1,\"text\":\"a\"}\n", kTsv).find("choose the format jsonl"),
            std::string::npos);
}

TEST_F(QueryFile, BadQueriesAreSkippedOnRequest) {
  const auto read_skipping = [&](const std::string& bytes, QueryFormat format) {
    test::write_file(folder_ / "queries", bytes);
    std::vector<std::string> lines;
    QueryReadOptions options;
    options.on_bad_query = [&](const std::string& message) {
      const std::string rest = message.substr((folder_ / "queries").string().size() + 1);
      lines.push_back(rest.substr(0, rest.find(' ')));
    };
    const Pairs got = pairs(read_queries(folder_ / "queries", format, options));
    return std::pair(got, lines);
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(read_skipping("1\ta\nno tab\n1\tagain\n2\tcaf\xE9\n\tx\n3\tc\n", QueryFormat::kTsv),
            std::pair(Pairs({{"1", "a"}, {"3", "c"}}), Lines({"2", "3", "4", "5"})));
  EXPECT_EQ(
      read_skipping("{\"id\":1,\"text\":\"a\"}\n{\n{\"id\":2,\"text\":\"b\"}", QueryFormat::kJsonl),
      std::pair(Pairs({{"1", "a"}, {"2", "b"}}), Lines({"2"})));
  EXPECT_EQ(read_skipping("<num>0\n<top><num>1<title>a</top>\n<top><title>b</top>\n"
                          "<top><num>2\n<num>3<title>c</top>\n<top><num>4<title>d",
                          QueryFormat::kTrec),
            std::pair(Pairs({{"1", "a"}, {"4", "d"}}), Lines({"1", "3", "5"})));
  // What is no file of topics at all is refused all the same.
  EXPECT_THROW(read_skipping("1\ta\n", QueryFormat::kTrec), InputError);
}

TEST_F(QueryFile, OtherEncodingsAreGuessed) {
  const auto expect = [&](const std::string& bytes, const std::string& part) {
    const std::string message = complaint(bytes, QueryFormat::kTsv);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("1\tcaf\xE9\n", "looks like Latin-1: convert the file first, as with iconv -f LATIN1");
  expect("1\tit\x92s\n", "looks like Windows-1252: convert the file first, as with iconv -f WIN");
  for (const std::string& utf16 : {std::string("\xFF\xFE") + "1\t",
                                   std::string("\xFE\xFF\0"
                                               "1",
                                               4),
                                   std::string("1\0\t\0a\0 \0\xE9\0b", 11),
                                   std::string("\0"
                                               "1\0\t\0a\0\n",
                                               8)}) {
    const std::string file = (folder_ / "queries").string();
    test::write_file(file, utf16);
    try {
      read_queries(file, QueryFormat::kTsv);
      ADD_FAILURE() << "taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(file + " is UTF-16; convert it to UTF-8"));
    }
    // Nor are its lines skipped one by one.
    EXPECT_THROW(read_queries(file, QueryFormat::kTsv, {.on_bad_query = [](const std::string&) {}}),
                 InputError);
  }
  expect(std::string("\x7F"
                     "ELF\x02\x01\x01\0\t\x03\0\x3E\0\xF0\xFF query",
                     21),
         "queries:1 has a NUL (byte 8 of the line, '?ELF???\\0");
  expect("1\ta\x01\xFF\n", "looks like a binary file: give one of text");
  // Other lines are UTF-8: to convert all of the file would spoil them.
  expect("1\tcaf\xC3\xA9\n2\tcaf\xE9\n",
         "queries:2 has a query that is not UTF-8 (byte 4 of its text); it looks like Latin-1, "
         "while lines before it are UTF-8: convert this line alone");
}

TEST_F(QueryFile, MarksAtTheStartOfLinesAreDropped) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(read(mark + "1\ta\n" + mark + "2\tb\n", QueryFormat::kTsv),
            (Pairs{{"1", "a"}, {"2", "b"}}));
  EXPECT_EQ(read("a\n" + mark + "b\n" + mark, QueryFormat::kLines),
            (Pairs{{"1", "a"}, {"2", "b"}}));
  EXPECT_EQ(read(mark + "{\"id\":1,\"text\":\"a\"}\n" + mark + "{\"id\":2,\"text\":\"b\"}\n",
                 QueryFormat::kJsonl),
            (Pairs{{"1", "a"}, {"2", "b"}}));
  EXPECT_EQ(read(mark + "<top><num>1<title>a</top>\n" + mark + "<top><num>2<title>b</top>\n",
                 QueryFormat::kTrec),
            (Pairs{{"1", "a"}, {"2", "b"}}));
}

TEST_F(QueryFile, ANulCostsItsQuery) {
  std::vector<std::string> bad;
  const QueryReadOptions skip{.on_bad_query = [&](const std::string& m) { bad.push_back(m); }};
  test::write_file(folder_ / "queries", std::string("1\ta\0b\n2\tc\n", 10));
  EXPECT_EQ(pairs(read_queries(folder_ / "queries", QueryFormat::kTsv, skip)), (Pairs{{"2", "c"}}));
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_NE(bad[0].find(":1 has a NUL (byte 4 of the line, '1?a\\0b')"), std::string::npos)
      << bad[0];
  // Of topics, the line's topic.
  test::write_file(folder_ / "queries", std::string("<top><num>1<title>a\nx\0y\n", 24) +
                                            "</top>\n<top><num>2<title>b</top>\n");
  EXPECT_EQ(pairs(read_queries(folder_ / "queries", QueryFormat::kTrec, skip)).at(0).first, "2");
  EXPECT_EQ(bad.size(), 2U);
}

TEST_F(QueryFile, IdsAsDocumentsHaveThem) {
  EXPECT_EQ(read("{\"id\":9223372036854775808,\"text\":\"a\"}\n"
                 "{\"id\":-9223372036854775809,\"text\":\"b\"}\n"
                 "{\"id\":123456789012345678901234567890,\"text\":\"c\"}\n",
                 QueryFormat::kJsonl),
            (Pairs{{"9223372036854775808", "a"},
                   {"-9223372036854775809", "b"},
                   {"123456789012345678901234567890", "c"}}));
  EXPECT_NE(complaint("{\"id\":1e30,\"text\":\"a\"}", QueryFormat::kJsonl).find("neither a str"),
            std::string::npos);
  EXPECT_NE(
      complaint("a\u200Bb\tx\n", QueryFormat::kTsv)
          .find("queries:1 has the query id 'a\u200Bb', which holds U+200B, which nobody sees"),
      std::string::npos);
  EXPECT_NE(complaint("{\"id\":\"a\\u0000b\",\"text\":\"x\"}", QueryFormat::kJsonl).find("control"),
            std::string::npos);
}

TEST_F(QueryFile, OnlyRunsRefuseIdsWithWhiteSpace) {
  const std::string bytes = "1\ta\n2 a\tx\n3\u00A0b\ty\n4\tz\n";
  EXPECT_EQ(read(bytes, QueryFormat::kTsv),
            (Pairs{{"1", "a"}, {"2 a", "x"}, {"3\u00A0b", "y"}, {"4", "z"}}));
  std::vector<std::string> bad;
  QueryReadOptions options{.on_bad_query = [&](const std::string& m) { bad.push_back(m); },
                           .are_for_run = true};
  EXPECT_EQ(pairs(read_queries(folder_ / "queries", QueryFormat::kTsv, options)),
            (Pairs{{"1", "a"}, {"4", "z"}}));
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_NE(bad[0].find(":2 has the query id '2 a', which holds white space"), std::string::npos);
  EXPECT_NE(bad[1].find(":3 has the query id"), std::string::npos);
}

TEST_F(QueryFile, MissingAndDamagedFiles) {
  EXPECT_THROW(read_queries(folder_ / "missing.tsv", QueryFormat::kTsv), IoError);
  EXPECT_THROW(read_queries(folder_.path(), QueryFormat::kTsv), IoError);
  test::write_file(folder_ / "queries.gz", "1\tnot packed\n");
  EXPECT_THROW(read_queries(folder_ / "queries.gz", QueryFormat::kTsv), InputError);
}

TEST_F(QueryFile, QueriesBeyondTheLimitsAreBadOnes) {
  const std::string text(1'001, 'x');
  const auto read = [&](const std::string& bytes, QueryFormat format, std::size_t max_line,
                        std::vector<std::string>& messages) {
    test::write_file(folder_ / "queries", bytes);
    QueryReadOptions options;
    options.limits.bytes = 1'000;
    options.max_line_bytes = max_line;
    options.on_bad_query = [&](const std::string& message) { messages.push_back(message); };
    return pairs(read_queries(folder_ / "queries", format, options));
  };
  const std::string file = (folder_ / "queries").string();
  std::vector<std::string> messages;
  using Messages = std::vector<std::string>;
  EXPECT_EQ(read("1\ta\n2\t" + text + "\n3\t" + text.substr(1) + "\n", QueryFormat::kTsv, 5'000,
                 messages),
            Pairs({{"1", "a"}, {"3", text.substr(1)}}));
  EXPECT_EQ(messages, Messages({file + ":2 has a query of more than 1000 bytes; shorten it"}));
  messages.clear();
  EXPECT_EQ(read("1\ta\n2\t" + text + "\n3\tc", QueryFormat::kTsv, 900, messages),
            Pairs({{"1", "a"}, {"3", "c"}}));
  EXPECT_EQ(messages, Messages({file + ":2 has a line of more than 900 bytes; shorten the query"}));
  messages.clear();
  // A topic of many lines, whose text is not kept beyond the limit.
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += "some words\n";
  EXPECT_EQ(read("<top><num>1<title>a</top>\n<top><num>2<title>" + lines +
                     "</top>\n<top><num>3<title>c</top>\n",
                 QueryFormat::kTrec, 5'000, messages),
            Pairs({{"1", "a"}, {"3", "c"}}));
  EXPECT_EQ(messages, Messages({file + ":2 has a query of more than 1000 bytes; shorten it"}));
}

TEST_F(QueryFile, ALongQueryIsNotCut) {
  const std::string text(3'000'001, 'x');
  EXPECT_EQ(read("1\t" + text + "\n2\ty", QueryFormat::kTsv), (Pairs{{"1", text}, {"2", "y"}}));
}

TEST_F(QueryFile, RandomBytesGiveQueriesOrAnInputError) {
  auto random = test::generator(5);
  const std::string alphabet = "<>/topnumile: \t\n\r1\xC3\xA9";
  for (int i = 0; i < 200; ++i) {
    std::string bytes = i % 2 == 0 ? "<top><num>1<title>" : "";
    for (std::uint64_t size = random() % 60; size > 0; --size) {
      bytes += alphabet[random() % alphabet.size()];
    }
    for (const auto format :
         {QueryFormat::kTsv, QueryFormat::kColon, QueryFormat::kLines, QueryFormat::kTrec}) {
      try {
        std::set<std::string> ids;
        for (const auto& [id, text] : read(bytes, format)) {
          ASSERT_TRUE(!id.empty() && ids.insert(id).second) << bytes;
        }
      } catch (const InputError&) {
      }
    }
  }
}

TEST(QueryFiles, TerabyteTopics) {
  WARPDEX_NEEDS_DATA("queries");
  const auto read = [](const std::string& name) {
    return pairs(read_queries(test::data_folder() / "queries" / name, QueryFormat::kTrec));
  };
  int number = 701;
  for (const std::string name : {"topics.terabyte04.701-750.txt", "topics.terabyte05.751-800.txt",
                                 "topics.terabyte06.801-850.txt"}) {
    const Pairs topics = read(name);
    ASSERT_EQ(topics.size(), 50U);
    for (const auto& [id, text] : topics) {
      EXPECT_EQ(id, std::to_string(number++));
      EXPECT_FALSE(text.empty());
      EXPECT_EQ(text.find_first_of("<>\n"), std::string::npos) << text;
    }
  }
  const Pairs first = read("topics.terabyte04.701-750.txt");
  EXPECT_EQ(first[0].second, "U.S. oil industry history");
  EXPECT_EQ(first[1].second, "Pearl farming");
}

TEST(QueryFiles, RealLogs) {
  WARPDEX_NEEDS_DATA("queries");
  const auto queries = test::data_folder() / "queries";
  const auto terabyte = read_queries(queries / "terabyte05.efficiency.txt.xz", QueryFormat::kColon);
  ASSERT_EQ(terabyte.size(), 50'000U);
  EXPECT_EQ(terabyte[0].id, "1");
  EXPECT_EQ(terabyte[0].text, "pierson s twin lakes marina");
  // One query of the Million Query log is Latin-1.
  try {
    read_queries(queries / "mq.1-10000.txt.xz", QueryFormat::kColon);
    ADD_FAILURE() << "took bytes that are not UTF-8";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mq.1-10000.txt.xz:8109 "), std::string::npos);
  }
  for (const auto& [name, count] :
       {std::pair{"cacm", 64U}, {"cran", 225U}, {"cisi", 112U}, {"npl", 93U}}) {
    const auto file = test::data_folder() / "ir" / name / "queries.tsv";
    EXPECT_EQ(read_queries(file, QueryFormat::kTsv).size(), count) << name;
  }
}

TEST(QueryFiles, DocumentsAreNoTopics) {
  WARPDEX_NEEDS_DATA("ir/cacm/topics.trec");
  EXPECT_THROW(read_queries(test::data_folder() / "ir/cacm/topics.trec", QueryFormat::kTrec),
               InputError);
}

TEST(QueryFiles, FormatNames) {
  EXPECT_EQ(query_format_from_name("tsv"), QueryFormat::kTsv);
  EXPECT_EQ(query_format_from_name("colon"), QueryFormat::kColon);
  EXPECT_EQ(query_format_from_name("lines"), QueryFormat::kLines);
  EXPECT_EQ(query_format_from_name("trec"), QueryFormat::kTrec);
  EXPECT_THROW(query_format_from_name("csv"), UsageError);
}

}  // namespace
}  // namespace warpdex
