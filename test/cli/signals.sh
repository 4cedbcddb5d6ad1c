#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# SIGTERM is heard while a large scene or problem is loaded, while a step is solved and while a problem is; nothing is left
# half written. A run that is killed leaves a recording that resumes, or none.
. "$(dirname "$0")/helper"

# ends_after SECONDS ARGUMENT...: starts perp, sends SIGTERM after so long; it must end with code 130 within two seconds, or
# as much longer as the machine is busy. On a quick and idle one it takes some tenths.
ends_after() {
    wait=$1
    shift
    "$perp" "$@" >out 2>err </dev/null &
    pid=$!
    sleep "$wait"
    kill -TERM $pid 2>/dev/null || { failed "perp $* ended before the signal"; return; }
    i=0 most=$(patience 20)
    while kill -0 $pid 2>/dev/null && [ $i -lt "$most" ]; do sleep 0.1; i=$((i + 1)); done
    kill -0 $pid 2>/dev/null && failed "perp $* runs on for $most tenths of a second after SIGTERM"
    kill -KILL $pid 2>/dev/null
    wait $pid
    code=$?
    [ $code -eq 130 ] || failed "exit code $code, not 130: perp $*"
}

# loading takes many seconds
awk 'BEGIN {
    print "perp: 1\ndim: 2\nduration: 1\nbodies:"
    for (i = 0; i < 150000; i++)
        printf "  - {name: b%d, mass: 1, at: [%.2f, %.2f], shape: {type: box, size: [0.2, 0.2]}}\n", i, i % 400 * 0.21, i / 400 * 0.21
}' >large.yaml
ends_after 1 run large.yaml -o large.h5
[ -e large.h5 ] && failed 'a recording is there, though the scene was not read'

# steps
cat >pile.yaml <<'YAML'
perp: 1
dim: 2
h: 0.005
duration: 1000
repeat: {i: 60}
law: {mu: 0.5}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: left, kind: obstacle, at: [-1, 0], shape: {type: halfspace, normal: [1, 0]}}
  - {name: right, kind: obstacle, at: [1, 0], shape: {type: halfspace, normal: [-1, 0]}}
YAML
sed -i '/^repeat/d' pile.yaml
i=0
while [ $i -lt 40 ]; do
    echo "  - {name: b$i, mass: 1, at: [$(awk "BEGIN {print $i % 6 * 0.3 - 0.75}"), $(awk "BEGIN {print 0.2 + int($i / 6) * 0.3}")], shape: {type: box, size: [0.2, 0.2]}}" >>pile.yaml
    i=$((i + 1))
done
ends_after 1.5 run pile.yaml -o pile.h5
run 0 info pile.h5

# killed at any moment: either there is no recording, or it resumes
for after in 0.05 0.15 0.3 0.6 1.1 1.7; do
    rm -f killed.h5*
    "$perp" run pile.yaml -o killed.h5 -q >out 2>err </dev/null &
    pid=$!
    sleep $after
    kill -KILL $pid
    wait $pid 2>/dev/null
    [ -e killed.h5 ] || continue
    run 0 info killed.h5
    "$perp" run --resume killed.h5 -q >out 2>err </dev/null &
    pid=$!
    sleep 0.7
    kill -TERM $pid
    wait $pid
    code=$?
    [ $code -eq 130 ] || failed "a run killed after $after s does not resume: exit code $code, $(cat err)"
done
finish
