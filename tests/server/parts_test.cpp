// Parts of the server that a process would show too late: parameters, keys, times, packed bodies.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/recent_times.hpp"
#include "guard/keys.hpp"
#include "http/error.hpp"
#include "http/gzip.hpp"
#include "net/request_parser.hpp"
#include "routes/parameters.hpp"
#include "threads/work_pool.hpp"

namespace warpdex::server {
namespace {

std::string refusal_of(const std::string& json) {
  try {
    const JsonText text(json, "it");
    Parameters parameters(text.root(), "it");
    parameters.whole("n", 2, 5);
    parameters.real("x");
    parameters.flag("f");
    parameters.texts("t");
    parameters.reals("v");
    parameters.finish();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.what();
  }
  return "";
}

TEST(Parameters, OfBodiesAreTakenByTheirKindsAlone) {
  for (const char* good : {"{}", R"({"n": 2, "x": 1e3, "f": false, "t": [], "v": [1, -2.5]})",
                           R"({"n": 5, "x": 0, "t": ["a,b"]})"}) {
    EXPECT_EQ(refusal_of(good), "") << good;
  }
  for (const char* bad :
       {R"({"n": 1})", R"({"n": 6})", R"({"n": -3})", R"({"n": 2.0})", R"({"n": "2"})",
        R"({"x": 1e39})", R"({"x": "1"})", R"({"x": null})", R"({"f": 1})", R"({"t": "a"})",
        R"({"t": [1]})", R"({"v": [true]})", R"({"v": 1})", R"({"o": 1})", R"({"n": 2, "n": 2})",
        "{\"n\": NaN}", "{} {}", "{\"n\": 2,}"}) {
    EXPECT_NE(refusal_of(bad), "") << bad;
  }
}

TEST(Parameters, ListsAreArraysOrTextsWithCommas) {
  const JsonText body(R"({"a": "x,y", "b": ["x", "y,z"], "c": [1, "x", -2], "d": "x,,y"})", "it");
  Parameters parameters(body.root(), "it");
  using Texts = std::vector<std::string>;
  EXPECT_EQ(parameters.list("a"), (Texts{"x", "y"}));
  EXPECT_EQ(parameters.list("b"), (Texts{"x", "y,z"}));
  EXPECT_EQ(parameters.ids("c"), (Texts{"1", "x", "-2"}));
  EXPECT_THROW(parameters.list("c"), HttpError);
  EXPECT_THROW(parameters.ids("a"), HttpError);
  EXPECT_EQ(parameters.texts("b"), (Texts{"x", "y,z"}));
  EXPECT_THROW(parameters.texts("a"), HttpError);
  EXPECT_EQ(parameters.joined("b"), "x,y,z");
  EXPECT_EQ(parameters.joined("d"), "x,,y") << "as it is";
  EXPECT_EQ(parameters.joined("none"), std::nullopt);
}

TEST(Parameters, EscapesAreCharacters) {
  const auto text = [](const std::string& json) {
    const JsonText body(json, "the body");
    return Parameters(body.root(), "the body").text("q").value();
  };
  EXPECT_EQ("a\\\xED\x9F\xBF", text(R"({"q": "\u0061\\\ud7ff"})"));
  EXPECT_EQ("\xF0\x9F\x98\x80!", text(R"({"q": "\uD83D\uDE00\u0021"})"));
  EXPECT_EQ("\\udc00", text(R"({"q": "\\udc00"})"));
  for (const char* half : {R"({"q": "\udc00"})", R"({"q": "\uDFFF"})", R"({"q": "\uD83D"})",
                           R"({"q": "\uD83D\uDE00\uDE00"})", R"({"\udcd9": ""})"}) {
    EXPECT_THROW(text(half), HttpError) << half;
  }
}

TEST(Parameters, NothingIsBehindAZeroByte) {
  using namespace std::string_literals;
  for (const std::string& bad : {"{}\0"s, "{}\0\\"s, "{\"q\": \"a\0\"}"s, "2\0\\\\\\"s, "\0{}"s}) {
    EXPECT_THROW(JsonText(bad, "the body"), HttpError) << bad;
  }
}

TEST(Parameters, NumbersAreTheNearestFloats) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::string json = R"({"v": [0E88, -0E300, 0e-9, 1e-60)";
  std::vector<float> wanted{0, 0, 0, 0};
  for (int i = 0; i < 3000; ++i) {
    const float number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(number)) continue;
    std::array<char, 64> text{};
    const int digits = i % 3 == 0 ? 9 : 17;
    std::snprintf(text.data(), text.size(), ", %.*g", digits, static_cast<double>(number));
    json += text.data();
    wanted.push_back(number);
  }
  const JsonText text(json + "]}", "it");
  Parameters parameters(text.root(), "it");
  EXPECT_EQ(parameters.reals("v"), wanted);
}

