// How these tests fail where the program is missing or prints something else.
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Process, AProgramThatIsMissingIsNamedWithItsPlace) {
  const TemporaryFolder folder;
  const std::filesystem::path program = folder / "warpdex";
  const auto check = [&] { check_program(program); };
  const auto complains = ThrowsMessage<std::runtime_error>(HasSubstr(program.string()));
  EXPECT_THAT(check, complains);
  std::filesystem::create_directory(program);
  EXPECT_THAT(check, complains);
  std::filesystem::remove(program);
  write_file(program, "");
  EXPECT_THAT(check, complains);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_NO_THROW(check());
}

TEST(Process, WhatIsNotJsonIsShown) {
  EXPECT_THAT([] { parse_json("no {"); }, ThrowsMessage<std::runtime_error>(HasSubstr("'no {'")));
  EXPECT_EQ(parse_json("[7]")[0].GetInt(), 7);
}

}  // namespace
}  // namespace warpdex::test
