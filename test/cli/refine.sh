#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# refine.sh PERP SOURCE WORK - perp refine and perp compare: orders and error bars of known motions, differences between models, complaints.
set -u
perp=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work" || exit 1
cd "$work" || exit 1
mkdir temporary
TMPDIR=$work/temporary
# In builds that look for leaks the search takes longer than the runs, and fontconfig keeps what it has read: one call is looked at.
asked=${ASAN_OPTIONS:-}
export TMPDIR ASAN_OPTIONS="${asked:+$asked:}detect_leaks=0"
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# A stone falls: with steps of end velocities y(1) = -g (1 + h)/2, first order with the constant g/2; staggered it is exact.
cat > fall.yaml <<'YAML'
perp: 1
title: a stone falls
dim: 2
h: 0.1
start: plain
duration: 1
gravity: [0, -10]
parameters: {v: 0}
bodies:
  - {name: stone, mass: 1, particle: true, velocity: [v, 0]}
YAML
cat > mill.yaml <<'YAML'
perp: 1
title: a block slides to rest
dim: 2
h: 0.01
duration: 0.5
law: {mu: 0.5}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: block, mass: 1, at: [0, 0.1], velocity: [1, 0], shape: {type: box, size: [0.2, 0.2]}}
YAML
# number FILE KEY: the first number that follows the key
number() { sed -n "s/.*\"$2\": \([-0-9.e+]*\).*/\1/p" "$1" | head -1; }
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= e) }'; }

ASAN_OPTIONS=$asked "$perp" refine fall.yaml stone.y --json > refined 2> complaint || fail "refine: $(cat complaint)"
near "$(number refined error)" 0.0625 1e-9 || fail "error bar $(number refined error) instead of g h/2 at the finest step, 0.0625"
near "$(number refined extrapolated)" -5 1e-9 || fail "extrapolated to $(number refined extrapolated) instead of -5"
grep -q '"order": 1' refined || fail "the order is not 1: $(grep order refined)"
"$perp" refine fall.yaml stone.y --at 0.5 --json > refined || fail "refine --at"
near "$(number refined extrapolated)" -1.25 1e-9 || fail "at 0.5: $(number refined extrapolated) instead of -1.25"
"$perp" refine fall.yaml stone.x -D v=3 --levels 3 > refined || fail "refine -D"
grep -q 'agree to rounding' refined || fail "a constant velocity is exact: $(cat refined)"
"$perp" refine fall.yaml stone.y --largest --json > refined || fail "refine --largest"
near "$(number refined error)" 0.0625 1e-9 || fail "--largest: $(number refined error)"
# variants are files of perp's own; a scene without a title is called by its own name
grep -v '^title' fall.yaml > nameless.yaml
"$perp" refine nameless.yaml stone.y --levels 2 > refined || fail "refine without a title"
[ "$(head -1 refined)" = nameless.yaml ] || fail "the heading is \"$(head -1 refined)\", not nameless.yaml"
"$perp" compare nameless.yaml stone.y --starts plain,staggered > compared || fail "compare without a title"
[ "$(head -1 compared)" = nameless.yaml ] || fail "the heading is \"$(head -1 compared)\", not nameless.yaml"
# A push that begins between two steps: the start of the first step after it jumps about, and so do the answers. Their sizes
# look like first order (1.11, 0.95), but they change sign or do not shrink.
cat > push.yaml <<'YAML'
perp: 1
title: a push begins
dim: 2
h: 0.1
start: plain
duration: 1
gravity: [0, 0]
bodies:
  - {name: stone, mass: 1, particle: true}
forces:
  - {type: expression, body: stone, force: ["step(t - 0.33)", 0]}
YAML
"$perp" refine push.yaml stone.x stone.vx > refined || fail "refine of a push"
grep -q 'no clear order: the differences change sign (0.0175, -0.00812, 0.00422)' refined || fail "sign: $(cat refined)"
grep -q 'no clear order: the differences do not shrink (0.05, ' refined || fail "growth: $(cat refined)"
if grep -q 'extrapolated:' refined; then fail "extrapolated all the same: $(cat refined)"; fi
"$perp" refine push.yaml stone.x --json > refined || fail "refine of a push as JSON"
grep -q '"extrapolated": null' refined || fail "a number where there is none: $(cat refined)"
grep -q '"why_not_extrapolated": "the differences change sign' refined || fail "no reason: $(cat refined)"
"$perp" refine fall.yaml stone.y --levels 2 > refined || fail "refine --levels 2"
grep -q 'two step sizes show no order' refined || fail "two levels: $(cat refined)"
"$perp" refine fall.yaml > refined || fail "refine without quantities"
for q in stone.x stone.y energy.total; do grep -q "^$q" refined || fail "$q is not looked at"; done

"$perp" compare fall.yaml stone.y --starts plain,staggered --json > compared 2> complaint || fail "compare: $(cat complaint)"
grep -q '"difference": 0.5' compared || grep -q '"difference": 0.49999' compared || fail "plain and staggered differ by g h/2: $(cat compared)"
"$perp" compare mill.yaml block.x --steppers stewart-trinkle,anitescu-potra > compared || fail "compare --steppers"
grep -q '^Differences are from stewart-trinkle' compared || fail "$(cat compared)"
"$perp" compare mill.yaml -m peg,one-plane block.x -o both.svg > compared || fail "compare --output"
[ -s both.svg ] || fail "no figure"
"$perp" compare mill.yaml -m peg,nonsense block.x > compared 2> complaint
[ $? -eq 1 ] || fail "a run that is not allowed: exit code 1"
grep -q 'nonsense *stages.contact_model: found "nonsense"; allowed: ' compared || fail "the reason is not told: $(cat compared)"

# bad WORDS COMMAND...: exit code 2, and exactly these words on stderr
bad() {
    words=$1
    shift
    "$perp" "$@" > said 2> complaint
    code=$?
    [ $code -eq 2 ] || fail "perp $*: exit code $code instead of 2"
    [ "$(cat complaint)" = "$words" ] || fail "perp $*
  said     $(cat complaint)
  expected $words"
}
bad 'perp compare: --steppers: found nothing to compare; allowed: two names or more in --steppers, --contact-models, --forms or --starts' compare mill.yaml
bad 'perp compare: --steppers: found an empty name; allowed: names with commas between them' compare mill.yaml --steppers 'a,,b'
bad 'perp refine: --at: found 2; allowed: 0 to 1, the end of the run' refine fall.yaml --at 2
bad 'perp: nothing.yaml: cannot be read: No such file or directory' refine nothing.yaml
"$perp" refine fall.yaml stone.q > said 2> complaint
[ $? -eq 2 ] || fail "an unknown quantity: exit code 2"
grep -q '^perp refine: QUANTITY: found "stone.q"; allowed: ' complaint || fail "$(cat complaint)"
[ -z "$(ls temporary)" ] || fail "temporary folders are left: $(ls temporary)"
exit $failed