TEST(Keys, AreComparedWhole) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "abd", "abcabc", "ABC"}) {
    EXPECT_FALSE(equal_in_constant_time(other, "abc")) << other;
    EXPECT_FALSE(equal_in_constant_time("abc", other)) << other;
  }
}

/// The p99 is the class's upper end, at most an eighth above the exact one.
TEST(RecentTimes, TheP99IsThatOfASortedList) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    RecentTimes times;
    const auto now = RecentTimes::Clock::now() + std::chrono::hours(round);
    std::vector<std::uint64_t> all(1 + random() % 3000);
    for (std::uint64_t& micros : all) {
      micros = static_cast<std::uint64_t>(std::exp(static_cast<double>(random() % 1000) / 60.0));
      times.add(now, std::chrono::microseconds(micros));
    }
    std::sort(all.begin(), all.end());
    const std::uint64_t exact = all[all.size() - 1 - all.size() / 100];
    const auto told = static_cast<std::uint64_t>(times.p99(now).count());
    EXPECT_GE(told, exact);
    EXPECT_LE(told, exact + exact / 8 + 1);
    EXPECT_EQ(times.p99(now + 2 * RecentTimes::kWindow).count(), 0) << "old times are forgotten";
  }
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(::deflateBound(&stream, text.size()) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

TEST(Gzip, UnpacksUpToTheLimit) {
  for (const std::size_t size : {0, 1, 1000, 65'536, 300'000}) {
    const std::string text(size, 'a');
    EXPECT_EQ(gunzipped(gzipped(text), size), text);
    if (size == 0) continue;
    EXPECT_THROW(gunzipped(gzipped(text), size - 1), HttpError);
  }
}

/// A request of two is read alike, whatever the pieces that it comes in.
TEST(RequestParser, PiecesGiveTheSameRequest) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string text =
      "POST /a?b=c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-Y:  z \r\n\r\n"
      "5\r\nhello\r\n6;e=1\r\n world\r\n0\r\nHost: other\r\n\r\nGET / HTTP/1.1\r\n";
  for (int round = 0; round < 200; ++round) {
    Request request;
    RequestParser parser(request, 1024);
    parser.set_body_limit(100);
    std::size_t begin = 0;
    std::size_t end = 0;
    auto state = RequestParser::State::kNeedsMore;
    while (state != RequestParser::State::kDone) {
      ASSERT_LT(end - begin, text.size());
      if (state == RequestParser::State::kNeedsMore) {
        end = std::min(text.size(), end + 1 + random() % 30);
      }
      const auto step = parser.put(std::string_view(text).substr(begin, end - begin));
      ASSERT_NE(step.state, RequestParser::State::kFailed) << parser.reason();
      begin += step.used;
      state = step.state;
    }
    EXPECT_EQ(request.method, Method::kPost);
    EXPECT_EQ(request.target, "/a?b=c");
    EXPECT_EQ(request.headers.get("x-y"), "z");
    EXPECT_EQ(request.headers.count("Host"), 1U);
    EXPECT_EQ(request.body, "hello world");
    EXPECT_EQ(text.substr(begin, 3), "GET");
  }
}

/// Wherever the text is cut in two.
TEST(RequestParser, FoldedLinesAreRefusedInPieces) {
  for (const std::string fold : {"\r\n ", "\r\n\t"}) {
    const std::string text =
        "GET /a HTTP/1.1\r\nHost: x\r\nX-Y: z" + fold + "Content-Length: 5\r\nA: b\r\n\r\n";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      Request request;
      RequestParser parser(request, 1024);
      auto step = parser.put(std::string_view(text).substr(0, cut));
      if (step.state == RequestParser::State::kNeedsMore) {
        step = parser.put(std::string_view(text).substr(step.used));
      }
      EXPECT_EQ(step.state, RequestParser::State::kFailed) << cut;
    }
  }
}

TEST(SerialWork, RunsOneTaskAtATimeInOrder) {
  WorkPool pool("test", 4, 1000);
  std::vector<std::vector<int>> ran(8);
  for (auto& list : ran) {
    const auto work = std::make_shared<SerialWork>(pool);
    for (int i = 0; i < 200; ++i) {
      work->post([&list, i] { list.push_back(i); });
    }
  }
  pool.finish();
  for (const auto& list : ran) {
    ASSERT_EQ(list.size(), 200U);
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  }
}

TEST(WorkPool, RefusesWhatIsPastItsLimit) {
  std::atomic<bool> goes_on = false;
  WorkPool pool("test", 1, 2);
  std::atomic<bool> runs = false;
  ASSERT_TRUE(pool.try_post([&] {
    runs = true;
    while (!goes_on) std::this_thread::yield();
  }));
  while (!runs) std::this_thread::yield();
  EXPECT_TRUE(pool.try_post([] {}));
  EXPECT_TRUE(pool.try_post([] {}));
  EXPECT_FALSE(pool.try_post([] {}));
  goes_on = true;
  pool.finish();
}

}  // namespace
}  // namespace warpdex::server
