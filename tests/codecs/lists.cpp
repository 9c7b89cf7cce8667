#include "tests/codecs/lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace warpdex::test {
namespace {

std::uint32_t any32(std::mt19937_64& random) { return static_cast<std::uint32_t>(random()); }

std::uint32_t geometric(double mean, std::mt19937_64& random) {
  return std::geometric_distribution<std::uint32_t>(1 / (1 + mean))(random);
}

std::uint32_t edge_value(std::size_t i, std::mt19937_64& random) {
  const bool edge = i % 128 == 0 || i % 128 == 127 || i % 8 == 7;
  return edge ? any32(random) >> (random() % 24) : any32(random) % 16;
}

}  // namespace

Values make_values(Shape shape, std::size_t count, std::mt19937_64& random) {
  Values values(count);
  const std::uint32_t constant = any32(random) >> (random() % 32);
  const double mean = std::exp2(std::uniform_real_distribution<>(0, 18)(random));
  std::uint32_t block_width = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 128 == 0) block_width = any32(random) % 33;
    std::uint32_t& value = values[i];
    switch (shape) {
      case Shape::kZeros: value = 0; break;
      case Shape::kConstant: value = constant; break;
      case Shape::kAllOnes: value = 0xFFFFFFFF; break;
      case Shape::kGeometric: value = geometric(mean, random); break;
      case Shape::kClustered:
        value = random() % 200 == 0 ? any32(random) >> (random() % 20) : geometric(3, random);
        break;
      case Shape::kZipf:
        value = static_cast<std::uint32_t>(
            std::min(1e9, std::pow(std::uniform_real_distribution<>(1e-9, 1)(random), -1.2) - 1));
        break;
      case Shape::kBlockEdges: value = edge_value(i, random); break;
      case Shape::kUniform32: value = any32(random); break;
      case Shape::kWideBlocks:
        value = block_width == 0 ? 0 : any32(random) >> (32 - block_width);
        break;
    }
  }
  return values;
}

Values make_docids(Shape shape, std::size_t count, std::mt19937_64& random) {
  Values gaps = make_values(shape, count, random);
  double sum = 0;
  for (const std::uint32_t gap : gaps) sum += gap;
  const double room = 4294967295.0 - static_cast<double>(count);
  const double scale = sum > room ? room / (sum * 1.0001) : 1;
  Values docids(count);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    next += static_cast<std::uint64_t>(gaps[i] * scale);
    docids[i] = static_cast<std::uint32_t>(next++);
  }
  return docids;
}

Values make_unequal_exceptions(std::size_t blocks, std::uint32_t widest, std::mt19937_64& random) {
  constexpr std::uint32_t kLowBits = 3;
  // Most exceptions are neighbours, so that the gaps of others are exceptions themselves.
  constexpr std::size_t kCounts[] = {0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  1,  1,  1,   2,   2,
                                     2, 5, 5, 5, 9, 9, 0, 0, 20, 31, 32, 33, 65, 128, 128, 128};
  Values values(blocks * kBlockSize);
  for (std::uint32_t& value : values) value = any32(random) >> (32 - kLowBits);
  std::size_t wide = 0;  // exceptions that are still to be wide
  const auto make_exception = [&](std::uint32_t& value) {
    if (wide == 0 && random() % 100 == 0) wide = 1 + random() % 40;
    const std::uint32_t high =
        wide > 0 ? 1 + (any32(random) >> (32 - widest + kLowBits)) : 1 + any32(random) % 15;
    wide -= wide > 0;
    value += high << kLowBits;
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    std::vector<std::size_t> places(kBlockSize);
    std::iota(places.begin(), places.end(), block * kBlockSize);
    std::shuffle(places.begin(), places.end(), random);
    places.resize(kCounts[random() % std::size(kCounts)]);
    std::sort(places.begin(), places.end());
    for (const std::size_t place : places) make_exception(values[place]);
  }
  if (values.back() < 1U << kLowBits) make_exception(values.back());
  return values;
}

const std::vector<std::size_t>& ugly_sizes() {
  static const std::vector<std::size_t> sizes = {1,   2,   7,   8,   9,   15,  16,   17,   31,
                                                 32,  33,  63,  64,  65,  127, 128,  129,  255,
                                                 256, 257, 383, 384, 385, 999, 1000, 4097, 4224};
  return sizes;
}

std::vector<CodecSettings> all_settings() {
  std::vector<CodecSettings> all = {
      {CodecKind::kBitpack}, {CodecKind::kPforBlock}, {CodecKind::kRice}};
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    all.push_back({CodecKind::kPfor, levels});
  }
  return all;
}

std::string test_name(const testing::TestParamInfo<CodecSettings>& info) {
  std::string name(codec_name(info.param.kind));
  std::replace(name.begin(), name.end(), '-', '_');
  if (info.param.kind == CodecKind::kPfor) name += std::to_string(info.param.pfor_levels);
  return name;
}

std::string describe(const CodecSettings& settings, Shape shape, std::size_t count) {
  return std::string(codec_name(settings.kind)) + "/" + std::to_string(settings.pfor_levels) +
         ", " + std::to_string(count) + " values of shape " +
         std::to_string(static_cast<int>(shape));
}

StoredList::StoredList(const CodecSettings& settings, const EncodedValues& encoded,
                       std::size_t count)
    : encoded_(encoded),
      buffer_(new std::uint8_t[encoded.bytes.size() + kReadSlack]),
      tail_offset_(encoded.offsets.back()) {
  std::copy(encoded.bytes.begin(), encoded.bytes.end(), buffer_.get());
  std::memset(buffer_.get() + encoded.bytes.size(), 0xA5, kReadSlack);
  list_ = {settings, encoded.parameter, static_cast<std::uint32_t>(count), buffer_.get(),
           buffer_.get() + encoded.bytes.size()};
}

namespace {

std::vector<std::uint32_t> shuffled(std::uint32_t blocks, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

}  // namespace

Values StoredList::decode_values(std::mt19937_64& random) const {
  Values values(list_.count);
  for (const std::uint32_t index : shuffled(blocks(), random)) {
    const auto out = std::make_unique<std::uint32_t[]>(kBlockSize);
    decoder().decode_values(block(index), out.get());
    std::copy_n(out.get(), decoder().block_count(index), values.begin() + index * kBlockSize);
  }
  return values;
}

Values StoredList::decode_docids(const Values& expected, std::mt19937_64& random) const {
  Values docids(list_.count);
  for (const std::uint32_t index : shuffled(blocks(), random)) {
    const std::uint32_t start = index * kBlockSize;
    const std::uint32_t count = decoder().block_count(index);
    const auto out = std::make_unique<std::uint32_t[]>(kBlockSize);
    const std::uint32_t base = index == 0 ? 0xFFFFFFFF : expected[start - 1];
    decoder().decode_docids(block(index), base, expected[start + count - 1], out.get());
    std::copy_n(out.get(), count, docids.begin() + start);
  }
  return docids;
}

}  // namespace warpdex::test
