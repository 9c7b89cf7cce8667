// What all readers of lines drop and refuse.
#include "warpdex/core/text_lines.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

using std::string_literals::operator""s;

/// What check_encoding() says of a file that starts so; "" where it takes it.
std::string complaint_of_line(const std::string& start) {
  try {
    check_encoding(start, "F");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TextLines, KnowsUtf16AndUtf32) {
  const std::string end = "; convert it to UTF-8 first, as with iconv -f ";
  EXPECT_EQ(complaint_of_line("\xFF\xFE"), "F is UTF-16" + end + "UTF-16 -t UTF-8");
  EXPECT_EQ(complaint_of_line("\xFE\xFF\0a"s), "F is UTF-16" + end + "UTF-16 -t UTF-8");
  EXPECT_EQ(complaint_of_line("1\0\t\0"s), "F is UTF-16" + end + "UTF-16LE -t UTF-8");
  EXPECT_EQ(complaint_of_line("\0"
                              "1\0\t"s),
            "F is UTF-16" + end + "UTF-16BE -t UTF-8");
  EXPECT_EQ(complaint_of_line("\xFF\xFE\0\0"s), "F is UTF-32" + end + "UTF-32 -t UTF-8");
  EXPECT_EQ(complaint_of_line("\0\0\xFE\xFF"s), "F is UTF-32" + end + "UTF-32 -t UTF-8");
}

TEST(TextLines, TakesEverythingElse) {
  for (const std::string& start : {""s, "a"s, "ab\0c"s, "a\0\0\0"s, "\0\0\0\0"s, "a\0b"s,
                                   "\xEF\xBB\xBF"
                                   "a"s,
                                   "\xFE"s, "\xC3\xA9\0a"s, "\0\xC3\0\xA9"s}) {
    EXPECT_EQ(complaint_of_line(start), "");
  }
}

TEST(TextLines, DropsMarksAtTheStartOnly) {
  EXPECT_EQ(without_byte_order_marks("\xEF\xBB\xBF"
                                     "a\xEF\xBB\xBF"),
            "a\xEF\xBB\xBF");
  EXPECT_EQ(without_byte_order_marks("\xEF\xBB\xBF\xEF\xBB\xBF"
                                     "a"),
            "a");
  EXPECT_EQ(without_byte_order_marks("\xEF\xBB\xBF"), "");
  EXPECT_EQ(without_byte_order_marks("\xEF\xBB"), "\xEF\xBB");
}

TEST(TextLines, ShowsANulEscaped) {
  EXPECT_EQ(line_fault("a line"), "");
  EXPECT_EQ(line_fault("ab\0c\t\0"s),
            "has a NUL (byte 3 of the line, 'ab\\0c?\\0'); take it out, or give a file of UTF-8 "
            "text if this is none");
  // 20 bytes before and behind, in whole characters.
  EXPECT_NE(line_fault(std::string(30, 'x') + "\xC3\xA9" + std::string(19, 'y') + "\0z"s)
                .find("line, '" + std::string(19, 'y') + "\\0z')"),
            std::string::npos);
  EXPECT_NE(line_fault("\0"s + std::string(19, 'y') +
                       "\xC3\xA9"
                       "z")
                .find("line, '\\0" + std::string(19, 'y') + "')"),
            std::string::npos);
}

}  // namespace
}  // namespace warpdex
