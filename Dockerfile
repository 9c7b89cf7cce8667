# Images with the program, the libraries and the headers, as an installed Debian package:
#   docker build -t warpdex .                       Debian 12, without CUDA
#   docker build --target cuda -t warpdex:cuda .    Ubuntu 24.04, with CUDA
#   docker run --rm -v "$PWD:/work" warpdex search INDEX WORDS
#   docker run --rm --gpus all -v "$PWD:/work" warpdex:cuda search INDEX --device gpu WORDS
# The steps are those of README.md, "Building by hand". To embed the libraries, install
# tools/install-packages' list on top.
#
# This file has not been run yet.
ARG CUDA=13.0.1

# Device code: for compute capability 9.0, and for 8.0 as PTX, which the driver translates for others.
FROM nvidia/cuda:${CUDA}-devel-ubuntu24.04 AS cuda-build
WORKDIR /warpdex
COPY tools/install-packages tools/
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev file && tools/install-packages
COPY . .
RUN cmake --preset release-cuda -DWARPDEX_TESTS=OFF '-DCMAKE_CUDA_ARCHITECTURES=80-virtual;90-real' \
 && cmake --build --preset release-cuda && cd build/release-cuda && cpack

FROM nvidia/cuda:${CUDA}-base-ubuntu24.04 AS cuda
COPY --from=cuda-build /warpdex/build/release-cuda/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["warpdex"]

FROM debian:12 AS cpu-build
WORKDIR /warpdex
COPY tools/install-packages tools/
RUN apt-get update && apt-get install -y --no-install-recommends dpkg-dev file && tools/install-packages
COPY . .
RUN cmake --preset release -DWARPDEX_TESTS=OFF && cmake --build --preset release \
 && cd build/release && cpack

FROM debian:12-slim AS cpu
COPY --from=cpu-build /warpdex/build/release/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/*.deb \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["warpdex"]
