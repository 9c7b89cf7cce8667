// Query files: the four formats on the real logs, and every way in which a file can be wrong.
#include "warpdex/query/input/query_file.hpp"

#include <set>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

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

TEST_F(QueryFile, MissingAndDamagedFiles) {
  EXPECT_THROW(read_queries(folder_ / "missing.tsv", QueryFormat::kTsv), IoError);
  EXPECT_THROW(read_queries(folder_.path(), QueryFormat::kTsv), IoError);
  test::write_file(folder_ / "queries.gz", "1\tnot packed\n");
  EXPECT_THROW(read_queries(folder_ / "queries.gz", QueryFormat::kTsv), InputError);
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
