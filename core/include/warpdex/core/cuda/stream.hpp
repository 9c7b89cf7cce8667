// A CUDA stream and its events, owned. Builds without CUDA have them too; their constructors
// throw there.
#pragma once

// CUDA's own opaque types, so that this header needs none of CUDA's.
struct CUstream_st;
struct CUevent_st;

namespace warpdex {

/// A queue of work on one GPU, apart from the default stream. Move-only; used by one thread at a
/// time.
class Stream {
 public:
  /// An empty queue. Throws CudaError where `device` does not exist.
  explicit Stream(int device = 0);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  /// The GPU that the work runs on, from 0.
  int device() const { return device_; }
  /// The cudaStream_t.
  CUstream_st* handle() const { return handle_; }

  /// Returns when all that was queued is done. Throws CudaError if any of it failed.
  void synchronize() const;
  /// Whether all that was queued is done. Throws CudaError if any of it failed.
  bool is_idle() const;

 private:
  int device_ = 0;
  CUstream_st* handle_ = nullptr;
};

/// What an event is for: to be timed, or only to order what streams do, which costs these less.
enum class EventUse { kTiming, kOrder };

/// A moment in a stream's work. Move-only.
class Event {
 public:
  /// Not recorded yet. Throws CudaError where `device` does not exist.
  explicit Event(int device = 0, EventUse use = EventUse::kTiming);
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();

  /// Marks the moment when all that was queued in `stream` so far is done.
  void record(const Stream& stream);
  /// Makes what is queued in `stream` from now on wait for this event's moment.
  void hold_back(const Stream& stream) const;
  /// Whether the moment has passed, or none was recorded. Throws CudaError if work before it
  /// failed.
  bool has_passed() const;
  /// Returns when the moment has passed.
  void synchronize() const;
  /// Seconds from `start` to this event, to about half a microsecond. Both for timing, recorded and
  /// passed.
  double seconds_since(const Event& start) const;

 private:
  int device_ = 0;
  CUevent_st* handle_ = nullptr;
};

}  // namespace warpdex
