// The GPU types of a build without CUDA: there is never a device, and creating anything throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/caller_memory.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {
namespace {

const char* const kReason =
    "this build of Warpdex has no GPU parts: configure it with -DWARPDEX_CUDA=ON where CUDA's "
    "nvcc is installed";

}  // namespace

bool built_with_cuda() { return false; }
int device_count() { return 0; }
std::string why_no_device() { return kReason; }
DeviceInfo device_info(int) { refuse_without_cuda(); }

int device_of(const void*) { refuse_without_cuda(); }
void wait_for_stream(CUstream_st*, int) { refuse_without_cuda(); }
void widen_in_place(std::int64_t*, std::size_t, int) { refuse_without_cuda(); }

Stream::Stream(int) { refuse_without_cuda(); }
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;
void Stream::synchronize() const { refuse_without_cuda(); }
bool Stream::is_idle() const { refuse_without_cuda(); }

Event::Event(int, EventUse) { refuse_without_cuda(); }
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;
Event::~Event() = default;
void Event::record(const Stream&) { refuse_without_cuda(); }
void Event::make_wait(const Stream&) const { refuse_without_cuda(); }
bool Event::has_passed() const { refuse_without_cuda(); }
void Event::synchronize() const { refuse_without_cuda(); }
double Event::seconds_since(const Event&) const { refuse_without_cuda(); }

DeviceBuffer::DeviceBuffer(std::size_t, int) { refuse_without_cuda(); }
DeviceBuffer::DeviceBuffer(DeviceBuffer&&) noexcept = default;
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&&) noexcept = default;
DeviceBuffer::~DeviceBuffer() = default;
void DeviceBuffer::upload(std::span<const std::uint8_t>, const Stream&, std::size_t) {
  refuse_without_cuda();
}
void DeviceBuffer::download(std::span<std::uint8_t>, const Stream&, std::size_t) const {
  refuse_without_cuda();
}
void DeviceBuffer::fill(std::uint8_t, const Stream&) { refuse_without_cuda(); }

PinnedBuffer::PinnedBuffer(std::size_t) { refuse_without_cuda(); }
PinnedBuffer::PinnedBuffer(PinnedBuffer&&) noexcept = default;
PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&&) noexcept = default;
PinnedBuffer::~PinnedBuffer() = default;

}  // namespace warpdex
