#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp experiment: list, table, JSON, plots, pages, variants, exit codes, complaints.
#   experiment.sh PERP_BINARY SOURCE_DIR WORK_DIR
# Which experiments are run to the end: none with PERP_TEST_SHORT set (builds that are slow on purpose); all with PERP_TEST_WHOLE set, as in
# `make nightly`; else all but those that take more than half a second of the processor, which `make experiments` and `make nightly` run.
# fontconfig keeps what it has read; and the search for leaks takes seconds on some machines
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
set -u
perp=$1 source=$2 work=$3
failures=0
rm -rf "$work"
mkdir -p "$work/tmp" || exit 1
work=$(cd "$work" && pwd)
source=$(cd "$source" && pwd)
TMPDIR=$work/tmp
PERP_EXPERIMENTS=$source/experiments
export TMPDIR PERP_EXPERIMENTS
cd "$work" || exit 1

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# run CODE ARGUMENTS...: output in said, complaints in err
run() {
    want=$1
    shift
    "$perp" experiment "$@" >said 2>err
    got=$?
    [ "$got" = "$want" ] || { fail "experiment $*: exit code $got, not $want"; cat said err >&2; }
}
has() { # has FILE TEXT
    grep -qF -e "$2" "$1" || { fail "no \"$2\" in $1"; sed 's/^/    /' "$1" >&2; }
}
is() { # is FILE TEXT: exactly this one line
    printf '%s\n' "$2" >want
    cmp -s want "$1" || { fail "$1 is not as expected"; diff want "$1" >&2; }
}

# ---- the list
all="double-pendulum flat-slide full-planar hanging-rod incline mass-ratio momentum-chain painleve-rod particle-moving-wall
particle-wall pendulum-on-block pinch-hold rolling-incline sliding-stop spinning-body tower
triangle-drop-1 triangle-drop-3 corner-slide seam-slide block-over-hole rotation-overlap box-stack stack-3d tower-100 tetrahedra
box-of-polygons box-of-polyhedra heap-polyhedra heap-cubes grasp-2d grasp-2d-friction pour-1000 torsion rolling-resistance plate-2d plate-circle plate-circle-learned plate-centrifuge
plate-saddle friction-directions"
run 0
for name in $all; do has said "$name"; done
cp said list
run 0 --list
cmp -s said list || fail "--list differs from no arguments"
run 0 --list --json
has said '"name": "incline"'
for name in $all; do
    [ -f "$source/docs/experiments/$name.md" ] || fail "docs/experiments/$name.md is missing; run: make experiments"
    has "$source/docs/experiments.md" "experiments/$name.md"
done

# ---- one: table, plots, nothing left behind
run 0 particle-wall
has said 'f after step 5'
has said '40 of 40 checks hold'
[ -s out/experiments/particle-wall/motion.svg ] || fail "no plot at the default place"
[ "$(ls "$TMPDIR")" = "" ] || fail "recordings were left in the temporary folder"
run 0 particle-wall -o results --keep --no-plots
[ -s results/particle-wall/main.h5 ] || fail "--keep kept nothing"
[ -e results/particle-wall/motion.svg ] && fail "--no-plots wrote one"
run 0 particle-wall -o results --keep # again over its own results
[ -s results/particle-wall/motion.svg ] || fail "no plot below --output"

# ---- JSON
run 0 particle-wall --json --no-plots
head -2 said | tail -1 | grep -q '"name": "particle-wall"' || fail "JSON of one is not the object itself"
for key in checks what value reference error limit ok; do has said "\"$key\":"; done
run 0 particle-wall particle-moving-wall --json --no-plots
has said '"experiments":'
grep -c '"name":' said | grep -qx 2 || fail "JSON of two does not hold two"

# ---- pages
run 0 particle-wall --page page/particle-wall.md
has page/particle-wall.md '# particle-wall: A particle meets a wall'
has page/particle-wall.md '| f after step 5 | 4 | 4 |'
has page/particle-wall.md '![A particle meets a wall](img/particle-wall-motion.svg)'
has page/particle-wall.md 'type: halfspace'
[ -s page/img/particle-wall-motion.svg ] || fail "no picture for the page"
cmp -s page/particle-wall.md "$source/docs/experiments/particle-wall.md" ||
    fail "docs/experiments/particle-wall.md is not what perp makes; run: make experiments"
