#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp run: summary, recording, what is never written over, failed steps, a full disk.
. "$2/test/cli/helper"
write_slide slide.yaml

# the summary
run 0 run slide.yaml
[ ! -s err ] || failed "something on stderr: $(cat err)"
[ -f slide.h5 ] || failed 'no recording by the default name'
for text in 'Block on a floor' '2D, 2 bodies, 0 joints' '200 steps of 0.002 from t = 0 to 0.4' 'Certificate: good' 'Energy account' \
    'kinetic at the start                80' friction unaccounted ms/step solver 'slide.h5: 201 frames' 'perp info slide.h5'; do
    has out "$text"
done
hasnt out "$(printf '\033')"
[ "$(tail -1 out)" = 'view it: perp view slide.h5' ] || failed "the last line: $(tail -1 out)"
cp slide.h5 first.h5
run 0 run slide.yaml --no-recording
hasnt out 'view it'

# the time of frame k is k h: 4 s of steps of 0.1 end at 4, where a sum of forty roundings is 4.000000000000002
cat > ticks.yaml <<'YAML'
perp: 1
dim: 2
h: 0.1
duration: 4
bodies: [{mass: 1, particle: true}]
YAML
run 0 run ticks.yaml -q
run 0 info --json ticks.h5
[ "$(field out t1)" = 4 ] || failed "the run ends at $(field out t1) instead of 4"

# an existing file is not written over
refused 'perp: slide.h5: found a file of that name; allowed: a name that is free (--output), --force to replace it, --resume to continue it' \
    run slide.yaml
cmp -s slide.h5 first.h5 || failed 'an existing recording was changed'
refused 'perp: slide.yaml: found something that is not a recording; allowed: an unused name (--force replaces recordings only)' \
    run slide.yaml --force -o slide.yaml
grep -q 'Block on a floor' slide.yaml || failed 'the scene was written over'
refused 'perp: nowhere/x.h5: found no folder nowhere; allowed: a path in a folder that exists' run slide.yaml -o nowhere/x.h5
mkdir folder.h5
refused 'perp: folder.h5: found something that is not a recording; allowed: an unused name (--force replaces recordings only)' \
    run slide.yaml --force -o folder.h5
# a scene with a mistake leaves the old recording alone, whatever is asked for
sed 's/density/densty/' slide.yaml >wrong.yaml
run 2 run wrong.yaml --force -o slide.h5
has err 'wrong.yaml:17'
cmp -s slide.h5 first.h5 || failed 'a scene with a mistake cost the old recording'
run 2 run slide.yaml -D nu=1 --force
cmp -s slide.h5 first.h5 || failed 'an unknown parameter cost the old recording'
touch slide.h5.old
run 2 run slide.yaml --force
has err 'slide.h5.old: found a file of that name'
cmp -s slide.h5 first.h5 || failed 'slide.h5 was changed although slide.h5.old is there'
rm slide.h5.old
run 0 run slide.yaml -D mu=0 --force -q
[ ! -s out ] || failed '--quiet prints'
cmp -s slide.h5 first.h5 && failed '--force did not replace the recording'
[ ! -e slide.h5.old ] || failed 'the old recording was left behind'

# quantities that are watched: of the scene, and of the command line; a line for each twentieth of the run, and the first
{ cat slide.yaml && printf 'watch:\n  twice: 2*{block.vx}\n'; } >watched.yaml
run 0 run watched.yaml --no-recording --watch block.x --watch '{energy.kinetic} + 0*t'
has out '             t          twice        block.x {energy.kinetic} + 0*t'
[ "$(grep -c '^ *0[.0-9]* .* .*[0-9]$' out)" -ge 21 ] || failed "lines of watch: $(cat out)"
run 0 run watched.yaml --no-recording --watch-every 0.1 -w t
[ "$(sed -n '/twice/,/^[A-Z]/p' out | grep -c '^  *0')" = 5 ] || failed "--watch-every 0.1: $(cat out)"
run 0 run watched.yaml --no-recording -q
[ ! -s out ] || failed '--quiet prints what the scene watches'
run 0 run watched.yaml --no-recording --json
is_json out
has err twice
run 2 run slide.yaml --no-recording --watch blok.x
has err 'perp: --watch: found the series "blok.x"'
has err 'did you mean block.x?'

# bodies that overlap at the start
sed 's/^bodies:/bodies:\n  - {name: inside, mass: 1, at: [0, 0.1], inertia: 1, shape: {type: sphere, radius: 0.3}}/' slide.yaml >deep.yaml
run 0 run deep.yaml --no-recording
has err 'perp: warning: deep.yaml: at the start inside and floor overlap by 0.2'
run 0 run deep.yaml --no-recording -q
hasnt err warning

# options change what they say
run 0 run slide.yaml --json --no-recording -D mu=0.5 -D v0=1
is_json out
[ "$(field out state)" = finished ] || failed "state: $(field out state)"
[ "$(field out steps)" = 200 ] || failed "steps: $(field out steps)"
awk -v e="$(field out kinetic_before)" 'BEGIN { exit !((e - 20)^2 < 1e-20) }' || failed "-D v0=1: kinetic energy $(field out kinetic_before)"
has out '"recording": null'
run 0 run slide.yaml --json --duration 0.1 --every 10 --what poses,certificate -o part.h5
is_json out
[ "$(field out steps)" = 50 ] || failed "--duration 0.1: $(field out steps) steps"
[ "$(field out frames)" = 6 ] || failed "--every 10: $(field out frames) frames"
run 0 info part.h5
has out 'poses, certificate'
run 0 run slide.yaml --json --duration 0 -o none.h5
[ "$(field out steps)" = 0 ] || failed "--duration 0: $(field out steps) steps"
[ "$(field out frames)" = 1 ] || failed "--duration 0: $(field out frames) frames"
run 0 run slide.yaml --no-recording --progress always -q
[ ! -s err ] || failed '--quiet shows progress'

# a step that fails: everything before it is kept
sed -e '/^duration/a\
stages: {solver: pgs, fallback: [], max_halvings: 0, settings: {pgs: {max_sweeps: 1}}}' slide.yaml >hard.yaml
run 1 run hard.yaml
has err 'failed: '
has err 'perp: try a smaller time step'
has err 'hard.h5 holds everything before that step'
has out 'hard.h5: '
run 0 info hard.h5
has out 'not finished'
run 1 run hard.yaml --json -o hard2.h5
is_json out
[ "$(field out state)" = failed ] || failed "state of a failed run: $(field out state)"
[ "$(field out frames)" -gt 5 ] || failed 'the frames before the failed step are not there'

(
    cat slide.yaml
    echo 'forces: [{type: expression, body: block, force: ["sqrt(0.1 - t)", 0]}]'
) >odd.yaml
run 1 run odd.yaml --no-recording
has err 'perp: step 52 from t = 0.102 failed: ' # t = 50 h is 0.1, where the root is 0
has err 'perp: correct this in the scene'

# no room: a clear message, and what was committed is readable
(
    ulimit -f 128 # blocks of 512 bytes
    trap '' XFSZ
    "$perp" run slide.yaml --duration 40 -o full.h5 >out 2>err
    echo $? >code
)
[ "$(cat code)" = 3 ] || failed "exit code $(cat code) on a full disk, not 3"
has err 'full.h5'
if [ -e full.h5 ]; then run 0 info full.h5; fi
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod a-w closed
    run 3 run slide.yaml -o closed/x.h5
    has err 'closed/x.h5'
fi

run 2 run nothing.yaml
has err 'nothing.yaml'
[ ! -e nothing.h5 ] || failed 'a recording of a scene that is not there'
finish
