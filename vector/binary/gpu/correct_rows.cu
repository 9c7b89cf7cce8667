// A thread has a row, and does what encode_corrected() does with it, operation by operation. So
// that the threads of a warp read neighbouring numbers, rows become columns first.
#include "binary/gpu/kernels.hpp"
#include "integer_codes/gpu/code_value.cuh"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kMaxBits = 8;

struct TriedScales {
  float factors[kScaleFactors.size()];
};

/// Work item: 32 rows and 32 components, a CTA of 8 warps. Memory bounds it.
__global__ void __launch_bounds__(256) turn(CorrectTask task) {
  __shared__ float tile[kWarp][kWarp + 1];
  const std::uint32_t first = blockIdx.x * kWarp;
  const std::uint32_t begin = blockIdx.y * kWarp;
  for (std::uint32_t i = warp_id(); i < kWarp; i += 8) {
    const std::uint32_t column = begin + lane_id();
    const bool exists = first + i < task.count && column < task.dimension;
    tile[i][lane_id()] = exists ? task.rows[std::size_t{first + i} * task.stride + column] : 0.0F;
  }
  __syncthreads();
  const std::size_t pitch = CorrectTask::pitch(task.count);
  for (std::uint32_t i = warp_id(); i < kWarp; i += 8) {
    if (begin + i >= task.dimension) break;
    task.columns[std::size_t{begin + i} * pitch + first + lane_id()] = tile[lane_id()][i];
  }
}

__device__ bool is_normal(float value) {
  const std::uint32_t exponent = __float_as_uint(value) & 0x7F800000U;
  return exponent != 0 && exponent != 0x7F800000U;
}

/// How components become cells by one scale: as cells_of() has it.
struct Cells {
  float factor;
  float half;
  float last;

  __device__ Cells(float scale, std::uint32_t bits)
      : factor(0),
        half(static_cast<float>(1U << (bits - 1))),
        last(static_cast<float>((1U << bits) - 1)) {
    factor = __fdiv_rn(half, scale);
  }
  __device__ int cell(float component) const {
    float t = __fadd_rn(__fmul_rn(component, factor), half);
    t = t > 0 ? t : 0.0F;
    return static_cast<int>(t < last ? t : last);
  }
};

/// A row, and the whole numbers of its code.
class OwnRow {
 public:
  __device__ OwnRow(const CorrectTask& task, std::uint32_t row)
      : values_(task.columns + row),
        numbers_(task.numbers + row),
        pitch_(CorrectTask::pitch(task.count)),
        dimension_(task.dimension),
        bits_(task.bits),
        last_(static_cast<int>((1U << task.bits) - 1)) {}

  __device__ double squared_length() const {
    double sum = 0;
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      const double y = value(c);
      sum = __dadd_rn(sum, __dmul_rn(y, y));
    }
    return sum;
  }

  /// The scale, around the usual one, whose code points best in the vector's direction.
  __device__ float find_scale(float usual, const TriedScales& tried) const {
    float best = is_normal(usual) ? usual : 1.0F;
    double best_score = -1;
    for (const float factor : tried.factors) {
      const float scale = __fmul_rn(usual, factor);
      if (!is_normal(scale)) break;
      const double score = score_scale(scale);
      if (score <= best_score) continue;
      best = scale;
      best_score = score;
    }
    return best;
  }

  __device__ void set_numbers(float scale) {
    const Cells cells(scale, bits_);
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      const int own = 2 * cells.cell(value(c)) - last_;
      set_number(c, own);
      product_ = __dadd_rn(product_, __dmul_rn(own, value(c)));
      squares_ = __dadd_rn(squares_, __dmul_rn(own, own));
    }
  }

  /// Moves each component to a neighbouring cell if that makes the angle smaller; returns whether
  /// any moved.
  __device__ bool move_all() {
    bool has_moved = false;
    for (std::uint32_t c = 0; c < dimension_; ++c) has_moved |= move(c, 2) || move(c, -2);
    return has_moved;
  }

  __device__ float factor(double squared) const {
    return product_ > 0 ? __double2float_rn(__ddiv_rn(squared, product_)) : 0.0F;
  }

  __device__ float residual(float factor) const {
    double left = 0;
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      const double difference = __dsub_rn(value(c), __dmul_rn(factor, number(c)));
      left = __dadd_rn(left, __dmul_rn(difference, difference));
    }
    return __double2float_rn(__dmul_rn(__dsqrt_rn(left), 1 + 0x1p-20));
  }

 private:
  __device__ float value(std::uint32_t c) const { return values_[c * pitch_]; }
  __device__ int number(std::uint32_t c) const { return numbers_[c * pitch_]; }
  __device__ void set_number(std::uint32_t c, int number) {
    numbers_[c * pitch_] = static_cast<std::int16_t>(number);
  }

  /// Sums in 32 lanes, added up in order.
  __device__ double score_scale(float scale) const {
    const Cells cells(scale, bits_);
    double product = 0;
    double squares = 0;
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
      float own_product = 0;
      float own_squares = 0;
      for (std::uint32_t c = lane; c < dimension_; c += kWarp) {
        const float y = value(c);
        const float own = __fsub_rn(static_cast<float>(2 * cells.cell(y)), cells.last);
        own_product = __fadd_rn(own_product, __fmul_rn(own, y));
        own_squares = __fadd_rn(own_squares, __fmul_rn(own, own));
      }
      product = __dadd_rn(product, own_product);
      squares = __dadd_rn(squares, own_squares);
    }
    return product > 0 ? __ddiv_rn(__dmul_rn(product, product), squares) : 0;
  }

  __device__ bool move(std::uint32_t c, int step) {
    const int before = number(c);
    const int after = before + step;
    if (after > last_ || after < -last_) return false;
    const double product = __dadd_rn(product_, __dmul_rn(step, value(c)));
    const double squares = __dadd_rn(squares_, step * (2 * before + step));
    if (!(product > 0 && __dmul_rn(__dmul_rn(product, product), squares_) >
                             __dmul_rn(__dmul_rn(product_, product_), squares))) {
      return false;
    }
    set_number(c, after);
    product_ = product;
    squares_ = squares;
    return true;
  }

  const float* values_;
  std::int16_t* numbers_;
  std::size_t pitch_;
  std::uint32_t dimension_;
  std::uint32_t bits_;
  int last_;
  double product_ = 0;  ///< of the numbers and the row
  double squares_ = 0;  ///< of the numbers
};

