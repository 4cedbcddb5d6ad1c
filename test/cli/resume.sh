#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Interrupted and killed runs go on to the same bits.
. "$2/test/cli/helper"
write_slide slide.yaml

# waits until the recording has a few frames, but no more than ten seconds on an idle machine
frames_there() {
    for i in $(seq "$(patience 10)"); do
        [ -f "$1" ] && return
        sleep 1
    done
    failed "$1 does not appear"
}
# the hash of the state at time $1 of a run in one go
whole() {
    run 0 run slide.yaml --no-recording --json --duration "$1"
    field out hash
}
# resumes $1 a little beyond where it is and compares with a run in one go
compare() {
    run 0 info --json "$1"
    until=$(awk -v t="$(field out t1)" 'BEGIN { printf "%.3f", int(t / 0.002 + 101) * 0.002 }')
    run 0 run --resume "$1" --duration "$until" --json
    is_json out
    part=$(field out hash)
    [ "$(field out state)" = finished ] || failed "resumed $1: $(field out state)"
    [ "$part" = "$(whole "$until")" ] || failed "resumed $1 differs at t = $until"
    run 0 info "$1"
    has out finished
    hasnt out 'not finished'
}

# SIGTERM: everything is closed
"$perp" run slide.yaml --duration 1e5 -o term.h5 >out 2>err &
frames_there term.h5
sleep 1
kill -TERM $!
wait $!
code=$?
[ $code -eq 130 ] || failed "exit code $code after SIGTERM, not 130"
has out 'interrupted at t = '
has out 'continue with: perp run --resume term.h5'
has out 'Certificate: '
[ ! -s err ] || failed "something on stderr: $(cat err)"
run 0 info term.h5
has out 'not finished'
has out 'perp run --resume term.h5'
compare term.h5

# SIGTERM in a step that would take minutes: it is given up, and all before it is in the recording
cat >slow.yaml <<'YAML'
perp: 1
dim: 3
h: 0.01
start: plain # the start of a staggered world would be slow already
duration: 1
law: {mu: 0.5}
stages: {solver: gauss-seidel, settings: {gauss-seidel: {max_sweeps: 1000000000, tol: 1e-16}}, work_limit: 0}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
  - {repeat: 100, density: 10^(i/8), at: [0, 0, "0.6 + i"], shape: {type: box, size: [1, 1, 1]}}
YAML
"$perp" run slow.yaml -o slow.h5 >out 2>err &
slow=$!
frames_there slow.h5
sleep 2
kill -TERM $slow
(sleep "$(patience 30)" && kill -KILL $slow) >/dev/null 2>&1 & # without output: who reads it would wait for the end of the sleep
watch=$!
wait $slow
code=$?
kill $watch 2>/dev/null
[ $code -eq 130 ] || failed "exit code $code after SIGTERM in a long step, not 130"
has out 'interrupted at t = 0.13'
[ ! -s err ] || failed "something on stderr: $(cat err)"
run 0 info --json slow.h5
[ "$(field out frames)" = 14 ] || failed "$(field out frames) frames before the long step"

# SIGKILL: at most the last second is lost
"$perp" run slide.yaml --duration 1e5 --every 7 -o kill.h5 >/dev/null 2>&1 &
frames_there kill.h5
sleep 2
kill -KILL $!
wait $! 2>/dev/null
compare kill.h5

# nothing left to do
run 0 run slide.yaml -q
run 0 run --resume slide.h5
has out 'nothing left to do: the recording already ends at t = 0.4'
refused 'perp: found a duration of 0.1, but the recording goes to t = 0.4; allowed: a later time' run --resume slide.h5 --duration 0.1
run 2 run --resume slide.yaml
has err 'slide.yaml'
run 2 run --resume nothing.h5
has err 'nothing.h5'

# (in the foreground: else timeout signals the whole group too, and a second Ctrl-C ends the program at once)
# Ctrl-C in a terminal, with the line of progress; a shell's background job ignores SIGINT, hence another way to send it
if command -v timeout >/dev/null; then
    timeout --foreground -s INT "$(patience 1)" "$perp" run slide.yaml --duration 1e5 -o int.h5 --progress always >out 2>err
    [ $? -eq 124 ] || failed 'SIGINT does not end a run'
    has out 'interrupted at t = '
    has err 'steps/s'
    has err 'left'
fi
# a narrow terminal: the line fits, and holds nothing but letters
if command -v script >/dev/null && script -qec 'stty cols 30' /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "stty cols 30; timeout --foreground -s INT $(patience 1) '$perp' run slide.yaml --duration 1e5 --no-recording -D mu=0.1" /dev/null >seen </dev/null
    tr '\r' '\n' <seen | grep -a 'of 1e+05' >lines
    [ -s lines ] || failed 'no progress in a narrow terminal'
    sed "s/$(printf '\033')\[K//" lines | grep -av '^[ -~]\{1,29\}$' && failed 'the line of progress is too long or holds rubbish'
fi
finish
