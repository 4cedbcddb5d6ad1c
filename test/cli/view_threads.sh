#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp run --view: frames as they come, pause, single steps, reset, the end; the recording beside it. Under the thread sanitizer too: one thread
# runs, the other serves.
. "$2/test/cli/helper"
. "$2/test/view/helper"
write_slide slide.yaml
sed -e 's/^duration: .*/duration: 0.2/' slide.yaml >short.yaml

# The answer to frames?from=N as JSON on one line; frames are told by their steps.
frames() { get "/live/frames?$1"; status 200 "$1"; }
steps() { tr '{' '\n' <body | sed -n 's/^"step": *\([0-9]*\),.*/\1/p' | tr '\n' ' '; }
state() { sed -n 's/.*"state": *"\([a-z]*\)","message.*/\1/p' body; }
run_number() { sed -n 's/^{"run": *\([0-9]*\),.*/\1/p' body; }
order() {
    ask "POST /$secret/live/command HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Perp-Live: ${2:-$token}\r\nContent-Length: ${#1}\r\nConnection: close\r\n\r\n$1"
}
# Asks until run number $1 is in state $2, for frames from $3 on.
until_state() {
    tries=0
    while :; do
        frames "from=${3:-0}"
        [ "$(run_number) $(state)" = "$1 $2" ] && return
        tries=$((tries + 1))
        [ $tries -lt "$(patience 100)" ] || { failed "run $(run_number) is $(state), not run $1 $2"; return; }
        sleep 0.1
    done
}