run 0 particle-wall particle-moving-wall --page pages
has pages/README.md '[particle-moving-wall](particle-moving-wall.md)'
run 2 particle-wall particle-moving-wall --page one.md
has err 'found one file for several experiments; allowed: a folder'

# ---- variants: references that are formulas follow, numbers do not apply
run 0 incline -D 'angle=20*deg' -D mu=0.1 -D h=0.02 --no-plots
has said '12 of 12 checks hold'
run 0 particle-wall -D wall=9 --no-plots
has said '4 of 4 checks hold (36 do not apply to these parameters)'
run 0 painleve-rod -D slope=3 -D mu=2.5 --no-plots
run 0 hanging-rod -D angle=pi/3 -D h=0.005 --no-plots
run 0 tower -D n=5 -D r=0.2
run 2 incline -D anlge=0.1 --no-plots
has err 'anlge'
has err 'did you mean angle?'

# ---- all of them, or all that are quick
slow="plate-saddle plate-2d plate-centrifuge plate-circle plate-circle-learned friction-directions heap-polyhedra box-of-polygons box-of-polyhedra needle-push turntable
triangle-drop-1 triangle-drop-3 elastic-gas elastic-foundation grasp-2d grasp-2d-friction energy-kept pour-1000 compliant-half-plane double-pendulum spring-mass
tower-100 pendulum-stiff pendulum-limit pinch-hold sphere-stack rotation-overlap incline-hertz corner-slide block-over-hole seam-slide
rolling-disc cradle stack-3d spinning-body two-spheres viscoelastic-bounce heap-cubes puck-2.5d drum arm-pick quadruped-trot hand-hold
box-stack full-planar pendulum-on-block heavy-bob grasp bouncing-ball fence-particle pendulum-chains incline tetrahedra"
for name in $slow; do [ -d "$source/experiments/$name" ] || fail "there is no experiment $name, which is said to be slow"; done
if [ -n "${PERP_TEST_SHORT:-}" ]; then
    echo "no experiment is run to the end in this build"
elif [ -n "${PERP_TEST_WHOLE:-}" ]; then
    run 0 --all --no-plots
    for name in $all; do has said "$name: "; done
    grep -q ' NO$' said && fail "a check does not hold"
else
    quick=$(ls "$source/experiments" | grep -vxF "$(printf '%s\n' $slow)")
    # shellcheck disable=SC2086 # a list of names
    run 0 $quick --no-plots
    for name in $quick; do has said "$name: "; done
    grep -q ' NO$' said && fail "a check does not hold"
fi

# ---- an experiment is one folder; a check that fails gives exit code 1
mkdir -p own/fall own/broken
cat >own/fall/scene.yaml <<'YAML'
perp: 1
dim: 2
parameters: {g: 10}
h: 0.01
duration: 1
start: staggered
gravity: [0, -g]
bodies:
  - {name: stone, particle: true, mass: 1}
YAML
cat >own/fall/experiment.yaml <<'YAML'
perp-experiment: 1
title: A stone falls
about: From rest.
checks:
  - {what: depth, value: '-last("stone.y")', reference: g/2, limit: 1e-12}
  - {what: at half time, value: 'at("{stone.y} + g*t^2/2", 0.5)', reference: 0, limit: 1e-12}
  - {what: a window between frames, value: 'integral("t", 0.1234, 0.4567)', reference: (0.4567^2 - 0.1234^2)/2, limit: 1e-14}
  - {what: a sum over times, value: "sum(\"at('stone.y', k/4)*8\", 0, 4)", reference: -7.5*g, limit: 1e-12}
YAML
run 0 --folder own fall
has said '4 of 4 checks hold'
sed 's,g/2,g/3,' own/fall/experiment.yaml >e && mv e own/fall/experiment.yaml
run 1 --folder own fall
has said 'NO'
has said '3 of 4 checks hold'
run 1 --folder own fall --json
has said '"ok": false'

# ---- sweeps: runs for every combination, measures, tables, plots; runs that end early; runs with --long only
mkdir -p own/many
cat >own/many/scene.yaml <<'YAML'
perp: 1
dim: 2
parameters: {g: 10, h: 0.01, stop: 9}
h: h
duration: 1
gravity: [0, -g]
bodies:
  - {name: stone, particle: true, mass: 1}
forces:
  - {type: expression, body: stone, force: ["0*sqrt(stop - t)", 0]}
