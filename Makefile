# SPDX-License-Identifier: Apache-2.0
# The two commands of the README are `make run` and `make test`; `make` alone lists the rest.
# Every target first installs what it misses (tools/setup says what), except where SETUP=no.

SHELL  := bash
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
SETUP  ?= yes
GPU_RESULTS ?= bench/results/h200
setup  := $(if $(filter no,$(SETUP)),@true,@tools/setup)
export JOBS

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test test-long lint lint-all format sanitize fuzz bench install clean
.PHONY: test-exhaustive bench-gpu

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
	@echo '  make run ARGS="sum FILE.npy --axis 0"   the program on your file'

run: build ## build, then the tour (or the program on ARGS)
	@build/release/$(if $(ARGS),onefold $(ARGS),onefold-tour)

# A tree that is configured with its tests keeps them; a first `make run` does without.
build: ## the library, the program and the ladder, in build/release
	$(setup) build
	@test -f build/release/build.ninja || cmake --preset release -DONEFOLD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) \
	  --target src/all apps/onefold/all apps/tour/all ladder/all

# In CI, which has no GPU: a fourth less to compile than for two architectures.
.PHONY: build-tests
build-tests:
	$(setup) build test
	@cmake --preset release -DONEFOLD_TESTS=ON $(if $(CI),-DCMAKE_CUDA_ARCHITECTURES=90)
	@cmake --build --preset release -j $(JOBS)

test: build-tests ## build with the tests and run those that this machine can
	@ctest --preset release -j $(JOBS) --no-label-summary

test-long: build-tests ## the tests labelled `long`: hours
	@ctest --preset long --no-label-summary

test-exhaustive: build-tests ## every pair of the 16-bit formats: minutes; writes the result down
	@build/release/tests/exhaustive/exhaustive_pairs tests/exhaustive/results.txt $(JOBS)
	@cat tests/exhaustive/results.txt

.PHONY: test-arch
test-arch: ## the tests and the vectors on aarch64 and big-endian s390x, under qemu
	$(setup) build test arch
	@tools/test_arch $(ARGS)

lint: ## format, layout, pages, scripts, spelling, clang-tidy on the library and the program
	$(setup) build lint
	@test -f build/release/build.ninja || cmake --preset release -DONEFOLD_TESTS=OFF
	@tools/lint

lint-all: ## the same, with clang-tidy on everything
	$(setup) build test lint
	@cmake --preset release -DONEFOLD_TESTS=ON
	@tools/lint --all

format: ## write the layout that lint asks for
	$(setup) lint
	@git ls-files -co --exclude-standard '*.hpp' '*.cpp' '*.h' '*.cuh' '*.cu' | xargs clang-format -i

sanitize: ## the tests under AddressSanitizer, UBSan and ThreadSanitizer
	$(setup) build test
	@tools/sanitize asan-ubsan tsan

fuzz: ## every libFuzzer target for FUZZ_SECONDS (60)
	$(setup) build test fuzz
	@tools/fuzz $(ARGS)

bench: ## the benchmarks with their peers; ARGS go to each
	$(setup) build bench
	@tools/bench $(ARGS)

bench-gpu: ## the engine on this machine's GPU into GPU_RESULTS (bench/results/h200), and the table
	@tools/gpu_check engine-bench -o $(GPU_RESULTS)
	@tools/gpu_check engine-bench-many -o $(GPU_RESULTS)
	@tools/gpu_check engine-peers -o $(GPU_RESULTS)
	@python3 bench/report_gpu.py $(GPU_RESULTS)

install: build ## into PREFIX (/usr/local)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build