serve run --view --no-open --paused short.yaml -o short.h5
[ "$(cat served)" = "perp run: http://127.0.0.1:$port/$secret/  (stop with Ctrl-C)" ] || failed "said: $(cat served)"
get /recordings.json
is_json body
token=$(field body token)
[ ${#token} -eq 32 ] || failed "token: \"$token\""
has body '"scene": "live/scene.json"'
get /live/scene.json
status 200
is_json body
for text in '"dim": 2' '"h": 0.002' '"title": "Block on a floor"' '"bodies": {"name": ["floor","block"],"kind": [0,2]' '"half_size": [0,0,0,0.1' \
    '"normal": [0,1,0,0,0,0]' '"joints": {'; do
    has body "$text"
done

# the state at the beginning, and nothing until it is asked for
frames 'from=0'
is_json body
[ "$(state) $(steps)" = 'paused 0 ' ] || failed "at the beginning: $(state) $(steps)"
for key in position orientation angle velocity spin contacts certificate ledger solver energy; do has body "\"$key\": "; done
began=$(date +%s%N)
frames 'from=1'
waited=$((($(date +%s%N) - began) / 1000000))
[ "$(steps)" = '' ] || failed "paused, and there are frames: $(steps)"
[ $waited -ge 500 ] && [ $waited -lt 3000 ] || failed "an answer without frames came after $waited ms, not within a second"

# single steps
order step
status 200
frames 'from=1'
[ "$(state) $(steps)" = 'paused 1 ' ] || failed "after a step: $(state) $(steps)"
order step
order step
sleep 0.2
frames 'from=2'
[ "$(steps)" = '2 3 ' ] || failed "after two more: $(steps)"
frames 'from=99'
[ "$(steps)" = '0 1 2 3 ' ] || failed "from beyond the end: $(steps)"

# who may command, and what
order pause 0123456789abcdef0123456789abcdef
status 403 'another token'
order pause "${token}0"
status 403 'a token that is too long'
ask "POST /$secret/live/command HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\npause"
status 403 'no token'
order explode
status 400 'no such command'
order "$(head -c 5000 /dev/zero | tr '\0' a)"
status 413 'a long command'
get /live/command
status 405 'GET of a command'
[ "$(header Allow)" = POST ] || failed "Allow: $(header Allow)"
get / POST 'Content-Length: 0'
status 405 'POST of the page'
get '/live/frames?from=x'
status 400 'frames from x'
frames 'from=0'
[ "$(steps)" = '0 1 2 3 ' ] || failed "refused commands did something: $(steps)"

# reset: another run, from its beginning
order reset
until_state 2 paused
[ "$(steps)" = '0 ' ] || failed "after a reset: steps $(steps)"
frames 'from=3&run=1'
[ "$(run_number) $(steps)" = '2 0 ' ] || failed "frames of the run before: run $(run_number), steps $(steps)"

# to the end, in real time: 100 steps of 0.002
began=$(date +%s%N)
order resume
until_state 2 finished 1
took=$((($(date +%s%N) - began) / 1000000))
[ $took -ge 180 ] || failed "0.2 s of simulated time took $took ms"
steps | grep -q '100 $' || failed "the last frame is of another step: $(steps)"
[ "$(steps | wc -w)" -le 61 ] || failed 'more frames than a page can take'
has served 'Block on a floor'
run 0 info short.h5
has out 'finished'
has out '101'

# and once more after the end
order reset
until_state 3 finished
stop
[ $code -eq 0 ] || failed "exit code $code after a run that had finished"
[ ! -s served.err ] || failed "something on stderr: $(cat served.err)"
run 0 info short.h5
has out 'finished'

# a hand pulls the block: work of applied forces as long as it holds, in an account that closes
account() { tr '{' '\n' <body | sed -n "s/.*\"$1\": *\([^,}]*\)[,}].*/\1/p" | tail -n 1; }
serve run --view --no-open --paused short.yaml --no-recording
get /recordings.json
token=$(field body token)
order 'drag 1 0.1 0 0 0.5 0.6 0'
status 200 drag
order step
order step
sleep 0.2
frames 'from=2'
awk "BEGIN { exit !($(account applied) > 1e-6) }" || failed "a hand that pulls does the work $(account applied)"
awk "BEGIN { r = $(account remainder); exit !(r*r < 1e-20) }" || failed "the account does not close: $(account remainder)"
order drop
order step
sleep 0.2
frames 'from=3'
[ "$(account applied)" = 0 ] || failed "work after letting go: $(account applied)"
# the floor does not move, and there is no body 7: nothing is held
for body in 0 7; do
    order "drag $body 0 0 0 0 1 0"
    order step
done
sleep 0.2
frames 'from=5'
[ "$(account applied)" = 0 ] || failed "work on what cannot be pulled: $(account applied)"
for wrong in drag 'drag 1' 'drag 1 0 0 0 0 0' 'drag 1 0 0 0 0 0 0 0' 'drag 1 0 0 0 0 0 nan' 'drag 1 0 0 0 0 0 1e999' 'drag -1 0 0 0 0 0 0' 'drag 0.5 0 0 0 0 0 0' \
    'drop 1' set 'set mu' 'set mu=' 'set =1' 'set mu=x' 'set mu=0.1 ' 'set nothing=1' 'set mu=2' 'set mu=-0.1'; do
    order "$wrong"
    status 400 "$wrong"
done

# a parameter: the run begins again with it, and keeps it
get /live/scene.json
has body '{"name": "mu","value": 0.29999999999999999,"default": 0.29999999999999999,"unit": "","about": "friction","min": 0,"max": 1}'
order 'set mu=0.25'
status 200 set
until_state 2 paused
[ "$(steps)" = '0 ' ] || failed "after another value: steps $(steps)"
get /live/scene.json
has body '"name": "mu","value": 0.25,'
order reset
until_state 3 paused
get /live/scene.json
has body '"name": "mu","value": 0.25,'
stop

# ended in the middle, while somebody watches: the recording is whole
serve run --view --no-open slide.yaml -t 1e6 --speed 2 -o long.h5
"$client" "$port" parallel 20 "/$secret/live/frames?from=0" slide.yaml >/dev/null & # twenty who watch
watching=$!
sleep 0.3
frames 'from=1'
[ "$(state)" = running ] || failed "state: $(state)"
stop
[ $code -eq 130 ] || failed "exit code $code, not 130"
wait $watching
run 0 info long.h5
has out 'not finished'

# as fast as it goes; a step that fails is told, and a reset reads the scene again
sed -e '/^duration/a\
stages: {solver: pgs, fallback: [], max_halvings: 0, settings: {pgs: {max_sweeps: 1}}}' short.yaml >hard.yaml
serve run --view --no-open --fast --no-recording hard.yaml
until_state 1 failed
sed -n 's/.*"message": *//p' body >message
has message 'failed: '
cp short.yaml hard.yaml
token=$(get /recordings.json; field body token)
order reset
until_state 2 finished
stop
[ $code -eq 0 ] || failed "exit code $code after a run that was mended"

# refused before anything is shown
refused 'perp run: --fast: found without --view; allowed: both together' run --fast slide.yaml
refused 'perp run: --speed: found together with --fast; allowed: one of the two' run --view --fast --speed 2 slide.yaml
refused 'perp run: --view: found together with --resume; allowed: one of the two' run --view --resume short.h5
run 2 run --view --no-open nothing.yaml
hasnt out http
run 2 run --view --no-open short.yaml -o short.h5
has err 'found a file of that name'
hasnt out http
finish
