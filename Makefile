# Thin front to CMake: the work is in CMakeLists.txt, CMakePresets.json and tools/.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-quick bench lint lint-quick format docs coverage clean

help:                ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1    \2/p' $(MAKEFILE_LIST)

setup:               ## install what is missing of compilers and libraries
	@tools/setup

demo: setup          ## build the examples and run the demo; writes out/demo.csv and out/demo.svg
	@tools/build release all_examples
	@mkdir -p out
	build/release/examples/demo out

test: setup          ## all tests: gcc, sanitizers, clang, threads, and the quick checks
	@tools/test release debug release-clang tsan
	@$(MAKE) --no-print-directory lint-quick

test-quick: setup    ## the tests with gcc at -O2 only
	@tools/test release

bench: setup         ## build and run the benchmarks, count instructions
	@tools/build release
	@for b in bench/*.c; do [ -e "$$b" ] || continue; n=$$(basename "$$b" .c); echo "== $$n"; build/release/bench/$$n || exit 1; done
	@echo "== instructions"; bench/count-instructions build/release

lint: setup lint-quick  ## clang-tidy, cppcheck, format and include order
	@tools/lint

lint-quick:          ## format and include order only
	@tools/check-format
	@tools/check-includes

format:              ## clang-format all sources in place
	@tools/check-format --fix

docs: setup          ## documentation of the public headers, in build/docs/html
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@echo "build/docs/html/index.html"

coverage: setup      ## line coverage of src/ by the tests; fails below 90 %
	@tools/coverage

clean:               ## remove build/ and out/
	rm -rf build out
