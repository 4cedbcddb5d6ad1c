#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp study --view: maps, cells, trials that are run again; what is refused; results that grow, break, or are not of their scene; --export.
. "$2/test/cli/helper"
. "$2/test/view/helper"
unset SLURM_ARRAY_TASK_ID OMPI_COMM_WORLD_RANK PMI_RANK JOB_COMPLETION_INDEX
export TMPDIR="$work/tmp"
mkdir tmp
cat >slide.yaml <<'YAML'
perp: 1
title: A block slides
dim: 2
parameters:
  mu: {default: 0.3, min: 0, max: 2}
  v: {default: 1, unit: m/s, min: 0}
  good: {default: 10, about: time from which no step can be solved}
  side: 1
h: 0.005
duration: 0.5
law: {mu: mu}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: block, mass: 1, inertia: 1, at: [0, 0.1], velocity: [v, 0], shape: {type: box, size: [0.4, 0.2]}}
forces: [{type: expression, body: block, force: ["0*sqrt(good - t)", 0]}]
YAML
cat >study.yaml <<'YAML'
perp-study: 1
title: "How far </script> does it slide?"
scene: slide.yaml
vary:
  floor: {class: {smooth: {mu: [0, 0.2]}, rough: {mu: [0.4, 0.8]}}}
  v: [2, 0.5, 1]
sample: {count: 4, seed: 5, mu: uniform}
end: {when: "{block.speed} < 1e-9", steps: 3}
measure: {x: 'last("block.x")', far: x > 0.2}
report:
  - {map: far, x: v, y: floor, contour: 0.5, title: Far}
  - {plot: x, x: v, by: floor, show: mean}
  - {table: x, rows: v}
YAML
run 0 sweep study.yaml -q -o study.h5
run 0 study study.h5 --csv table.csv
of_trial() { awk -F, -v k="$1" -v c="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i } $1 == k { print $at }' table.csv; }

# Asks for a trial with the token, and waits until it is over: $state.
token() { get /study.json; sed -n 's/^.*"token": "\([0-9a-f]*\)".*$/\1/p' body; }
post() {
    printf 'POST /%s/trial/%s/run HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' "$secret" "$1" ${#2} "$2" | bytes "POST $1"
}
play() {
    post "$1" "$token"
    state= tries=0
    while [ $tries -lt "$(patience 200)" ]; do
        get "/trial/$1/state.json"
        state=$(field body state)
        case $state in waiting | running) sleep 0.05 ;; *) break ;; esac
        tries=$((tries + 1))
    done
}

