// Two halves of pinned memory, filled in turn. Bound by the threads' copies from the map (about
// 8 GB/s each) up to what the bus takes (about 50 GB/s).
#include "warpdex/query/gpu/list_uploader.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kHalfBytes = std::size_t{16} << 20;
/// What a thread copies at a time: worth the start of a thread.
constexpr std::size_t kShare = std::size_t{512} << 10;
constexpr std::size_t kMostThreads = 8;

}  // namespace

ListUploader::ListUploader(std::size_t most, int device)
    : half_bytes_(std::clamp(most, std::size_t{4096}, kHalfBytes)),
      device_(device),
      stream_(device) {}

void ListUploader::add(const ListImage& image, std::uint8_t* target) {
  if (halves_.empty()) {
    for (int i = 0; i < 2; ++i) halves_.push_back({PinnedBuffer(half_bytes_), Event(device_)});
  }
  bytes_ += image.bytes;
  for (std::size_t done = 0; done < image.bytes;) {
    if (filled_ == half_bytes_) send();
    const std::size_t bytes = std::min(half_bytes_ - filled_, image.bytes - done);
    stage(image, done, bytes);
    if (!device_copies_.empty() &&
        device_copies_.back().to + device_copies_.back().bytes == target + done) {
      device_copies_.back().bytes += bytes;
    } else {
      device_copies_.push_back({target + done, filled_, bytes});
    }
    filled_ += bytes;
    done += bytes;
  }
}

/// Notes the copies of the image's bytes from `begin` on to the current half.
void ListUploader::stage(const ListImage& image, std::size_t begin, std::size_t bytes) {
  auto* const memory = static_cast<std::uint8_t*>(halves_[current_].memory.data()) + filled_;
  for (const ListImage::Piece& piece : image.pieces) {
    std::size_t from = std::max(piece.offset, begin);
    const std::size_t end = std::min(piece.offset + piece.bytes.size(), begin + bytes);
    while (from < end) {
      const std::size_t count = std::min(end - from, kShare);
      host_copies_.push_back(
          {memory + (from - begin), piece.bytes.data() + (from - piece.offset), count});
      from += count;
    }
  }
}

void ListUploader::copy_to_pinned() const {
  std::vector<std::size_t> firsts;  // of each thread's next share
  std::size_t sum = kShare;
  for (std::size_t i = 0; i < host_copies_.size(); ++i) {
    if (sum >= kShare) {
      firsts.push_back(i);
      sum = 0;
    }
    sum += host_copies_[i].bytes;
  }
  const std::size_t shares = firsts.size();
  firsts.push_back(host_copies_.size());
  parallel_for(std::min(default_threads(), kMostThreads), shares, [&](std::size_t, std::size_t i) {
    for (std::size_t copy = firsts[i]; copy < firsts[i + 1]; ++copy) {
      const HostCopy& each = host_copies_[copy];
      std::memcpy(each.to, each.from, each.bytes);
    }
  });
}

/// Fills the current half and queues its copies; the other half is free on return.
void ListUploader::send() {
  copy_to_pinned();
  Half& half = halves_[current_];
  const auto* const memory = static_cast<const std::uint8_t*>(half.memory.data());
  const CurrentDevice current(device_);
  for (const DeviceCopy& copy : device_copies_) {
    check_cuda(cudaMemcpyAsync(copy.to, memory + copy.from, copy.bytes, cudaMemcpyHostToDevice,
                               stream_.handle()),
               "cudaMemcpyAsync of lists");
  }
  half.read.record(stream_);
  host_copies_.clear();
  device_copies_.clear();
  filled_ = 0;
  current_ = 1 - current_;
  halves_[current_].read.synchronize();
}

void ListUploader::flush(Event& arrived) {
  if (filled_ > 0) send();
  arrived.record(stream_);
}

void ListUploader::wait_quietly() noexcept {
  host_copies_.clear();
  device_copies_.clear();
  filled_ = 0;
  cudaStreamSynchronize(stream_.handle());
}

}  // namespace warpdex::gpu
