#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Studies: the same results with any number of workers, in parts, after kills, under mpirun; tables, trials again, sequential sampling.
. "$2/test/cli/helper"
# samples of each of the 8 cells where a study must be long enough to be killed, extended, or to stop early; all of its runs cost as many
samples=100
[ -z "${PERP_TEST_WHOLE:-}" ] || samples=200
unset SLURM_ARRAY_TASK_ID OMPI_COMM_WORLD_RANK PMI_RANK JOB_COMPLETION_INDEX
write_study_scene slide.yaml
cat >study.yaml <<'YAML'
perp-study: 1
title: How far does it slide?
scene: slide.yaml
vary:
  floor: {class: {smooth: {mu: [0, 0.2]}, rough: {mu: [0.4, 0.8]}}}
  v: {from: 0.5, to: 2, count: 4}
sample: {count: 12, seed: 5, mu: uniform, m: "uniform(0.5, 2)"}
end: {when: "{block.speed} < 1e-9", steps: 3}
measure:
  x: last("block.x")
  far: x > 0.2
  heavy: twice
report:
  - {map: far, x: v, y: floor}
  - {table: x, rows: v, columns: floor, show: mean}
checks:
  - {what: failed, value: failed(), below: 0}
  - {what: smooth floors let it slide further, value: 'mean("x", "floor == smooth") - mean("x", "floor == rough")', above: 0.01}
  - {what: derived parameters follow, value: 'largest("heavy")', below: 4}
YAML
run 0 sweep study.yaml -j 1 -o one.h5 --json
digest=$(field out digest)
[ -n "$digest" ] || failed 'a sweep has no digest'
[ "$(field out done)" = 96 ] || failed "96 trials, not $(field out done)"
for j in 2 7; do
    run 0 sweep study.yaml -j $j -o j$j.h5 --json
    [ "$(field out digest)" = "$digest" ] || failed "another digest with $j workers"
done

# parts, from the command line and from the environment of job systems; joined
run 0 sweep study.yaml --part 1/3 -o p1.h5 --json
[ "$(field out done)" = 32 ] || failed "part 1 of 3 has $(field out done) trials"
run 0 study p1.h5 --csv part.csv
awk -F, 'NR > 1 && $1 % 3 != 0 { exit 1 }' part.csv || failed 'part 1 of 3 has trials of another part'
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 "$perp" sweep study.yaml -o p2.h5 --json >out || failed 'a part by Slurm'
[ "$(field out done)" = 32 ] || failed "part 2 of 3 by Slurm has $(field out done) trials"
JOB_COMPLETION_INDEX=2 "$perp" sweep study.yaml --parts 3 -o p3.h5 -q || failed 'a part by an indexed job'
run 0 study p3.h5 p1.h5 p2.h5 -o joined.h5 --json
[ "$(field out digest)" = "$digest" ] || failed 'another digest of the parts'
run 0 study joined.h5 --json
[ "$(field out digest)" = "$digest" ] || failed 'another digest of the joined file'
[ "$(field out done)" = 96 ] || failed "the joined file has $(field out done) trials"
run 0 sweep study.yaml --seed 6 --part 2/3 -o foreign.h5 -q
refused 'perp: foreign.h5: found another study than in p1.h5; allowed: parts of one study' study p1.h5 foreign.h5
refused 'perp: p1.h5: found results of another study, scene or parameters; allowed: the file of this study; another --output begins a new one' sweep study.yaml --seed 6 --resume -o p1.h5
for part in 0/3 4/3 3 1/3x; do
    refused "perp sweep: --part: found $part; allowed: I/N with I from 1 to N, such as 3/16" sweep study.yaml --part $part -o none.h5
done
SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 "$perp" sweep study.yaml -o outside.h5 --json >out 2>err
[ "$(field out done)" = 96 ] || failed 'a number beyond the parts of the environment was taken as a part'
refused 'perp: p1.h5: found a file; allowed: a name that is free, --resume to continue it, or --force to replace a study' sweep study.yaml -o p1.h5

