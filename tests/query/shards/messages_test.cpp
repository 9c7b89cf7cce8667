// Messages between parts: what is written is read, and damage of any kind is refused or harmless.
#include "warpdex/query/shards/messages.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/query/shards/message_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

TEST(Messages, ComeBackAsTheyWereWritten) {
  test::Random random = test::generator(7100);
  for (int turn = 0; turn < 200; ++turn) {
    for (const std::string& message : test::draw_messages(random)) {
      ASSERT_EQ(test::read_and_write(message), message);
      ASSERT_EQ(test::mended(message), message);
    }
  }
}

TEST(Messages, HoldWhatWasPutIn) {
  SearchRequest request{
      .version = 7,
      .whole = {{10, 200}, {}, {{"sea", {3, 9}}}},
      .queries = {{.id = {}, .terms = {{"sea", Occur::kMust, 2.5F, 1}}}},
      .settings = {{.mode = QueryMode::kAnd, .k = 17, .count = true, .scorer = {}}},
      .filter = "year > 3",
      .wants_names = true};
  request.settings[0].scorer = {.kind = ScorerKind::kPl2, .pl2_c = 4};
  request.settings[0].known_threshold = 1.5F;
  const SearchRequest read = read_search_request(write(request));
  EXPECT_EQ(read.version, 7U);
  EXPECT_EQ(read.whole.collection.tokens, 200U);
  EXPECT_EQ(read.whole.of("sea"), (TermFrequencies{3, 9}));
  EXPECT_EQ(read.queries, request.queries);
  EXPECT_EQ(read.settings[0].mode, QueryMode::kAnd);
  EXPECT_EQ(read.settings[0].k, 17U);
  EXPECT_TRUE(read.settings[0].count);
  EXPECT_EQ(read.settings[0].scorer, request.settings[0].scorer);
  EXPECT_EQ(read.settings[0].known_threshold, 1.5F);
  EXPECT_EQ(read.filter, "year > 3");
  EXPECT_TRUE(read.wants_names);

  const SearchAnswer answer{{{{{5, 2.0F}, {9, 2.0F}}, 1.0F, 12, true, 4, {"a", "b"}}}};
  const PartAnswer back = read_search_answer(write(answer)).queries.at(0);
  EXPECT_EQ(back.hits, answer.queries[0].hits);
  EXPECT_EQ(back.left_out, 1.0F);
  EXPECT_EQ(back.matches, 12U);
  EXPECT_TRUE(back.matches_are_exact);
  EXPECT_EQ(back.most_terms, 4U);
  EXPECT_EQ(back.names, answer.queries[0].names);
}

TEST(Messages, AnyThatIsCutShortIsRefused) {
  test::Random random = test::generator(7200);
  for (const std::string& message : test::draw_messages(random)) {
    for (std::size_t size = 0; size < message.size(); ++size) {
      const std::string cut = message.substr(0, size);
      EXPECT_THROW(test::read_and_write(cut), FormatError) << size;
      EXPECT_THROW(test::read_and_write(test::mended(cut)), FormatError) << size;
    }
    EXPECT_THROW(test::read_and_write(message + "x"), FormatError);
    EXPECT_THROW(test::read_and_write(test::mended(message + "x")), FormatError);
  }
}

/// The checksum finds every changed bit. Where it was mended, what is read is a message.
TEST(Messages, AnyChangedBitIsRefusedOrHarmless) {
  test::Random random = test::generator(7300);
  std::size_t read = 0;
  for (const std::string& message : test::draw_messages(random)) {
    for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
      std::string changed = message;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
      ASSERT_THROW(test::read_and_write(changed), FormatError) << bit;
      const std::string mended = test::mended(changed);
      try {
        const std::string again = test::read_and_write(mended);
        ASSERT_EQ(test::read_and_write(again), again) << bit;
        ++read;
      } catch (const FormatError&) {
      } catch (const UsageError&) {  // a request that may not be asked
      }
    }
  }
  EXPECT_GT(read, 0U);
}

TEST(Messages, ACountThatTheBytesCannotHoldIsRefused) {
  TermsRequest request{.version = 1, .terms = {"sea"}};
  std::string message = write(request);
  message[24 + 8 + 3] = '\x7F';  // the count's last byte
  EXPECT_THROW(read_terms_request(test::mended(message)), FormatError);
}

TEST(Messages, DocumentsOutOfOrderAreRefused) {
  const std::string message = write(SearchAnswer{{{.hits = {{1, 2.0F}, {0, 3.0F}}}}});
  EXPECT_THROW(read_search_answer(message), FormatError);
}

TEST(Messages, AnotherVersionIsNamed) {
  std::string message = write_describe();
  message[4] = 9;
  try {
    kind_of(message);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos);
  }
}

TEST(Messages, WhatTheyCannotHoldIsRefused) {
  SearchRequest request;
  request.queries.resize(1);
  EXPECT_THROW(write(request), UsageError);  // no settings
  request.settings.resize(1);
  write(request);
  request.queries[0].tree =
      std::make_shared<QueryNode>(QueryNode{.kind = QueryNode::Kind::kFuzzy, .text = "sea"});
  EXPECT_THROW(write(request), UsageError);
  request.queries.assign(kMaxBatch + 1, {});
  request.settings.resize(kMaxBatch + 1);
  EXPECT_THROW(write(request), UsageError);
}

}  // namespace
}  // namespace warpdex::shards
