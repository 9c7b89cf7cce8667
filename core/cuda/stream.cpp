// Streams and events by the CUDA runtime.
#include "warpdex/core/cuda/stream.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/stream_priority.hpp"

namespace warpdex {
namespace {

/// The result of asking whether work is done. Throws CudaError if the work failed.
bool is_ready(cudaError_t status, const char* call) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // not a failure: the next check must not find it
    return false;
  }
  check_cuda(status, call);
  return true;
}

/// A stream's priority among those of the GPU, of which smaller numbers come first.
int priority_of(StreamPriority priority, int last, int first) {
  if (priority == StreamPriority::kUsual) return last;
  return priority == StreamPriority::kFirst ? first : std::min(first + 1, last);
}

}  // namespace

Stream::Stream(int device) : device_(device) {
  const CurrentDevice current(device);
  int last = 0;
  int first = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&last, &first), "cudaDeviceGetStreamPriorityRange");
  check_cuda(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking,
                                          priority_of(StreamPriorityScope::current(), last, first)),
             "cudaStreamCreateWithPriority");
}

Stream::Stream(Stream&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  return *this;
}

Stream::~Stream() {
  if (handle_ != nullptr) cudaStreamDestroy(handle_);
}

void Stream::synchronize() const {
  check_cuda(cudaStreamSynchronize(handle_), "cudaStreamSynchronize");
}

bool Stream::is_idle() const { return is_ready(cudaStreamQuery(handle_), "cudaStreamQuery"); }

Event::Event(int device, EventUse use) : device_(device) {
  const CurrentDevice current(device);
  const unsigned int flags = use == EventUse::kTiming ? cudaEventDefault : cudaEventDisableTiming;
  check_cuda(cudaEventCreateWithFlags(&handle_, flags), "cudaEventCreateWithFlags");
}

Event::Event(Event&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  return *this;
}

Event::~Event() {
  if (handle_ != nullptr) cudaEventDestroy(handle_);
}

void Event::record(const Stream& stream) {
  check_cuda(cudaEventRecord(handle_, stream.handle()), "cudaEventRecord");
}

void Event::make_wait(const Stream& stream) const {
  check_cuda(cudaStreamWaitEvent(stream.handle(), handle_), "cudaStreamWaitEvent");
}

bool Event::has_passed() const { return is_ready(cudaEventQuery(handle_), "cudaEventQuery"); }

void Event::synchronize() const {
  check_cuda(cudaEventSynchronize(handle_), "cudaEventSynchronize");
}

double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace warpdex
