// A list that the store has is copied from there. Others are staged first, in the store or, where
// it is full, in two halves of pinned memory, filled in turn. Staging is bound by the threads'
// copies from the map (about 8 GB/s each) up to what the bus takes (about 50 GB/s).
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

ListUploader::ListUploader(std::size_t most, PinnedListStore& store, int device)
    : half_bytes_(std::clamp(most, std::size_t{4096}, kHalfBytes)),
      store_(store),
      device_(device),
      stream_(device) {}

void ListUploader::add(ListSpace::Id list, const ListImage& image, std::uint8_t* target) {
  bytes_ += image.bytes;
  const PinnedListStore::Copy copy = store_.find_or_take(list, image.bytes);
  if (copy.memory == nullptr) return add_by_halves(image, target);
  device_copies_.push_back({target, copy.memory, image.bytes});
  if (copy.is_filled) return;
  stage(image, 0, image.bytes, copy.memory);
  stored_.push_back(list);
  staged_ += image.bytes;
  if (staged_ >= kHalfBytes) send();
}

void ListUploader::add_by_halves(const ListImage& image, std::uint8_t* target) {
  while (halves_.size() < 2) halves_.push_back({PinnedBuffer(half_bytes_), Event(device_)});
  for (std::size_t done = 0; done < image.bytes;) {
    if (filled_ == half_bytes_) send();
    const std::size_t bytes = std::min(half_bytes_ - filled_, image.bytes - done);
    auto* const memory = static_cast<std::uint8_t*>(halves_[current_].memory.data()) + filled_;
    stage(image, done, bytes, memory);
    device_copies_.push_back({target + done, memory, bytes});
    filled_ += bytes;
    done += bytes;
  }
}

/// Notes the copies of the image's bytes from `begin` on to pinned memory.
void ListUploader::stage(const ListImage& image, std::size_t begin, std::size_t bytes,
                         std::uint8_t* memory) {
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

/// Copies to pinned memory and queues the copies from there; one half is free on return.
void ListUploader::send() {
  copy_to_pinned();
  for (const ListSpace::Id list : stored_) store_.filled(list);
  const CurrentDevice current(device_);
  for (const DeviceCopy& copy : device_copies_) {
    check_cuda(
        cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, stream_.handle()),
        "cudaMemcpyAsync of lists");
  }
  const bool uses_half = filled_ > 0;
  clear();
  if (!uses_half) return;
  halves_[current_].read.record(stream_);
  current_ = 1 - current_;
  halves_[current_].read.synchronize();
}

void ListUploader::clear() {
  host_copies_.clear();
  device_copies_.clear();
  stored_.clear();
  staged_ = 0;
  filled_ = 0;
}

void ListUploader::flush(Event& arrived) {
  if (!device_copies_.empty()) send();
  arrived.record(stream_);
}

void ListUploader::wait_quietly() noexcept {
  clear();
  cudaStreamSynchronize(stream_.handle());
}

}  // namespace warpdex::gpu
