// The GPU types of a build without CUDA: there is never a device, and creating anything throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/core/cuda/buffer.hpp"
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
DeviceInfo device_info(int) { refuse(); }

Stream::Stream(int) { refuse(); }
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;
void Stream::synchronize() const { refuse(); }
bool Stream::is_idle() const { refuse(); }

Event::Event(int, EventUse) { refuse(); }
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;
Event::~Event() = default;
void Event::record(const Stream&) { refuse(); }
void Event::make_wait(const Stream&) const { refuse(); }
bool Event::has_passed() const { refuse(); }
void Event::synchronize() const { refuse(); }
double Event::seconds_since(const Event&) const { refuse(); }

DeviceBuffer::DeviceBuffer(std::size_t, int) { refuse(); }
DeviceBuffer::DeviceBuffer(DeviceBuffer&&) noexcept = default;
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&&) noexcept = default;
DeviceBuffer::~DeviceBuffer() = default;
void DeviceBuffer::upload(std::span<const std::uint8_t>, const Stream&, std::size_t) { refuse(); }
void DeviceBuffer::download(std::span<std::uint8_t>, const Stream&, std::size_t) const { refuse(); }
void DeviceBuffer::fill(std::uint8_t, const Stream&) { refuse(); }

PinnedBuffer::PinnedBuffer(std::size_t) { refuse(); }
PinnedBuffer::PinnedBuffer(PinnedBuffer&&) noexcept = default;
PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&&) noexcept = default;
PinnedBuffer::~PinnedBuffer() = default;

}  // namespace warpdex
