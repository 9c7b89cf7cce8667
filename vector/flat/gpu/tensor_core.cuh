// The instructions that products of panels are made of.
#pragma once

#include <cstdint>

namespace warpdex::vector {

/// The address of shared memory as instructions take it.
__device__ __forceinline__ std::uint32_t shared_address(const void* memory) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
}

/// Writes to shared memory.
__device__ __forceinline__ void store_16_bytes(std::uint32_t to, const uint4& bytes) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(bytes.x), "r"(bytes.y),
               "r"(bytes.z), "r"(bytes.w)
               : "memory");
}
__device__ __forceinline__ void store_float(std::uint32_t to, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}
#if __CUDA_ARCH__ >= 800

/// Starts the copy of 16 bytes from global to shared memory.
__device__ __forceinline__ void copy_16_bytes(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
/// Ends a group of copies.
__device__ __forceinline__ void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most kGroups groups of this thread's copies are under way.
template <int kGroups>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

#else

// A T4 copies through registers: each copy has ended when the function returns.
__device__ __forceinline__ void copy_16_bytes(std::uint32_t to, const void* from) {
  store_16_bytes(to, *static_cast<const uint4*>(from));
}
__device__ __forceinline__ void end_copies() {}
template <int kGroups>
__device__ __forceinline__ void wait_for_copies() {}

#endif

/// Four matrices of 8 x 8 halves; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(std::uint32_t address, std::uint32_t (&halves)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(halves[0]), "=r"(halves[1]), "=r"(halves[2]), "=r"(halves[3])
               : "r"(address)
               : "memory");
}

#if __CUDA_ARCH__ >= 800

/// sums += left * right, 16 x 16 times 16 x 8 halves. A lane's sums are of rows l / 4 and l / 4 +
/// 8, columns l % 4 * 2 and the next: (row, column), (row, column + 1), (row + 8, column), ...
__device__ __forceinline__ void multiply_add(float (&sums)[4], const std::uint32_t (&left)[4],
                                             std::uint32_t right_low, std::uint32_t right_high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
}

/// Likewise 16 x 32 times 32 x 8 signed bytes. Where halves had two, a register has four bytes.
__device__ __forceinline__ void multiply_add(std::int32_t (&sums)[4],
                                             const std::uint32_t (&left)[4],
                                             std::uint32_t right_low, std::uint32_t right_high) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
}

#else

// The same by the products of half a row, and of eight rows, that a T4 has.
__device__ __forceinline__ void multiply_add_half(float (&sums)[4], std::uint32_t left_upper,
                                                  std::uint32_t left_lower, std::uint32_t right) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left_upper), "r"(left_lower), "r"(right));
}
__device__ __forceinline__ void multiply_add(float (&sums)[4], const std::uint32_t (&left)[4],
                                             std::uint32_t right_low, std::uint32_t right_high) {
  multiply_add_half(sums, left[0], left[1], right_low);
  multiply_add_half(sums, left[2], left[3], right_high);
}

__device__ __forceinline__ void multiply_add_half(std::int32_t& sum, std::int32_t& next,
                                                  std::uint32_t left, std::uint32_t right) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(sum), "+r"(next)
               : "r"(left), "r"(right));
}
__device__ __forceinline__ void multiply_add(std::int32_t (&sums)[4],
                                             const std::uint32_t (&left)[4],
                                             std::uint32_t right_low, std::uint32_t right_high) {
  multiply_add_half(sums[0], sums[1], left[0], right_low);
  multiply_add_half(sums[2], sums[3], left[1], right_low);
  multiply_add_half(sums[0], sums[1], left[2], right_high);
  multiply_add_half(sums[2], sums[3], left[3], right_high);
}

#endif

}  // namespace warpdex::vector
