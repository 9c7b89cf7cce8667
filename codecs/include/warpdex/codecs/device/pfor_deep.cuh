// Reads arrays of a `pfor` tail whose own exceptions are compressed recursively. Internal to
// codecs/device/.
#pragma once

#include "warpdex/codecs/device/pfor_exceptions.cuh"

namespace warpdex::device::pfor {

/// Reads a range of an array whose exceptions have levels of recursion. It recurses without a call
/// stack: tasks that wait for an array of the level below are kept in the warp's scratch memory, so
/// that few registers are needed. Such arrays are short and rarely read, so this need not be fast.
class DeepReader {
 public:
  __device__ __forceinline__ DeepReader(const Bytes& bytes, WarpScratch& scratch)
      : bytes_(bytes), frames_(reinterpret_cast<Frame*>(scratch.words)) {}

  /// The values of a range of up to 32, one a lane. `levels` is the number of levels of the array's
  /// exceptions, `blocks` the number of blocks that the array is cut into for them.
  __device__ __forceinline__ std::uint32_t read(const Array& array, std::uint32_t blocks,
                                                std::uint32_t levels, const Range& range) {
    levels_ = levels;
    enter(array, blocks, range);
    while (true) {
      if (task_.block <= task_.last_block()) {
        step();
      } else if (depth_ == 0) {
        return value_;
      } else {
        go_back();
      }
    }
  }

 private:
  /// A range of an array that is being read. Its exceptions are added, up to 32 at a time.
  struct Task {
    Range range;
    std::uint32_t width;       ///< of the values' low bits
    std::uint32_t exceptions;  ///< offset of the exceptions
    std::uint32_t blocks;      ///< blocks of values that have them
    std::uint32_t block;       ///< the block whose exceptions are added next; behind the last if
                               ///< none
    std::uint32_t done;        ///< exceptions of the block that were added
    std::uint32_t next;        ///< position in the block behind these
    Targets targets;           ///< of the exceptions to add next, once their positions are known

    __device__ __forceinline__ std::uint32_t last_block() const {
      return (range.start + range.count - 1) / kBlockSize;
    }
  };
  /// A task that waits for an array of the level below, with its values so far.
  struct Frame {
    std::uint32_t values[kWarp];
    Task task;
  };
  static_assert((kMaxPforLevels - 1) * sizeof(Frame) <= sizeof(WarpScratch));

  __device__ __forceinline__ void enter(const Array& array, std::uint32_t blocks,
                                        const Range& range) {
    value_ = read_packed(bytes_, array, range);
    const std::uint32_t first = range.start / kBlockSize;
    task_ = {range, array.width, array.exceptions, blocks, first, 0, 0, {}};
    if (array.exceptions == 0) task_.block = task_.last_block() + 1;
  }

  /// Continues the task with its next exceptions. Reads them at once if they are plain. Else starts
  /// to read their gaps or, if their positions are known, their high bits.
  __device__ __forceinline__ void step() {
    const Tail tail = {task_.exceptions, task_.blocks, levels_};
    if (levels_ == 0) {
      add_plain(bytes_, tail, task_.range, task_.width, value_);
      task_.block = task_.last_block() + 1;
      return;
    }
    const Counts counts = parse_counts(bytes_, tail);
    const Range all = range_of(bytes_, counts, task_.block);
    if (task_.done >= all.count) {
      ++task_.block;
      task_.done = 0;
      task_.next = 0;
      return;
    }
    Arrays arrays = {};
    arrays.parse(bytes_, tail, counts);
    Array array = arrays.gaps;
    if (task_.targets.lanes != 0) array = arrays.highs;
    wait();
    enter(array, arrays.inner_blocks, {all.start + task_.done, min(all.count - task_.done, kWarp)});
  }

  /// Saves the task, and starts one of the level below.
  __device__ __forceinline__ void wait() {
    Frame& frame = frames_[depth_];
    frame.values[lane_id()] = value_;
    if (lane_id() == 0) frame.task = task_;
    __syncwarp();
    ++depth_;
    --levels_;
  }

  /// Resumes the saved task with the values that it waited for.
  __device__ __forceinline__ void go_back() {
    const std::uint32_t read = value_;
    const std::uint32_t count = task_.range.count;
    --depth_;
    ++levels_;
    value_ = frames_[depth_].values[lane_id()];
    task_ = frames_[depth_].task;
    __syncwarp();
    if (task_.targets.lanes == 0) {
      find_targets(read, count);
      if (task_.targets.lanes != 0) return;
    } else {
      value_ += task_.targets.bring(read + 1) << task_.width;
      task_.targets = {};
    }
    task_.done += kWarp;
  }

  /// Computes the targets from the gaps of the next `count` exceptions.
  __device__ __forceinline__ void find_targets(std::uint32_t gap, std::uint32_t count) {
    const std::uint32_t position = task_.next + inclusive_sum(gap + 1) - 1;
    task_.next = __shfl_sync(kWholeWarp, position, count - 1) + 1;
    const std::uint32_t target = task_.block * kBlockSize + position - task_.range.start;
    const bool has = lane_id() < count && position < kBlockSize && target < task_.range.count;
    task_.targets = Targets(has ? target : kWarp);
  }

  const Bytes bytes_;
  Frame* frames_;
  Task task_ = {};
  std::uint32_t value_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t levels_ = 0;  ///< of the task's exceptions
};

}  // namespace warpdex::device::pfor