/// Work item: a row, a thread. It reads the row some 30 times (11 scales, 3 or so passes of
/// moves), from the caches where blocks fit; arithmetic in double precision bounds it.
__global__ void __launch_bounds__(kThreads) correct(CorrectTask task, TriedScales tried) {
  const std::uint32_t row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= task.count) return;
  OwnRow own(task, row);
  const double squared = own.squared_length();
  const float usual = __double2float_rn(__dmul_rn(task.scale, __dsqrt_rn(squared)));
  own.set_numbers(own.find_scale(usual, tried));
  for (int pass = 0; pass < kMovePasses && own.move_all(); ++pass) {
  }
  const float factor = own.factor(squared);
  task.factors[row] = factor;
  task.residuals[row] = own.residual(factor);
}

/// Work item: a row and 32 components, a thread. Memory bounds it.
__global__ void __launch_bounds__(kThreads) write_words(CorrectTask task) {
  const std::size_t pitch = CorrectTask::pitch(task.count);
  const std::uint32_t row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= pitch) return;
  const std::uint32_t begin = blockIdx.y * kWarp;
  const bool exists =
      row < task.count && (task.sizes == nullptr || row % kWarp < task.sizes[row / kWarp]);
  const std::uint32_t end = exists ? min(begin + kWarp, task.dimension) : begin;
  const int last = static_cast<int>((1U << task.bits) - 1);
  std::uint32_t own[kMaxBits] = {};
  for (std::uint32_t c = begin; c < end; ++c) {
    const auto cell = static_cast<std::uint32_t>((task.numbers[c * pitch + row] + last) / 2);
#pragma unroll
    for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
      if (bit < task.bits) own[bit] |= (cell >> (task.bits - 1 - bit) & 1U) << (c - begin);
    }
  }
  const std::uint32_t words = gridDim.y * task.bits;
#pragma unroll
  for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
    if (bit >= task.bits) break;
    task.groups[word_place(row, blockIdx.y * task.bits + bit, words)] = own[bit];
  }
}

}  // namespace

void correct_rows(const CorrectTask& task, const Stream& stream) {
  if (task.count == 0) return;
  TriedScales tried{};
  for (std::size_t i = 0; i < kScaleFactors.size(); ++i) tried.factors[i] = kScaleFactors[i];
  const std::uint32_t groups = (task.count - 1) / kWarp + 1;
  const std::uint32_t planes = (task.dimension - 1) / kWarp + 1;
  launch({.name = "turn", .ctas = dim3(groups, planes), .threads = 256, .stream = stream.handle()},
         turn, task);
  const std::uint32_t ctas = (task.count - 1) / kThreads + 1;
  launch({.name = "correct", .ctas = ctas, .threads = kThreads, .stream = stream.handle()}, correct,
         task, tried);
  launch({.name = "write_words",
          .ctas = dim3(ctas, planes),
          .threads = kThreads,
          .stream = stream.handle()},
         write_words, task);
}

}  // namespace warpdex::vector