# killed and resumed
until_there() { # FILE: waits for it, on a busy machine too
    tries=0
    while [ ! -e "$1" ] && [ $tries -lt "$(patience 300)" ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
"$perp" sweep study.yaml -n $samples -j 2 -o killed.h5 -q &
pid=$!
until_there killed.h5
sleep 0.3
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ -e killed.h5 ] || failed 'nothing was written before the kill'
run 0 study killed.h5 --json
before=$(field out done)
run 0 sweep study.yaml -n $samples -j 2 -o killed.h5 --resume --json
resumed=$(field out digest)
[ "$(field out done)" = $((8 * samples)) ] || failed "resumed after $before trials: $(field out done) of $((8 * samples))"
run 0 sweep study.yaml -n $samples -j 1 -o whole.h5 --json
[ "$(field out digest)" = "$resumed" ] || failed 'killed and resumed: another digest'
# more samples of a study that was done before: those before stay
run 0 sweep study.yaml -n $samples -o one.h5 --resume --json
[ "$(field out digest)" = "$resumed" ] || failed 'extended: another digest'
run 0 sweep study.yaml -n $samples -o one.h5 --resume --json
[ "$(field out processor_seconds)" = 0 ] || failed 'a study that is complete was run again'
run 0 study one.h5 --json
[ "$(field out trials)" = $((8 * samples)) ] || failed "the extended file says $(field out trials) trials"
run 0 study one.h5 --csv whole.csv
[ "$(wc -l <whole.csv)" = $((8 * samples + 1)) ] || failed "$(wc -l <whole.csv) lines of CSV of $((8 * samples)) trials: some were run twice"

# ranks of MPI: one is killed, the job ends, the rest is done later
if command -v mpirun >/dev/null && ldd "$perp" 2>/dev/null | grep -q libmpi; then
    ranks="mpirun --allow-run-as-root --oversubscribe -n 4"
    $ranks "$perp" sweep study.yaml -o ranks.h5 --json >out 2>err || failed "mpirun: $(cat err)"
    [ "$(field out digest)" = "$digest" ] || failed 'another digest under mpirun'
    if [ -n "${PERP_TEST_WHOLE:-}" ]; then
        $ranks "$perp" sweep study.yaml -n $samples -o dead.h5 -q >out 2>err &
        pid=$!
        until_there dead.h5
        sleep 0.3
        victim=$(pgrep -f "sweep study.yaml -n $samples -o dead.h5" | tail -1)
        [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
        wait $pid 2>/dev/null
        run 0 sweep study.yaml -n $samples -o dead.h5 --resume --json
        [ "$(field out digest)" = "$resumed" ] || failed 'a rank died: another digest'
    fi
fi

# one trial again, and its recording
run 0 sweep study.yaml --trial 17 --record trial.h5
has out 'trial 17: '
has out "x                    $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "x") c = i } $1 == 17 { printf "%.15g", $c }' whole.csv)"
run 0 info trial.h5
refused 'perp sweep: --trial: found 96; allowed: 0 to 95' sweep study.yaml --trial 96
run 0 study joined.h5 --trial 17
has out 'trial 17: '

# tables and intervals against sums of the CSV: all trials, and one row of the table of means (cells 0 and 4 are v = 0.5)
run 0 study one.h5 --json
awk -F, '
    function close_to(a, b) { return (a - b)^2 <= 1e-18*(1 + b*b) }
    FNR == NR { if (FNR > 1) { n++; x += $12; xx += $12*$12; far += $13 } next }
    /": \{$/ { gsub(/[" :{]/, ""); name = $0 }
    /"(value|low|high)":/ { split($0, part, /[":, ]+/); got[name part[2]] = part[3] }
    END {
        z = 1.959963984540054; m = x/n; half = z*sqrt((xx - n*m*m)/(n - 1)/n)
        p = far/n; d = 1 + z*z/n; c = (p + z*z/(2*n))/d; r = z*sqrt(p*(1 - p)/n + z*z/(4*n*n))/d
        exit !(close_to(got["xvalue"], m) && close_to(got["xlow"], m - half) && close_to(got["xhigh"], m + half) &&
            close_to(got["farvalue"], p) && close_to(got["farlow"], c - r) && close_to(got["farhigh"], c + r))
    }' whole.csv out || failed 'means or intervals of all trials are not those of the CSV'
run 0 study one.h5
row=$(awk -F, 'NR > 1 && $1 % 4 == 0 { c = $1 % 8; n[c]++; x[c] += $12 } END { printf "%.4g %.4g", x[0]/n[0], x[4]/n[4] }' whole.csv)
grep -Eq "^ +0\.5 +$(echo "$row" | sed 's/\./\\./g; s/ / +/')\$" out || failed "the table of means has no row 0.5 $row"

# sampling until intervals are narrow: the same after an interruption
run 0 sweep study.yaml -n $samples --until far=0.3 -o until.h5 --json
narrow=$(field out digest) some=$(field out done)
[ "$some" -lt $((8 * samples)) ] || failed 'sampling did not stop early'
# how many trials that must be, from the whole study: rounds of 256 trials over the cells whose interval (Wilson, 95 %) is too wide; trials
# that failed are not counted
sequence() { # CSV MEASURE CELLS COUNT WIDTH
    awk -F, -v measure="$2" -v cells="$3" -v count="$4" -v width="$5" '
    function wide(c,    p, z, d, r) {
        if (!n[c]) return 1
        z = 1.959963984540054; p = yes[c]/n[c]; d = 1 + z*z/n[c]
        r = 2*z*sqrt(p*(1 - p)/n[c] + z*z/(4*n[c]*n[c]))/d
        return r > width
    }
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == measure) column = i; next }
    { good[$1] = $2 == "done" || $2 == "ended early"; value[$1] = $column }
    END {
        for (s = 0; s < count;) {
            active = 0
            for (c = 0; c < cells; c++) active += on[c] = wide(c)
            if (!active) break
            depth = int((256 + active - 1)/active)
            for (end = s + depth > count ? count : s + depth; s < end; s++)
                for (c = 0; c < cells; c++) {
                    if (!on[c]) continue
                    total++
                    if (good[cells*s + c]) { n[c]++; yes[c] += value[cells*s + c] != 0 }
                }
        }
        print total
    }' "$1"
}
expected=$(sequence whole.csv far 8 $samples 0.3)
[ "$some" = "$expected" ] || failed "sequential sampling made $some trials, not $expected"
run 0 sweep study.yaml -n $samples --until far=0.3 -j 1 -o until1.h5 --json
[ "$(field out digest)" = "$narrow" ] || failed 'sequential: another digest'
run 0 sweep study.yaml -n 30 --until far=0.3 -o until2.h5 -q
run 0 sweep study.yaml -n $samples --until far=0.3 -o until2.h5 --resume --json
[ "$(field out done)" = "$expected" ] || failed "sequential sampling, resumed: $(field out done) trials, not $expected"
run 0 sweep study.yaml -n $samples --until far=0.3 --part 1/3 -o third.h5 --json
[ "$(field out trials)" = $((3 * samples)) ] || failed "part 1 of 3 of 8 cells has at most $(field out trials) trials, not $((3 * samples))"
for part in 1 2; do run 0 sweep study.yaml -n $samples --until far=0.3 --part $part/2 -o half$part.h5 -q; done
run 0 study half1.h5 half2.h5 --json
run 0 study half1.h5 --csv half.csv
awk -F, 'NR > 1 && $1 % 8 % 2 != 0 { exit 1 }' half.csv || failed 'parts of a sequential study do not divide its cells'
run 0 study half1.h5 half2.h5 --json
[ "$(field out done)" -le $((8 * samples)) ] && [ "$(field out done)" -ge "$expected" ] || failed "sequential sampling in parts: $(field out done) trials"

# values over trials: named, in checks and in curves; the stopping distance is v^2/(2 mu g)
cat >values.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
vary: {v: [0.5, 1]}
measure: {x: last("block.x")}
values:
  short: mean("x", "v == 0.5")
  long: mean("x", "v == 1")
  slope: log(long/short)/log(2)
report:
  - {lines: [{label: stops, x: [0.5, 2*0.5], y: [short, long]}, {label: closed form, x: [0.5, 1], y: [0.25/5.886, 1/5.886]}], logx: true, logy: true, file: stops, xlabel: "v [m/s]"}
  - {plot: x, x: v, logx: true, logy: true}
checks:
  - {what: distance, value: long, reference: 1/5.886, limit: 0.005}
  - {what: slope, value: slope, reference: 2, limit: slope/20}
YAML
run 0 sweep values.yaml -o values.h5 --figures curves
has out '2 of 2 checks hold'
has out 'closed form                                       1               0.1699'
[ -s curves/stops.svg ] && [ -s curves/plot-x.svg ] || failed 'no curves'
run 0 sweep values.yaml --part 1/2 -o half.h5 --figures half # not all trials: the curves have no points yet
has out 'closed form                                       -                    -'
sed 's|reference: 2, |reference: 1, |' values.yaml >wrong.yaml
run 1 sweep wrong.yaml -o wrong.h5
has out '1 of 2 checks hold'

# with trials that fail, and intervals that are just wide enough: 64 cells, so 4 samples in a round
sed 's/^duration: .*/duration: 0.15/' slide.yaml >brief.yaml
cat >some.yaml <<'YAML'
perp-study: 1
scene: brief.yaml
vary: {v: {from: 0.5, to: 2, count: 64}}
sample: {count: 24, seed: 3, m: "uniform(0.5, 2)"}
measure: {moves: 'at("block.x", m > 0.8 ? 0.1 : 9) > 0'}
YAML
run 0 sweep some.yaml -o some.h5 -q
run 0 study some.h5 --csv some.csv
grep -q 'not measured' some.csv || failed 'no trial failed'
for width in 0.2 0.24; do
    rm -f few.h5
    run 0 sweep some.yaml --until moves=$width -o few.h5 --json
    expected=$(sequence some.csv moves 64 24 $width)
    [ "$(field out done)" = "$expected" ] || failed "until $width: $(field out done) trials, not $expected"
done

# a study without a file, figures, CSV, a page
run 0 sweep slide.yaml --vary mu=0.1:0.5:5 -m 'x=last("block.x")' -o quick.h5
has out '0.1'
run 0 study joined.h5 --figures fig --csv table.csv --page page.md
[ -s fig/map-far.svg ] || failed 'no map'
has page.md '| floor \ v |'
[ "$(wc -l <table.csv)" = 97 ] || failed "$(wc -l <table.csv) lines of CSV"

# a report may be changed after the trials, what they depend on may not
sed -e "s/^title:.*/title: Another title/" -e "s/what: derived parameters follow/what: twice the mass/" study.yaml >told.yaml
run 0 study joined.h5 --as told.yaml
has out 'Another title'
has out 'twice the mass'
sed 's/last("block.x")/2*last("block.x")/' study.yaml >other.yaml
refused 'perp: other.yaml: found a study with other trials than the results; allowed: one that differs in its texts, values, report and checks only' study joined.h5 --as other.yaml

# designs: the same after an interruption
cat >design.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
sample: {count: 4, seed: 1, mu: "uniform(0.2, 0.4)"}
measure: {x: 'last("block.x")'}
design:
  over: {v: [0, 3]}
  start: {v: 0.2}
  minimise: '(mean("x") - 0.15)^2'
  levels: [{name: moves, proof: true, require: v > 0.01}]
  method: {name: nelder-mead, restarts: 1, evaluations: 60}
YAML
run 0 design design.yaml --json -o d1.h5
best=$(field out best)
awk -v f="$best" 'BEGIN { exit !(f >= 0 && f < 1e-6) }' || failed "the best of a search is $best, and 0 can be reached"
[ "$(field out half_step)" != "$best" ] || failed 'the best design was not run again with half of the step'
[ "$(field out fresh)" != "$best" ] || failed 'the best design was not run again on other samples'
trials=$(field out trials)
run 0 study d1.h5 --json
[ "$(field out done)" = "$trials" ] || failed "a search of $trials trials has $(field out done) rows"
run 0 design design.yaml --json -o d1.h5 --resume
[ "$(field out best)" = "$best" ] || failed 'a resumed search ended elsewhere'
run 0 design design.yaml -j 1 --json -o d2.h5
[ "$(field out best)" = "$best" ] || failed 'a search with one worker ended elsewhere'
# a trial of a search has the parameters of its design, which only the file knows
run 0 study d1.h5 --csv searched.csv
row=$(awk -F, 'NR == 40 { print $1; exit }' searched.csv)
run 0 study d1.h5 --trial "$row" --record searched.h5
for name in v mu x; do
    has out "$name $(awk -F, -v name=$name -v row="$row" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        $1 == row { printf "%*s%.15g", 20 - length(name), "", $c }' searched.csv)"
done
# it is made of the texts in the file: a scene that changed since changes nothing
cp slide.yaml kept.yaml
sed -i 's/h: 0.005/h: 0.01/' slide.yaml
cp out told
run 0 study d1.h5 --trial "$row" --record changed.h5
sed 's/changed.h5/searched.h5/' out | cmp -s - told || failed 'a scene that changed on disk changes a trial of the file'
mv kept.yaml slide.yaml
refused 'perp: --trial: found 999999; allowed: a trial that is in the file' study d1.h5 --trial 999999
cat >>design.yaml <<'YAML'
  checks:
    - {what: best speed, value: 'best("v")', reference: 0.94, limit: 0.1, published: about 1}
    - {what: designs, value: designs(), below: 60}
YAML
run 0 design design.yaml -o d3.h5
has out 'about 1'
has out '2 of 2 checks hold'
# the name of a measure is its mean; a plateau is told
sed 's/mean("x")/x/; /checks/,$d' design.yaml >named.yaml
run 0 design named.yaml --json -o d5.h5
[ "$(field out best)" = "$best" ] || failed 'x is not mean("x")'
sed 's/(mean("x") - 0.15)^2/min(1, 100 + x)/; /checks/,$d' design.yaml >flat.yaml
run 0 design flat.yaml -o d6.h5
has out 'the start lies on a plateau'
# methods one after the other: the second goes on from the best of the first
sed 's/^  method: .*/  method: [{name: nelder-mead, restarts: 0, evaluations: 10}, {name: cma-es, restarts: 0, evaluations: 40, steps: 0.05}]/; /checks/,$d' design.yaml >staged.yaml
sed 's/, {name: cma-es.*/]/' staged.yaml >first.yaml
run 0 design first.yaml --json -o first.h5
was=$(field out best)
run 0 design staged.yaml --json -o staged.h5
has out '"method": "nelder-mead, cma-es"'
[ "$(field out designs)" -gt 10 ] && [ "$(field out designs)" -le 50 ] || failed "$(field out designs) designs of at most 10 and 40"
awk -v a="$was" -v b="$(field out best)" 'BEGIN { exit !(b < a) }' || failed "the second method found nothing better than $was"
sed -i 's/below: 60/below: 3/' design.yaml
run 1 design design.yaml -o d4.h5 --json
has out '"ok": false'

sed 's/v > 0.01/v > 0.9/; /checks/,$d; s/start: {v: 0.2}/start: {v: 1}/' design.yaml >proof.yaml
run 0 design proof.yaml --json -o proof.h5
[ "$(field out trials)" -lt $((4*$(field out designs))) ] || failed 'designs that fail a proof were run'

# a guess excludes no design but orders them: with `enough` it saves trials
cat >drawn.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
sample: {count: 2, seed: 1, mu: "uniform(0.2, 0.4)"}
measure: {far: 'last("block.x") > 0.8'}
design:
  over: {v: [0, 3]}
  require: far
  levels: [{name: fast, require: v > 2.4}]
  method: {name: sample, count: 64, seed: 3}
YAML
passing() { sed -n '/"passing"/,/]/s/^ *\([0-9][0-9]*\),\{0,1\}$/\1/p' "$1"; }
sed 's/seed: 3}/seed: 3, enough: 6}/' drawn.yaml >enough.yaml
sed '/levels/d' enough.yaml >unordered.yaml
run 0 design drawn.yaml --json -o drawn.h5
passing out >all
all=$(field out trials)
run 0 design enough.yaml --json -o enough.h5
passing out >first
ordered=$(field out trials)
[ "$(wc -l <first)" -ge 6 ] || failed "$(wc -l <first) designs pass, and 6 are enough"
[ -z "$(grep -vxFf all first)" ] || failed 'a design passes only when it is run early'
run 0 design unordered.yaml --json -o unordered.h5
[ "$ordered" -lt "$(field out trials)" ] || failed "a good guess saves nothing: $ordered and $(field out trials) trials"
[ "$(field out trials)" -lt "$all" ] || failed 'the search went on although enough designs passed'
run 0 design enough.yaml -o enough.h5 --resume
has out 'ended after 16 designs'
has out '6 are enough'

# estimates
awk 'BEGIN { print "t,x"; for (i = 0; i <= 20; i++) { t = 0.005*i; print t "," t - 0.3*9.81*t*t/2 } }' >rows.csv
cat >estimate.yaml <<'YAML'
perp-study: 1
scene: slide.yaml
estimate:
  data: {file: rows.csv, columns: {x: {is: block.x, sd: 1e-5}}}
  unknown: {mu: {start: 1, max: 2}, m: {start: 1.5, max: 10}}
  checks:
    - {what: mu, value: 'value("mu")', reference: 0.3, limit: 1e-4}
YAML
run 0 estimate estimate.yaml
has out 'not identified by these data'
has out 'ok'
finish
