// Copies have a stream of their own, which waits for the stream of the work and the other way
// round.
#include "lists/build/gpu/row_stream.hpp"

#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

void reserve_both(std::array<PinnedBuffer, 2>& buffers, std::size_t bytes) {
  for (PinnedBuffer& buffer : buffers) {
    if (buffer.size() >= bytes) continue;
    buffer = PinnedBuffer();
    buffer = PinnedBuffer(bytes);
  }
}

std::array<Event, 2> two_events(int device) {
  return {Event(device, EventUse::kOrder), Event(device, EventUse::kOrder)};
}

}  // namespace

RowStream::RowStream(int device)
    : copies_(device), sent_(two_events(device)), released_(two_events(device)) {}

RowStream::~RowStream() {
  try {
    copies_.synchronize();
  } catch (...) {
    // The next call that waits gets the error as well.
  }
}

void RowStream::reserve(std::size_t bytes) { reserve_both(buffers_, bytes); }

void* RowStream::buffer(std::size_t block) {
  sent_[block % 2].synchronize();
  return buffers_[block % 2].data();
}

void RowStream::send(std::size_t block, void* to, std::size_t bytes) {
  released_[block % 2].make_wait(copies_);
  copy_to_gpu(static_cast<std::uint8_t*>(to),
              static_cast<const std::uint8_t*>(buffers_[block % 2].data()), bytes, copies_);
  sent_[block % 2].record(copies_);
}

void RowStream::await(std::size_t block, const Stream& stream) const {
  sent_[block % 2].make_wait(stream);
}

void RowStream::release(std::size_t block, const Stream& stream) {
  released_[block % 2].record(stream);
}

ResultStream::ResultStream(int device) : done_(two_events(device)) {}

void ResultStream::reserve(std::size_t bytes) { reserve_both(buffers_, bytes); }

}  // namespace warpdex::vector