YAML
cat >own/many/experiment.yaml <<'YAML'
perp-experiment: 1
title: Stones fall
about: Positions err by g h t/2, or not at all with the staggered start.
runs:
  fine: {start: staggered, set: {h: h/10}}
  slow: {long: true, start: plain}
values: {depth: g/2, worst: 'largest("steps.error")'}
sweeps:
  steps:
    over: {start: [plain, staggered], h: [0.01, 0.02, 0.05]}
    measure:
      y: 'last("stone.y")'
      error: abs(y + depth)
      thrice: 'sum("error*k", 1, 2)'
      off: 'maxabs("{stone.y} - {fine: stone.y}")'
      off2: 'maxabs("{stone.y} - {steps[start=staggered, h]: stone.y}")'
  ends:
    over: {stop: [0.305, 5]}
    may_fail: true
    measure: {time: 'last("t")', y: 'at("stone.y", 1)', early: failed}
checks:
  - {what: plain, value: 'largest("steps[start=plain].error")', reference: g*0.05/2, limit: 1e-12}
  - {what: some, value: 'largest("steps[start=plain, h<=0.02].error")', reference: g*0.02/2, limit: 1e-12}
  - {what: staggered, value: 'largest("steps[start=staggered].error")', below: 1e-12}
  - {what: middle, value: 'quantile("steps[start=plain].error", 0.5)', reference: g*0.02/2, limit: 1e-12}
  - {what: against another run, value: 'first("steps[start=plain, h=0.05].off")', reference: g*0.05/2, limit: 1e-12}
  - {what: against its like, value: 'first("steps[start=plain, h=0.05].off2")', reference: g*0.05/2, limit: 1e-12}
  - {what: series of one, value: 'last("steps[start=plain, h=0.01]: stone.y")', reference: -g/2 - g*0.01/2, limit: 1e-12}
  - {what: a sum of what is measured, value: 'largest("steps[start=plain].thrice")', reference: 3*g*0.05/2, limit: 1e-12}
  - {what: ended early, value: 'total("ends.early")', reference: 1, limit: 0}
  - {what: a value of what is measured, value: worst, reference: g*0.05/2, limit: 1e-12}
  - {what: when, value: 'smallest("ends.time")', reference: 0.31, limit: 1e-9}
  - {what: long, value: 'last("slow: stone.y")', reference: '-g/2 - g*parameter("slow: h")/2', limit: 1e-12, if: long}
tables:
  - {title: Error, unit: m, sweep: steps, rows: h, columns: start, value: error}
  - {title: Two, sweep: "steps[h<=0.02]", rows: start, value: [error, y], take: mean}
  - {title: Ends, sweep: ends, rows: stop, value: y}
plots:
  - {file: error, logx: true, logy: true, lines: [{sweep: "steps[start=plain]", x: h, y: error, marks: true}]}
  - {file: spread, lines: [{sweep: steps, x: h, y: y, by: start, take: quartiles}]}
  - {file: paths, lines: [{sweep: steps, x: t, y: stone.y, by: start, each: true}, {label: fine, x: "fine: t", y: "fine: stone.y"}]}
YAML
run 0 --folder own many
has said '11 of 11 checks hold (1 do not apply to these parameters); 9 runs'
has said 'Error [m]'
grep -q '^  0.05  *0.25 ' said || fail "no row of the table"
has said 'ended early'
for name in error spread paths; do [ -s out/experiments/many/$name.svg ] || fail "no plot $name of a sweep"; done
run 0 --folder own many --long --no-plots
has said '12 of 12 checks hold; 10 runs'
run 0 --folder own many --json --no-plots
has said '"sweeps":'
has said '"ended_early": true'
run 0 --folder own many --page page/many.md
has page/many.md '| 0.05 | 0.25 |'
has page/many.md '| steps | scene.yaml | start: plain, staggered; h: 0.01, 0.02, 0.05 | 6 |'
grep -q "$TMPDIR" page/many.md && fail "the page names a temporary folder"
run 0 --folder own many -D g=5 --no-plots