# ---- what is shown ----
serve study study.h5 --view --no-open
[ "$(cat served)" = "perp study: http://127.0.0.1:$port/$secret/  (stop with Ctrl-C)" ] || failed "said: $(cat served)"
get /
status 200
cmp -s body "$sources/test/view/study.html" || failed 'the page of studies is another'
get /trial/3/
status 200
cmp -s body "$sources/test/view/page.html" || failed 'the page of a trial is not the viewer'
get /study.json
status 200
is_json body
has body '"title": "How far </script> does it slide?"'
has body '"trials": {"planned": 24,"done": 24,"unsolved": 0}'
has body '{"name": "floor","unit": "","labels": ["smooth","rough"],"log": false}'
has body '{"name": "v","unit": "m/s","values": [0.5,1,2],"log": true}' # in rising order
has body '"title": "Far","label": "fraction of far","x": 1,"y": 0,"range": [0,1],"contour": [0.5]'
has body '"title": "x: floor rough","label": "mean of x","x": 1,"range"'
has body '"count": [4,4,4,4,4,4]'
token=$(token)
[ ${#token} = 32 ] || failed "the token is \"$token\""

# cell 2 of the first map is v = 2 on the smooth floor, which is cell 0 of the study: its trials are 0, 6, 12, 18
get /map/0/cell/2.json
status 200
is_json body
has body '"total": 4'
for k in 0 6 12 18; do has body "{\"trial\": $k,\"state\": \"done\",\"values\": [$(printf '%.9g,%.9g,%.9g,%.9g' "$(of_trial $k mu)" "$(of_trial $k v)" "$(of_trial $k x)" "$(of_trial $k far)")]"; done
has body '{"name": "far","unit": "","kind": "measure","boolean": true}'
hasnt body '"good"' # neither varied nor sampled
get /map/2/cell/0.json # x over v, rough: v = 0.5 is cell 4 of the study
has body '"trial": 4,'
get /map/3/cell/0.json
status 404
[ "$(cat body)" = 'there is no map 3; the study has 3' ] || failed "another map: $(cat body)"
get /map/0/cell/6.json
status 404
[ "$(cat body)" = 'there is no cell 6; the map has 6' ] || failed "another cell: $(cat body)"
for path in /map/0/cell/2 /map/00/cell/2.json /map/0/cell/02.json /map/0/cell/-1.json /map/0/cell/%32.json /map/0 /map//cell/2.json /trial/3 /trial/03/ \
    /trial/3/x /trial/3/recording/1 /trial/3/recordings.json/ /trial//state.json /trial/99999999999999999999/ /recordings.json /recording/0 /study.h5 \
    /../etc/passwd /live/scene.json; do
    get "$path"
    status 404 "$path"
done

# ---- trials ----
get /trial/24/state.json
status 404
[ "$(cat body)" = 'there is no trial 24 in the results' ] || failed "another trial: $(cat body)"
post 24 "$token"
status 404 'another trial is run'
get /trial/3/state.json
[ "$(field body state)" = none ] || failed "a trial that nobody asked for: $(cat body)"
get /trial/3/recording/0
status 404 'a trial that was not run'
for wrong in '' 0 "${token}0" "$(printf %032d 0)" "$(printf %070d 0)"; do
    post 3 "$wrong"
    case ${#wrong} in 70) status 413 'a long token' ;; *) status 403 "the token \"$wrong\"" ;; esac
done
get /trial/3/state.json
[ "$(field body state)" = none ] || failed 'a wrong token runs a trial'
get /trial/3/run
status 405 'GET of run'
[ "$(header Allow)" = POST ] || failed "Allow of run: $(header Allow)"
get /study.json POST 'Content-Length: 0'
status 405 'POST to the study'
[ -z "$(ls tmp)" ] || failed 'a folder was made before it was needed'

# a trial is the same as by perp run, to the bit, although its scene has changed on disk meanwhile
run 0 run slide.yaml -q -D mu="$(of_trial 3 mu)" -D v="$(of_trial 3 v)" -o witness.h5
mv slide.yaml kept.yaml
echo 'not a scene' >slide.yaml
play 3
[ "$state" = ready ] || failed "trial 3 is $state: $(cat body)"
get /trial/3/recordings.json
is_json body
has body '"name": "trial 3"'
has body '"live": null'
get /trial/3/recording/0
status 200
cp body trial.h5
run 0 info --digest trial.h5
grep digest out >digest
run 0 info --digest witness.h5
[ "$(of_trial 3 steps)" = 100 ] || failed "trial 3 has $(of_trial 3 steps) steps and is not a good example"
grep digest out | cmp -s - digest || failed 'the recording of trial 3 is another than that of perp run'
get /trial/3/recording/0 GET 'Range: bytes=0-7'
status 206
head -c 8 trial.h5 | cmp -s - body || failed 'a part of a recording has other bytes'
play 3
[ "$state" = ready ] || failed "trial 3 for the second time: $state"
# one that ended early is whole
early=$(awk -F, '$2 == "ended early" { print $1; exit }' table.csv)
play "$early"
get "/trial/$early/recording/0"
cp body early.h5
run 0 info early.h5
has out 'finished'
has out "t = 0 to $(printf %.6g "$(of_trial "$early" t_end)") "
# more than are kept, asked for at once: each is run or has its turn later, and the oldest are forgotten
for k in 0 1 2 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do play $k; [ "$state" = ready ] || failed "trial $k is $state: $(cat body)"; done
get /trial/3/state.json
[ "$(field body state)" = none ] || failed 'the oldest trial is still there'
get /trial/3/recording/0
status 404 'a forgotten trial'
[ "$(ls tmp/* | wc -l)" = 20 ] || failed "$(ls tmp/* | wc -l) recordings are kept"
good=$("$client" "$port" parallel 100 "/$secret/trial/23/" "$sources/test/view/page.html")
[ "$good" = 100 ] || failed "$good of 100 parallel clients got the page"
stop
[ $code -eq 0 ] || failed "exit code $code"
[ ! -s served.err ] || failed "something on stderr: $(cat served.err)"
[ -z "$(ls tmp)" ] || failed 'the folder was left behind'
mv kept.yaml slide.yaml

# ---- results that are not of their scene ----
for way in study-measure study-scene; do
    "$PERP_DAMAGE" $way study.h5 $way.h5
    serve view --no-open $way.h5
    token=$(token)
    play 0
    [ "$state" = failed ] || failed "$way: trial 0 is $state"
    has body 'the scene slide.yaml has changed since the trials were run, or the program has'
    [ $way = study-scene ] || has body 'and 12345 in the file; the scene'
    get /trial/0/recording/0
    status 404 "$way"
    play 1 # the other rows are as they were
    [ $way = study-scene ] || [ "$state" = ready ] || failed "$way: trial 1 is $state"
    stop
done

# ---- trials that failed ----
cat >bad.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
vary: {good: [0.198, 10], side: [1, -1]}
sample: {count: 1, v: side} # which the scene refuses if it is negative
measure: {x: 'last("block.x")'}
YAML
run 0 sweep bad.yaml -q -o bad.h5
serve view --no-open bad.h5
[ "$(cat served)" = "perp view: http://127.0.0.1:$port/$secret/  (stop with Ctrl-C)" ] || failed "said: $(cat served)"
token=$(token)
get /study.json
has body '"unsolved": 3'
has body '"title": "x","label": "mean of x","x": 1,"y": 0' # a map although the study asks for none
has body '"value": [null,null,null,'
get /map/0/cell/1.json # side = 1, good = 0.198: values rise
has body '"state": "unsolved"'
has body "t = 0.2: force element 0: "
play 0
[ "$state" = ready ] || failed "the trial that is not solved is $state: $(cat body)"
get /trial/0/recording/0
cp body unsolved.h5
run 0 info unsolved.h5
has out 'not finished'
get /map/0/cell/0.json
has body '"state": "failed"'
play 1
[ "$state" = failed ] || failed "a refused trial is $state"
has body 'it was refused: '
stop

# ---- results that grow, break, and become another study ----
sed 's/count: 4/count: 4000/' study.yaml >long.yaml
"$perp" sweep long.yaml -j 1 -q -o long.h5 &
writer=$!
tries=0
while [ ! -s long.h5 ] && [ $tries -lt "$(patience 200)" ]; do sleep 0.05; tries=$((tries + 1)); done
serve study long.h5 --view --no-open
done_now() { get /study.json; status 200 'a study that goes on'; sed -n 's/^.*"done": \([0-9]*\).*$/\1/p' body; }
first=$(done_now)
tries=0
while [ "$(done_now)" -le "$first" ] && [ $tries -lt "$(patience 100)" ]; do sleep 0.1; tries=$((tries + 1)); done
[ "$(done_now)" -gt "$first" ] || failed "the study does not grow: $first trials"
has body '"planned": 24000'
token=$(token)
play 1
[ "$state" = ready ] || failed "a trial of a study that goes on is $state: $(cat body)"
kill -TERM $writer
wait $writer
get /study.json
status 200
mv long.h5 kept.h5
head -c 5000 kept.h5 >long.h5
get /study.json
status 500 'a file that was cut'
has body 'long.h5: found no seal'
get /map/0/cell/0.json
status 200 'rows that were read before'
cp bad.h5 long.h5
get /study.json
status 500 'another study'
has body 'long.h5: another study is in this file now'
rm long.h5
get /study.json
status 500 'no file'
mv kept.h5 long.h5
get /study.json
status 200 'the file is there again'
stop

# ---- searches, one variable, none ----
cat >design.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
sample: {count: 4, seed: 1, mu: "uniform(0.2, 0.4)"}
measure: {x: 'last("block.x")'}
design:
  over: {v: [0, 3]}
  start: {v: 0.2}
  minimise: '(mean("x") - 0.15)^2'
  method: {name: nelder-mead, restarts: 1, evaluations: 20}
YAML
run 0 design design.yaml -q -n 3 -o design.h5
serve view --no-open design.h5
token=$(token)
get /study.json
is_json body
has body '{"name": "design","unit": "","values": [0,1,2,'
has body '"label": "mean of x","x": 0,"range"'
get /map/0/cell/2.json
has body '"total": 3'
has body '{"trial": 6,'
play 7
[ "$state" = ready ] || failed "a trial of a search is $state: $(cat body)"
stop
run 0 sweep slide.yaml --vary mu=0.1:0.5:5 -m 'x=last("block.x")' -q -o one.h5
serve view --no-open one.h5
get /study.json
has body '"maps": [{"title": "x","label": "mean of x","x": 0,"range"'
stop
run 0 sweep slide.yaml --sample 'mu=uniform(0.1, 0.5)' -n 7 -m 'x=last("block.x")' -q -o none.h5
serve view --no-open --json none.h5
is_json served
get /study.json
has body '"axes": [{"name": "trials","unit": "","labels": ["all"],"log": false}]'
get /map/0/cell/0.json
has body '"total": 7'
stop

# ---- parts of one study ----
for i in 1 2; do run 0 sweep study.yaml --part $i/2 -q -o part$i.h5; done
serve study part1.h5 part2.h5 --view --no-open
get /study.json
has body '"planned": 24,"done": 24'
has body '"file": "part1.h5 and 1 more"'
stop
run 2 study part1.h5 bad.h5 --view --no-open
has err 'perp: bad.h5: found another study than in the first file; allowed: parts of one study'

# ---- one page ----
run 0 study study.h5 --export page.html
has out 'page.html: 3 maps, '
hasnt page.html 'far </script>'
has page.html "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
sed -n 's/^<script type="application\/x-perp-study">\(.*\)$/\1/p' page.html >inside
is_json inside
has inside '"title": "How far \u003c/script> does it slide?"'
has inside '"token": ""'
refused 'perp: page.html: found a file of that name; allowed: a name that is free, --force to replace it' view --export page.html study.h5
run 0 view --force --export page.html --json study.h5
is_json out
[ "$(field out bytes)" = "$(wc -c <page.html | tr -d ' ')" ] || failed "bytes: $(field out bytes)"

# ---- refused before anything is served ----
for how in 'study --view' 'view'; do
    # shellcheck disable=SC2086 # two words
    {
        run 2 $how nowhere.h5
        has err "nowhere.h5: cannot be "
        head -c 5000 study.h5 >cut.h5
        refused 'perp: cut.h5: found no seal at its end; allowed: a recording as perp wrote it (it was truncated, or changed by another program)' $how cut.h5
        "$PERP_DAMAGE" study-wide study.h5 wide.h5
        refused 'perp: wide.h5: plan: found other parameters or measures than its study has; allowed: what perp sweep and perp design write' $how wide.h5
        "$PERP_DAMAGE" study-number study.h5 number.h5
        refused 'perp: number.h5: found a trial whose number the study does not have' $how number.h5
    }
done
run 0 run slide.yaml -q -o slide.h5
refused 'perp: slide.h5: found a file that is no study; allowed: a file of perp sweep or perp design' study slide.h5 --view
run 2 view study.h5 slide.h5
run 2 view slide.h5 study.h5
refused 'perp study: --port: found without --view; allowed: both together' study study.h5 --port 8080
refused 'perp study: --export: found together with --view; allowed: one of the two' study study.h5 --view --export x.html
refused 'perp study: --csv: found together with --view; allowed: one of the two' study study.h5 --view --csv x.csv
"${PERP_PAGELESS:?}" study study.h5 --view >out 2>err
[ $? -eq 2 ] || failed 'a program without a page serves'
has err 'built without the viewer'
finish
