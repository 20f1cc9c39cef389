# SPDX-License-Identifier: Apache-2.0
# The two commands of the README are `make run` and `make test`; `make` alone lists the rest.
# Every target first installs what it misses (tools/setup says what), except where SETUP=no.
# One tree, build/release, serves them all: tests, benchmarks and CUDA add to it, and none of them
# compiles again what is there.

SHELL  := bash
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
SETUP  ?= yes
CUDA   ?=
FOLDER ?=
GPU_RESULTS ?= bench/results/h200
setup  := $(if $(filter no,$(SETUP)),@true,@tools/setup)
tree   := build/release
ninja  := cmake --build $(tree) -j $(JOBS) --target
export JOBS

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test test-python wheel test-wheel test-all test-long test-exhaustive \
  test-arch
.PHONY: check lint lint-all format sanitize fuzz bench bench-gpu install clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
	@echo '  make run ARGS="sum FILE.npy --axis 0"   the program on your file'
	@echo '  make run CUDA=ON     the CUDA engine too, although this machine has no GPU'

run: build ## build, then the tour (or the program on ARGS)
	@$(tree)/$(if $(ARGS),onefold $(ARGS),onefold-tour)
	@$(if $(ARGS),,cat $(tree)/summary.txt)

# The first configuration is without tests, whose libraries may not be there yet; later ones keep
# what the tree has.
build: ## the library, the program and the ladder, in build/release
	$(setup) build
	@test -f $(tree)/build.ninja || cmake --preset release -DONEFOLD_TESTS=OFF
	@$(if $(CUDA),cmake -DONEFOLD_CUDA=$(CUDA) $(tree))
	@$(ninja) product

# With FOLDER=cpu or FOLDER=cuda/kernels/keys: the tests of that folder alone, in cuda those of
# `check` too.
test: build ## build with the tests and run those that this machine can
	$(setup) test
	@cmake -DONEFOLD_TESTS=$(if $(filter cuda% tools%,$(FOLDER)),ALL,ON) $(tree)
	@$(ninja) product $(if $(FOLDER),tests/$(FOLDER)/all,tests/all examples/all conformance/all)
	@ctest --test-dir $(tree)$(FOLDER:%=/tests/%) -LE '^long$$' --output-on-failure --timeout 600 \
	  -j $(JOBS) --no-label-summary --no-tests=error
	@$(if $(FOLDER),,tools/test_python $(tree))

test-python: build ## the Python package: build the module, run its tests
	$(setup) python
	@tools/test_python --required $(tree) $(ARGS)

wheel: ## dist/: source distribution and wheels; ARGS="--cuda python3.11 python3.12"
	$(setup) build python wheel
	@tools/wheel $(ARGS)

test-wheel: ## the wheels of dist/ as users get them: installed, their tests
	$(setup) python
	@tools/test_wheel $(ARGS)

check: ## everything that a change has to pass, stage by stage: about an hour
	$(setup) check
	@tools/check $(ARGS)

.PHONY: all-tests
all-tests: build
	$(setup) test check
	@cmake -DONEFOLD_TESTS=ALL $(tree)
	@$(ninja) tests/all examples/all conformance/all

test-all: all-tests ## the tests of `make test`, and those labelled `check` and `cuda`
	@ctest --preset release -j $(JOBS) --no-label-summary

test-long: all-tests ## the tests labelled `long`: hours
	@ctest --preset long --no-label-summary

test-exhaustive: all-tests ## every pair of the 16-bit formats: minutes; writes the result down
	@$(tree)/tests/exhaustive/exhaustive_pairs tests/exhaustive/results.txt $(JOBS)
	@cat tests/exhaustive/results.txt

test-arch: ## the tests and the vectors on aarch64 and big-endian s390x, under qemu
	$(setup) build test arch
	@tools/test_arch $(ARGS)

lint: ## format, layout, words, pages, scripts, spelling, clang-tidy on the library and the program
	$(setup) build lint
	@tools/lint

lint-all: ## the same, with clang-tidy on everything
	$(setup) build test check lint
	@tools/lint --all

format: ## write the layout that lint asks for
	$(setup) lint
	@git ls-files -co --exclude-standard '*.hpp' '*.cpp' '*.h' '*.cuh' '*.cu' | xargs clang-format -i

sanitize: ## the tests under AddressSanitizer, UBSan and ThreadSanitizer
	$(setup) build test sanitize
	@tools/sanitize asan-ubsan tsan

fuzz: ## every libFuzzer target for FUZZ_SECONDS (60)
	$(setup) build test sanitize
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
	@cmake --install $(tree) --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build
