// Tests of the loops of binary codes in all their forms, against bits taken one by one.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "vector/binary/code_kernels.hpp"
#include "vector/pq/code_groups.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::vector {
namespace {

struct KernelForm {
  const char* name;
  const CodeKernels* kernels;
};

std::vector<KernelForm> forms() {
  std::vector<KernelForm> all{{"baseline", &kBaselineCodes}};
#if defined(__x86_64__)
  if (isa() != Isa::kBaseline) all.push_back({"avx2", &kAvx2Codes});
  if (isa() == Isa::kAvx512 && has_avx512_popcount()) all.push_back({"avx512", &kAvx512Codes});
#endif
  return all;
}

/// Bit after bit.
std::uint32_t plain_distance(const CodeShape& shape, const std::vector<std::uint32_t>& code,
                             const std::vector<std::uint32_t>& query) {
  std::uint32_t sum = 0;
  for (std::size_t plane = 0; plane < shape.plane_words; ++plane) {
    for (std::size_t i = 0; i < shape.bits; ++i) {
      for (std::size_t j = 0; j < shape.query_bits; ++j) {
        const std::uint32_t differing =
            code[plane * shape.bits + i] ^ query[plane * shape.query_bits + j];
        const auto weight = shape.bits - 1 - i + shape.query_bits - 1 - j;
        for (std::uint32_t c = 0; c < 32; ++c) sum += (differing >> c & 1) << weight;
      }
    }
  }
  return sum;
}

TEST(CodeKernels, XorDistancesAreThoseOfBits) {
  auto random = test::generator(1);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (const std::size_t planes : {1, 2, 3, 5, 24}) {
    for (std::size_t bits = 1; bits <= 8; ++bits) {
      const CodeShape shape{planes, bits, 1 + random() % 8};
      const CodeGroups layout{shape.code_words() * 4};
      const std::size_t groups = 1 + random() % 3;
      std::vector<std::uint8_t> codes(groups * layout.group_bytes());
      std::vector<std::vector<std::uint32_t>> rows(groups * 32);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t w = 0; w < shape.code_words(); ++w) rows[row].push_back(word());
        if (row == 0) rows[row].assign(shape.code_words(), ~0U);
        layout.write(reinterpret_cast<const std::uint8_t*>(rows[row].data()), row % 32,
                     codes.data() + row / 32 * layout.group_bytes());
      }
      std::vector<std::uint32_t> query;
      for (std::size_t w = 0; w < planes * shape.query_bits; ++w) query.push_back(word());
      if (random() % 3 == 0) query.assign(query.size(), 0);  // the largest distance
      std::vector<std::uint32_t> laid_out(shape.query_words());
      for (std::size_t w = 0; w < shape.code_words(); ++w) {
        for (std::size_t j = 0; j < shape.query_bits; ++j) {
          laid_out[(w / 4 * shape.query_bits + j) * 4 + w % 4] =
              query[w / bits * shape.query_bits + j];
        }
      }
      for (const KernelForm& form : forms()) {
        std::vector<std::uint32_t> found(rows.size(), 7);
        form.kernels->xor_distances(codes.data(), groups, shape, laid_out.data(), found.data());
        for (std::size_t row = 0; row < rows.size(); ++row) {
          ASSERT_EQ(found[row], plain_distance(shape, rows[row], query))
              << form.name << ", " << planes << " planes of " << bits << " and " << shape.query_bits
              << " bits, row " << row;
        }
      }
    }
  }
}

TEST(CodeKernels, CellsAreThoseOfTheirMiddles) {
  auto random = test::generator(2);
  for (std::size_t bits = 1; bits <= 8; ++bits) {
    for (const std::size_t padded : {32, 64, 160}) {
      std::vector<float> values = test::draw(random, padded);
      const float scale = 1.25F;
      const auto cells = static_cast<float>(1U << bits);
      values[0] = scale;
      values[1] = -scale;
      values[2] = 1e30F;
      values[3] = -1e30F;
      values[4] = 0;
      values[5] = std::numeric_limits<float>::infinity();
      for (const KernelForm& form : forms()) {
        std::vector<std::uint32_t> words(padded / 32 * bits, 9);
        form.kernels->quantize(values.data(), padded, cells / 2 / scale, bits, words.data());
        for (std::size_t c = 0; c < padded; ++c) {
          std::uint32_t cell = 0;
          for (std::size_t bit = 0; bit < bits; ++bit) {
            cell = cell * 2 + (words[c / 32 * bits + bit] >> (c % 32) & 1);
          }
          const float middle = scale * (2 * static_cast<float>(cell) + 1 - cells) / cells;
          const float inside = std::fmin(scale, std::fmax(-scale, values[c]));
          ASSERT_LE(std::abs(inside - middle), scale / cells * 1.0001F)
              << form.name << ", " << bits << " bits, " << values[c];
        }
        // Zero lies at the lower end of its cell: its first sign is plus.
        EXPECT_EQ(words[0] >> 4 & 1, 1U);
      }
      std::vector<std::uint32_t> first(padded / 32 * bits);
      kBaselineCodes.quantize(values.data(), padded, cells / 2 / scale, bits, first.data());
      for (const KernelForm& form : forms()) {
        std::vector<std::uint32_t> words(first.size());
        form.kernels->quantize(values.data(), padded, cells / 2 / scale, bits, words.data());
        EXPECT_EQ(words, first) << form.name;
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
