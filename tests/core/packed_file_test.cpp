// Sections of a packed file come back as they were, and a damaged frame is refused.
#include <gmock/gmock.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/packed_file.hpp"

namespace warpdex {
namespace {

using Bytes = std::vector<std::uint8_t>;

class PackedFileTest : public testing::Test {
 protected:
  /// Packs sections of these sizes with random bytes, and writes the file.
  void write(const std::vector<std::size_t>& sizes) {
    std::mt19937_64 random = test::generator(71);
    std::vector<NamedBytes> sections;
    contents_.clear();
    for (const std::size_t size : sizes) {
      Bytes bytes(size);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() | 1);
      contents_.push_back(std::move(bytes));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sections.push_back({"section-" + std::to_string(i), contents_[i]});
    }
    packed_ = pack_sections("pack", sections);
    write_bytes(packed_.bytes);
  }

  void write_bytes(const Bytes& bytes) {
    test::write_file(folder_ / "pack", std::string(bytes.begin(), bytes.end()));
  }

  std::vector<SectionView> map() const {
    return map_packed(*Folder::find(folder_.path()), "pack", packed_.sections);
  }

  /// What mapping complains of; empty: nothing.
  std::string complaint() const {
    try {
      map();
      return "";
    } catch (const FormatError& error) {
      return error.what();
    }
  }

  const test::TemporaryFolder folder_;
  std::vector<Bytes> contents_;
  PackedFile packed_;
};

TEST_F(PackedFileTest, GivesBackItsSections) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{}, {0}, {0, 0}, {1, 0, 63, 64, 65, 127, 128, 129, 100'000}}) {
    write(sizes);
    const std::vector<SectionView> views = map();
    ASSERT_EQ(views.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(std::equal(views[i].bytes().begin(), views[i].bytes().end(), contents_[i].begin(),
                             contents_[i].end()));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(views[i].bytes().data()) % 64, 0U);
      EXPECT_TRUE(views[i].intact());
    }
  }
}

TEST_F(PackedFileTest, OutlivesItsFile) {
  write({200});
  const std::vector<SectionView> views = map();
  std::filesystem::remove(folder_ / "pack");
  EXPECT_TRUE(views[0].intact());
}

TEST_F(PackedFileTest, TellsEveryDamagedByte) {
  write({100, 0, 3});
  const Bytes whole = packed_.bytes;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x10;
    write_bytes(damaged);
    bool is_told = !complaint().empty();
    if (!is_told) {
      const std::vector<SectionView> views = map();
      for (const SectionView& view : views) is_told = is_told || !view.intact();
    }
    EXPECT_TRUE(is_told) << i;
  }
}

TEST_F(PackedFileTest, RefusesAnotherSizeOrManifest) {
  write({100, 5});
  Bytes cut = packed_.bytes;
  cut.pop_back();
  write_bytes(cut);
  EXPECT_THAT(complaint(), testing::HasSubstr("is cut short"));
  write_bytes({});
  EXPECT_THAT(complaint(), testing::HasSubstr("is cut short"));
  write_bytes(packed_.bytes);
  EXPECT_EQ(complaint(), "");
  for (const std::uint64_t bytes : {99ULL, 101ULL, ~0ULL, ~0ULL - 100}) {
    packed_.sections[0].bytes = bytes;
    EXPECT_NE(complaint(), "") << bytes;
  }
  std::filesystem::remove(folder_ / "pack");
  EXPECT_THAT(complaint(), testing::HasSubstr("is missing"));
}

TEST_F(PackedFileTest, RefusesLongNames) {
  const std::vector<NamedBytes> sections{{std::string(48, 'n'), {}}};
  EXPECT_THROW(pack_sections("pack", sections), UsageError);
}

}  // namespace
}  // namespace warpdex
