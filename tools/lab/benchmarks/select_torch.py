#!/usr/bin/env python3
"""What warpdex_bench_select is compared with: torch.topk on the same kinds of matrices."""
import statistics
import torch


def microseconds(call, repetitions):
    times = []
    for i in range(repetitions + 1):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call(i)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times[1:])


def main():
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    generator = torch.Generator("cuda").manual_seed(1)
    for rows, columns, ks in ((10_000, 131_072, (10, 100, 1000)), (8, 5_000_000, (10, 100, 1000))):
        keys = torch.rand(rows, columns, device="cuda", generator=generator)
        for k in ks:
            if rows == 8:
                time = microseconds(lambda i: torch.topk(keys[i % 8], k), 40)
                size = columns * 4
            else:
                time = microseconds(lambda i: torch.topk(keys, k), 3)
                size = rows * columns * 4
            print(f"{rows if rows != 8 else 1:>7} x {columns:>8}  k {k:>5}  {time:>10.1f} us  "
                  f"{size / time / 1e3:>8.1f} GB/s")


if __name__ == "__main__":
    main()
