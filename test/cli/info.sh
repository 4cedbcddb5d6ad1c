#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp info: scenes and recordings, told apart by their content.
. "$2/test/cli/helper"
write_slide slide.yaml
run 0 run slide.yaml -q

run 0 info slide.yaml
for text in 'slide.yaml: scene' 'Block on a floor' '2D, gravity (0, -9.81)' '0.4 in 200 steps of 0.002' '2: 1 dynamic, 1 obstacle' \
    '2: 1 box, 1 halfspace' stewart-trinkle lemke 'mu   = 0.3' 'friction' '(from 0 to 1)' 'v0   = 2' '(201 frames)'; do
    has out "$text"
done
run 0 info -D mu=0.5 slide.yaml
has out 'mu   = 0.5'
has out '(default 0.3)'
run 2 info -D mu=1.5 slide.yaml
has err 'mu'
cp slide.yaml 'scene without a suffix'
run 0 info 'scene without a suffix'
has out ': scene'

# what is watched, and what overlaps before the first step
{ cat slide.yaml && printf 'watch:\n  twice: 2*{block.vx}\n'; } >watched.yaml
run 0 info watched.yaml
has out 'twice = 2*{block.vx}'
has out 'none at the start'
run 0 info --json watched.yaml
is_json out
has out '"text": "2*{block.vx}"'
has out '"overlapping_pairs": 0'
cat >deep.yaml <<'YAML'
perp: 1
dim: 2
units: {length: m, mass: kg, time: s}
h: 0.01
duration: 0.1
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: box, mass: 1, at: [0, 0.25], shape: {type: box, size: [1, 1]}}
YAML
run 0 info deep.yaml
has out 'by 0.25 m at the start'
run 0 info --json deep.yaml
is_json out
has out '"overlapping_pairs": 1'
has out '"depth": 0.25'

run 0 info slide.h5
for text in 'slide.h5: recording' 'Block on a floor' "$("$perp" version | head -1)" finished 't = 0 to 0.4 of 0.4' '201, one every 1 step' \
    '2: 1 dynamic, 1 obstacle' 'Certificate: good' 'Energy account' 'kinetic at the start                80'; do
    has out "$text"
done
cp slide.h5 'recording without a suffix'
run 0 info 'recording without a suffix'
has out ': recording'
run 0 info --series slide.h5
has out block.x
has out energy.kinetic
run 2 info -D mu=1 slide.h5
has err 'found with a recording'

# the same figures as the run printed
run 0 run slide.yaml --json --no-recording
cp out ran
run 0 info --json --series slide.yaml slide.h5
is_json out
for name in kinetic_before kinetic_after friction remainder overlap; do
    [ "$(field out $name)" = "$(field ran $name)" ] || failed "$name: $(field out $name) in the recording, $(field ran $name) in the run"
done

# a corner that lands while it slides has less restitution than the scene asks for, and that is told; only where it happens
run 0 info slide.h5
grep -q bounces out && failed 'bounces of a block that slides'
cat >bounce.yaml <<'YAML'
perp: 1
dim: 2
h: 0.001
duration: 0.6
law: {mu: 0.8, restitution: 0.9}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: b, density: 1, at: [0, 0.5], turn: 0.3, velocity: [1.5, 0], spin: 12, shape: {type: box, size: [0.3, 0.1]}}
YAML
run 0 run bounce.yaml -o bounce.h5
has out 'bounces  1 with less than the restitution'
run 0 info bounce.h5
has out 'bounces  1 with less than the restitution'
run 0 info --json bounce.h5
[ "$(field out rebounds_limited)" = 1 ] && [ "$(field out rebounds_given_up)" = 0 ] || failed "rebounds: $(grep rebounds out)"
run 0 info --series bounce.h5
has out certificate.rebounds_limited

# a driven body that pushes what cannot give way: the run says which one and how deep it went; a recording, that it is driven
run 0 run bounce.yaml --no-recording
grep -q -e drives -e driven out && failed 'a jam where nothing is driven'
cat >jam.yaml <<'YAML'
perp: 1
dim: 2
h: 0.01
duration: 0.1
bodies:
  - {name: wall, kind: obstacle, shape: {type: halfspace, normal: [-1, 0], offset: -0.27}}
  - {name: box, density: 1, at: [0, 0], shape: {type: box, size: [0.5, 0.5]}}
  - {name: piston, kind: kinematic, at: [-0.36, 0], velocity: [0.5, 0], shape: {type: box, size: [0.2, 0.4]}}
YAML
run 0 run jam.yaml -o jam.h5
has out 'drives   jammed in '
has out 'the driven body piston went up to 0.02 into box, which could not move'
run 0 run jam.yaml --no-recording --json
is_json out
depth=$(field out jam_depth)
case $depth in 0.02 | 0.0200* | 0.01999*) ;; *) failed "jam_depth: $depth" ;; esac
grep -A3 jam_bodies out | tr -d ' \n' | grep -qF '["piston","box"]' || failed "$(grep -A3 jam_bodies out)"
run 0 info jam.h5
has out 'box and piston (driven)'

run 0 info --schema
is_json out
run 0 info --reference
has out bodies
run 0 info --combinations
has out '## stewart-trinkle'
run 2 info --combinations --schema

# what is neither
printf 'x: [' >broken.yaml
head -c 300 slide.h5 >cut.h5
printf '\211HDF' >start
: >empty.h5
for f in broken.yaml cut.h5 start empty.h5 nothing.yaml nothing.h5 .; do
    run 2 info "$f"
    has err "$f"
    [ ! -s out ] || failed "something on stdout for $f"
done
run 2 info broken.yaml slide.h5 --json
is_json out
has out '"error"'
has out '"recording"'
# a pipe that nobody writes to: told, not waited for
mkfifo pipe
refused 'perp: pipe: found a pipe; allowed: a file' info pipe
# shapes that are only drawn do not count in the size that errors are compared with
cat >drawn.yaml <<'YAML'
perp: 1
dim: 3
units: {length: m, mass: kg, time: s}
h: 0.01
duration: 0.1
bodies:
  - name: box
    mass: 1
    at: [0, 0, 0.45]
    shapes: [{type: box, size: [1, 1, 1]}, {type: box, size: [1, 1, 0.001], visual: true}]
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
YAML
run 0 run drawn.yaml -q -o drawn.h5
run 0 info drawn.h5
has out 'of the smallest body (1)'
finish
