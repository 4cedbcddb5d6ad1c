# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Thin front to CMake: the work is in CMakeLists.txt, CMakePresets.json and tools/.
.DEFAULT_GOAL := help
.PHONY: help setup setup-build demo install package dist python python-fuzz wasm simulate site bench-wasm attack test test-quick nightly test-without-libraries experiments studies gallery fuzz kills bench bench-siconos bench-peers bench-front bench-robots study-captured study-packing study-pile study-lcp study-piles study-pairs study-shots lint lint-quick format docs coverage clean

help:                ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1    \2/p' $(MAKEFILE_LIST)

setup:               ## install the packages that are missing, to build, test and check perp
	@tools/setup

setup-build:         ## install only those that are needed to build, install and package it
	@tools/setup build

# moments of the picture in README.md
DEMO_PICTURE = --at 0 --at 0.65 --at 0.85 --at 1 --at 1.25 --at 2.5 --panels --zoom 1.35 --size 1200x640

demo: setup-build    ## build, simulate scenes/demo.yaml, write its recording, plots and a picture to out/
	@tools/viewer || true
	@tools/build release perp_installed
	@mkdir -p out
	build/release/cli/perp run scenes/demo.yaml --output out/demo.h5 --force
	@build/release/cli/perp plot out/demo.h5 energy certificate --output out/demo-figures.svg
	@build/release/cli/perp render out/demo.h5 out/demo.png $(DEMO_PICTURE) --force
	@printf '\nrecording  out/demo.h5\npicture    out/demo.png\nplots      out/demo-figures.svg\n'
	@printf '\nto see it move:\n    build/release/cli/perp view out/demo.h5\n'

PREFIX ?= /usr/local

install: setup-build ## install program and library under PREFIX (/usr/local); DESTDIR=... as usual
	@tools/viewer || true
	@tools/build release perp_installed
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)" >build/install.log || { cat build/install.log; exit 1; }
	@echo "installed under $(DESTDIR)$(PREFIX); the list of files is build/release/install_manifest.txt"

package: setup-build ## Debian packages perp and libperp-dev, and the source archive, in build/packages
	@tools/viewer || true
	@tools/build release perp_installed
	@tools/package build/release build/packages
	@tools/dist build/packages

python:              ## the Python package, in build/python; `import perp` works afterwards
	@tools/setup python
	@tools/build release perp
	@tools/python --link

python-fuzz: setup   ## random calls of the Python package with the sanitizers, FUZZ_SECONDS long (600)
	@tools/build debug perp
	@PERP_FUZZ_SECONDS=$(or $(FUZZ_SECONDS),600) tools/python --library build/debug --output build/debug/python --sanitize --test -k fuzz

wasm:                ## perp as WebAssembly, an npm package in build/wasm/package
	@tools/setup wasm
	@tools/wasm

simulate: wasm       ## the page that simulates scenes in the browser, in build/simulate
	@tools/simulate

site: simulate       ## the documents as a site with search and examples that run in the page, in build/site
	@tools/site

dist:                ## source archive of this version in build/packages
	@tools/dist build/packages

test: setup          ## the tests: gcc, clang with sanitizers, threads, format and include order
	@tools/test --lint release debug-clang tsan

test-quick: setup    ## the tests that take less than three seconds, with gcc only, in a build of its own
	@tools/test --quick quick

nightly: setup       ## all that make test leaves out, and new seeds: rates, and what fails in out/nightly; hours. SEEDS=10
	@tools/nightly $(if $(SEEDS),--seeds $(SEEDS)) $(if $(COUNT),--scenes $(COUNT))

test-without-libraries: setup  ## build without NLopt, Ipopt and MPI; commands that need them name the package
	@mkdir -p build/without-libraries
	@PERP_TEST_WITHOUT_LIBRARIES=1 test/install/without-libraries $(CURDIR) $(CURDIR)/build/without-libraries

experiments: setup   ## run all experiments (LONG=1: also long ones); writes their pages and plots in docs/experiments
	@tools/build release perp_program
	@tools/experiments

studies: setup       ## run the studies with their checks (LONG=1: also long ones); reports in out/studies
	@tools/build release perp_program
	@tools/studies

gallery: setup       ## run the experiments' scenes, draw a picture of each; writes docs/gallery.md and docs/img
	@tools/build release perp_program
	@tools/gallery
	@build/release/cli/perp render out/gallery/demo.h5 docs/img/demo.png $(DEMO_PICTURE) --force