# ---- complaints: exact, exit code 2, before anything runs
f=own/broken/experiment.yaml
cp own/fall/scene.yaml own/broken/
# complains EXPECTED: the file is on standard input
complains() {
    cat >$f
    run 2 --folder own broken
    is err "perp: $1"
}
complains "$f:3:1: found the key \`abuot\`; allowed: perp-experiment, title, source, about, runs, series, values, sweeps, checks, tables, plots; did you mean about?" <<'YAML'
perp-experiment: 1
title: x
abuot: y
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f:1:18: perp-experiment: found 2; allowed: 1" <<'YAML'
perp-experiment: 2
title: x
about: y
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f:1:1: found a map without it; allowed: the key checks must be there" <<'YAML'
perp-experiment: 1
title: x
about: y
YAML
complains "$f:4:17: checks[0].what: found a list of 2; allowed: a text" <<'YAML'
perp-experiment: 1
title: x
about: y
checks: [{what: [a, b], value: 1, below: 2}]
YAML
complains "$f:4:10: checks[0]: found a map with the keys what, value, limit; allowed: one of: reference with limit, below, above" <<'YAML'
perp-experiment: 1
title: x
about: y
checks: [{what: a, value: 1, limit: 2}]
YAML
complains "$f:4:8: runs.a b: found \"a b\"; allowed: a name of letters, digits, - and _ that starts with a letter" <<'YAML'
perp-experiment: 1
title: x
about: y
runs: {a b: {}}
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f:4:18: runs.a.set.q: found q; allowed: a parameter of scene.yaml" <<'YAML'
perp-experiment: 1
title: x
about: y
runs: {a: {set: {q: 1}}}
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f:5:9: plots[0]: found a map with the key file; allowed: one of: what, lines" <<'YAML'
perp-experiment: 1
title: x
about: y
checks: [{what: a, value: 1, below: 2}]
plots: [{file: a}]
YAML
complains "$f:4:24: sweeps.a.over.q: found 3; allowed: a list of numbers or words" <<'YAML'
perp-experiment: 1
title: x
about: y
sweeps: {a: {over: {q: 3}, measure: {b: 1}}}
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f:4:23: sweeps.a.over.q: found q; allowed: a parameter of scene.yaml" <<'YAML'
perp-experiment: 1
title: x
about: y
sweeps: {a: {over: {  q: [3]}, measure: {b: 1}}}
checks: [{what: a, value: 1, below: 2}]
YAML
complains "$f: tables[0]: found g; allowed: sweep: the name of a sweep, with or without [conditions]" <<'YAML'
perp-experiment: 1
title: x
about: y
sweeps: {a: {over: {g: [3]}, measure: {b: 1}}}
checks: [{what: a, value: 1, below: 2}]
tables: [{title: t, sweep: g, rows: g, value: b}]
YAML
cat >$f <<'YAML'
perp-experiment: 1
title: x
about: y
sweeps: {a: {over: {g: [3]}, measure: {b: 1}}}
checks: [{what: a, value: 'largest("a[k=3].b")', below: 2}]
YAML
run 2 --folder own broken
has err 'found "k=3"; allowed: conditions on variables of a: NAME=VALUE, <=, >=, or NAME'
cat >$f <<'YAML'
perp-experiment: 1
title: x
about: y
sweeps: {a: {over: {contact_model: [pge]}, measure: {b: 1}}}
checks: [{what: a, value: 1, below: 2}]
YAML
run 2 --folder own broken
has err 'pge'
has err 'did you mean peg?'
cat >$f <<'YAML'
perp-experiment: 1
title: x
about: y
checks: [{what: a, value: 'lsat("stone.y")', below: 2}]
YAML
run 2 --folder own broken
has err "$f:4:28: checks[0].value: "
has err 'did you mean last?'
cat >$f <<'YAML'
perp-experiment: 1
title: x
about: y
checks: [{what: a, value: 'last("stone.u")', below: 2}]
YAML
run 2 --folder own broken
has err "$f:4:"
has err 'stone.u'
cat >$f <<'YAML'
perp-experiment: 1
title: x
about: y
runs: {a: {}, b: {}}
checks: [{what: a, value: 'last("c: stone.y")', below: 2}]
YAML
run 2 --folder own broken
has err 'found "c: stone.y"; allowed: RUN: SERIES with the run one of a, b'
run 2 --folder own fal
is err "perp: found \"fal\"; allowed: the name of an experiment in own; did you mean fall?"
run 2 --folder nowhere
has err nowhere
run 2 --all fall
has err 'found names together with --all; allowed: one of the two'
[ "$(ls "$TMPDIR")" = "" ] || fail "something was left in the temporary folder"

[ "$failures" = 0 ] && echo "all good"
exit $((failures > 0))