fuzz: setup          ## fuzz the readers, FUZZ_SECONDS each (600)
	@tools/fuzz $(or $(FUZZ_SECONDS),600)

kills: setup         ## kill 50 runs at random moments, resume them, compare to the bit
	@tools/build release perp_program
	@mkdir -p build/kills && KILLS=50 LOST=1.5 test/cli/kill.sh $(CURDIR)/build/release/cli/perp $(CURDIR) $(CURDIR)/build/kills

bench: setup         ## build and run the benchmarks, count instructions
	@tools/build release all benchmarks
	@for b in bench/*.c; do [ -e "$$b" ] || continue; n=$$(basename "$$b" .c); echo "== $$n"; build/release/bench/$$n || exit 1; done
	@echo "== instructions"; bench/count-instructions build/release
	@echo "== overhead of an ensemble"; bench/profile-ensemble build/release/cli/perp studies/grasp-map/study.yaml --count 1 --only surface=medium --only jaw=medium --part 1/8

bench-wasm: wasm     ## processor time of the module in node beside the native library; SCENES=all: the whole gallery
	@tools/build release perp_scene_bits
	@wasm/test/run time $(CURDIR)/build/wasm/package $(CURDIR)/build/release/test/perp_scene_bits $(SCENES)

bench-siconos: setup ## perp beside Siconos on friction problems; writes docs/benchmarks-solvers.md
	@tools/bench-siconos

bench-peers: setup   ## perp beside Bullet and ODE; writes docs/benchmarks-peers.md
	@tools/bench-peers

bench-front: setup   ## error against time of perp, ODE, Bullet, MuJoCo and Box2D on ten scenes; writes docs/benchmarks-front.md
	@tools/bench-front

bench-robots: setup  ## an arm, a hand, a quadruped and a humanoid beside MuJoCo; writes docs/benchmarks-robots.md
	@tools/bench-robots

study-captured: setup  ## `auto` on thousands of problems of perp's own scenes; warm against cold
	@tools/build release bench_captured
	@build/release/bench/captured --stride 2

study-packing: setup ## growth of `auto` on close-packed piles of 50 to 3,368 spheres, cold and warm
	@tools/build release bench_packing
	@build/release/bench/packing 15

study-pile: setup    ## growth of `auto` on settled piles of 50 to 3,200 spheres; minutes
	@tools/build release bench_pile
	@mkdir -p out
	@build/release/bench/pile >out/study-pile.txt
	@cat out/study-pile.txt
	@tools/put-block docs/benchmarks-solvers.md "make study-pile" out/study-pile.txt

study-lcp: setup     ## 10,000 random LCPs per family, every solver; ten minutes. STUDY="--solver lemke": one
	@tools/build release bench_lcp_families
	@mkdir -p out
	@build/release/bench/lcp_families 10000 $(STUDY) >out/study-lcp.txt; code=$$?; cat out/study-lcp.txt; exit $$code
	@[ -n "$(STUDY)" ] || tools/put-block docs/benchmarks-solvers.md "make study-lcp" out/study-lcp.txt

study-piles: setup   ## `peg` on hundreds of random piles in 2D and 3D at five steps; long
	@tools/build release bench_piles2d bench_piles3d
	@build/release/bench/piles2d --all
	@build/release/bench/piles3d --all --raw

study-pairs: setup   ## a million random pairs of hulls against brute force, and pairs that move
	@tools/build release bench_pairs
	@build/release/bench/pairs 1000000 100000

study-shots: setup   ## a thousand shots of each kind at a thin plate: none may pass
	@tools/build release bench_shots
	@build/release/bench/shots 1000

attack: setup        ## 2,000 random scenes with a fresh seed, audited from outside; SEED=..., COUNT=..., JOBS=...
	@tools/build release perp_program attack
	@mkdir -p out/attack
	@build/release/attack/attack --perp build/release/cli/perp --folder out/attack $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(JOBS),--jobs $(JOBS))

lint: setup lint-quick  ## clang-tidy, cppcheck, and what lint-quick checks
	@tools/lint

lint-quick:          ## format, include order, sizes of functions and structs, licence lines
	@tools/check-format $(FORMAT)
	@tools/check-includes
	@tools/check-structs
	@tools/check-functions
	@tools/check-spdx
	@tools/check-release

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
