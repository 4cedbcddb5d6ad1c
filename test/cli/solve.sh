#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp solve: tables, exit codes, files of figures; the step problems of runs; figures about solvers.
. "$2/test/cli/helper"
cp "$sources"/problems/*.dat "$sources"/problems/*.h5 "$sources"/problems/*.hdf5 .
# column NAME of the lines of a table in CSV whose column problem is PROBLEM and solver SOLVER
column() { # FILE NAME PROBLEM SOLVER
    awk -F, -v name="$2" -v problem="$3" -v solver="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["problem"] == problem && $at["solver"] == solver { print $at[name] }' "$1"
}
below() { awk -v x="$1" -v most="$2" 'BEGIN { exit !(x != "" && x + 0 <= most) }'; }

# ---- a single one ----
run 0 solve lcp-three.dat
[ ! -s err ] || failed "something on stderr: $(cat err)"
for text in problem status natural siconos lcp-three.dat lcp auto solved; do has out "$text"; done
[ "$(wc -l <out)" -le 3 ] || failed "too many lines: $(cat out)"
run 0 solve lcp-three.dat --quiet
[ ! -s out ] || failed '--quiet prints'
run 0 solve box-on-feet.hdf5 --json
is_json out
[ "$(field out layout)" = fclib ] && [ "$(field out class)" = cone ] && [ "$(field out contacts)" = 4 ] || failed "head: $(cat out)"
[ "$(field out solved)" = true ] && [ "$(field out unsolved)" = 0 ] || failed 'box-on-feet.hdf5 is not solved'
below "$(field out natural)" 1e-9 || failed "natural: $(field out natural)"
below "$(field out siconos)" 1e-8 || failed "siconos: $(field out siconos)"

# the figure decides; impulses of 1e9 between two walls that close are no answer, and there is a proof that there is none
printf '2\n2\n0\n4\n4\n4 4\n1 0 -1 0\n0 1 0 1\n-1 0 1 0\n0 1 0 1\n-1 0 -1 0\n0.5 0.5\n' >walls.dat
run 1 solve walls.dat
for text in figure infeasible 'contact 0' 'contact 1' 'contradict each other' 'needs impulses'; do has out "$text"; done
run 1 solve walls.dat --json
is_json out
[ "$(field out status)" = infeasible ] && [ "$(field out violated)" = 2 ] && [ "$(field out contradicting_laws)" = 2 ] || failed "walls: $(cat out)"
printf '2\n0\n2\n2\n2 2\n0 0\n0 0\n1 -2\n' >zero.dat # w = q whatever z is
run 1 solve zero.dat
has out infeasible
has out 'row 1 cannot be met'
run 0 solve box-on-feet.hdf5 --results figures.csv --quiet
below "$(column figures.csv figure box-on-feet.hdf5 auto)" 1e-9 || failed "figure: $(cat figures.csv)"
rm -f walls.dat zero.dat figures.csv

# where Newton ends a little above the tolerance, the others are asked, too
run 0 solve "$sources"/problems/hard/pile-boxes.h5 "$sources"/problems/hard/pile-mixed.h5 "$sources"/problems/hard/pour.h5 --tol 1e-9 --quiet

# interior points go past folds if they are asked to, and end there if not
courses='--set cone-interior-point.shift=1e-6 --set cone-interior-point.feasible=0.1 --set cone-interior-point.soft=0.1
    --set cone-interior-point.hand_over=1e-8 --set cone-interior-point.max_steps=100 --set cone-interior-point.polish_steps=10'
for folds in 0 8; do
    # shellcheck disable=SC2086 # words
    run $((folds == 0)) solve "$sources"/problems/hard/pour.h5 --tol 1e-9 --solver cone-interior-point $courses \
        --set cone-interior-point.folds=$folds --json
    [ "$(field out solved)" = "$([ $folds = 8 ] && echo true || echo false)" ] || failed "folds $folds: $(cat out)"
done

# the tolerance counts: the residual that jacobi stops at is about what was asked for
run 0 solve box-on-feet.dat --solver gauss-seidel --tol 1e-3 --json
coarse=$(field out iterations)
run 0 solve box-on-feet.dat --solver gauss-seidel --tol 1e-10 --json
below "$(field out natural)" 1e-10 || failed "natural at --tol 1e-10: $(field out natural)"
[ "$coarse" -lt "$(field out iterations)" ] || failed "a coarse tolerance takes $coarse iterations, a fine one $(field out iterations)"

# settings: one sweep is not enough, and the judge says so
run 1 solve box-on-feet.dat --solver pgs --set pgs.max_sweeps=1
has out limit
run 1 solve box-on-feet.dat --solver pgs --set pgs.max_sweeps=1 --json
[ "$(field out solved)" = false ] && [ "$(field out unsolved)" = 1 ] || failed 'one sweep solves it'
run 0 solve box-on-feet.dat --solver pgs --set pgs.max_sweeps=5000

# other classes: not solved by the one that was asked, left out by all
run 1 solve box-on-feet.dat --solver lemke
has out 'no fit'
run 0 solve box-on-feet.dat --solver lemke,auto
run 0 solve box-on-feet.dat --solver all
hasnt out lemke
run 0 solve contacts-2d.dat --solver all # in the plane a cone is a wedge, and the conversion exact
has out lemke
# pyramids: solved as such, and nearer to the cone the more sides they have
run 0 solve box-on-feet.dat --pyramid 4 --solver lemke,path-search --results four.csv
run 0 solve contact-3d.dat --pyramid 4 --json
has out sparse-mlcp
four=$(sed -n '/"cone_residuals"/,$p' out >cone && field cone natural)
run 0 solve contact-3d.dat --pyramid 64 --json
many=$(sed -n '/"cone_residuals"/,$p' out >cone && field cone natural)
awk -v a="$four" -v b="$many" 'BEGIN { exit !(b < a/10 && a > 1e-6) }' || failed "cone residual $four of 4 sides, $many of 64"

# ---- several, a folder, files of figures ----
mkdir set set/deeper
cp lcp-three.dat mlcp-parts.dat set
cp box-on-feet.hdf5 qp-triangle.h5 set/deeper
write_slide slide.yaml
run 0 run slide.yaml -q -t 0.01 -o set/recording.h5 # passed over
echo nonsense >set/README
run 0 solve set --solver auto,pgs --results results.csv --trace trace.csv
[ ! -s err ] || failed "something on stderr: $(cat err)"
has out 'auto                 solved 4 of 4'
[ "$(wc -l <results.csv)" -eq 9 ] || failed "results.csv: $(cat results.csv)"
[ "$(head -1 trace.csv)" = problem,solver,iteration,seconds,natural,siconos ] || failed "trace.csv begins with $(head -1 trace.csv)"
[ "$(column results.csv status set/deeper/box-on-feet.hdf5 pgs)" = solved ] || failed "results.csv: $(cat results.csv)"
# a history ends with what the table tells, goes on in time and iterations, and begins far from the answer
column trace.csv natural set/deeper/box-on-feet.hdf5 pgs >history
[ "$(wc -l <history)" -gt 10 ] || failed 'the history of pgs is too short'
[ "$(tail -1 history)" = "$(column results.csv natural set/deeper/box-on-feet.hdf5 pgs)" ] || failed 'the history does not end where the table does'
[ "$(column trace.csv iteration set/deeper/box-on-feet.hdf5 pgs | tail -1)" = "$(column results.csv iterations set/deeper/box-on-feet.hdf5 pgs)" ] ||
    failed 'the history does not end with the last iteration'
below "$(head -1 history)" 1e-4 && failed "the history of pgs begins with $(head -1 history)"
for name in iteration seconds; do
    column trace.csv $name set/deeper/box-on-feet.hdf5 pgs | awk 'NR > 1 && $1 < last { exit 1 } { last = $1 }' ||
        failed "$name of a history goes back"
done
# a file that is wrong is told, the others are solved all the same
echo 3 >set/wrong.dat
run 2 solve set
has err 'set/wrong.dat'
has out 'solved 4 of 4'
run 2 solve set --json
is_json out
has out '"error"'
rm set/wrong.dat
run 2 solve lcp-three.dat --results results.csv # never written over unasked
has err 'perp solve: --results: found "results.csv"; allowed: a name that is free, or --force to replace the file'
run 0 solve lcp-three.dat --results results.csv --force
[ "$(wc -l <results.csv)" -eq 2 ] || failed '--force does not replace'

# ---- layouts ----
for layout in perp fclib siconos; do
    run 0 solve box-on-feet.hdf5 --solver none --save "again.$layout" --format $layout
    [ "$("$perp" solve "again.$layout" --json 2>&1 | sed -n 's/.*"layout": "\(.*\)".*/\1/p')" = $layout ] || failed "--format $layout: another layout"
    run 0 solve "again.$layout" --solver auto --results "$layout.csv"
    [ "$(column "$layout.csv" natural "again.$layout" auto)" = "$(column perp.csv natural again.perp auto)" ] ||
        failed "$layout: another residual than from perp's own layout"
done
run 2 solve qp-triangle.h5 --save qp.hdf5 --format fclib # cannot hold it
[ ! -e qp.hdf5 ] || failed 'a file of a layout that cannot hold the problem'
# the answer is saved as the guess: nothing is left to do from there
run 0 solve box-on-feet.dat --save warm.h5
run 0 solve warm.h5 --warm --json
[ "$(field out iterations)" -le 1 ] || failed "from its answer: $(field out iterations) iterations"
run 0 solve warm.h5 --json
[ "$(field out iterations)" -gt 1 ] || failed 'the guess was used without --warm'

# ---- problems of runs ----
# every fifth step; up to step 10 the block flies. A model that poses one problem a step, of all contacts within reach
sed 's/^h:/stages: {contact_model: one-plane}\nh:/' slide.yaml >once.yaml
run 0 run once.yaml --no-recording -t 0.1 --save-problems captured --save-every 5
has out 'captured: 8 files'
[ "$(ls captured | head -2 | tr '\n' ' ')" = 'step-000011-island-00.h5 step-000016-island-00.h5 ' ] || failed "names: $(ls captured)"
run 0 solve captured --json
[ "$(field out unsolved)" = 0 ] && [ "$(field out read)" = 8 ] || failed 'captured problems are not solved'
# they hold what the solver of the run began with: landing, in step 23, is work from there too, sliding on is not
run 0 run once.yaml --no-recording -t 0.06 --save-problems each
run 0 solve each --warm --results warm.csv -q
[ "$(column warm.csv iterations each/step-000023-island-00.h5 auto)" -gt 3 ] || failed "step 23 was saved with its answer as the guess: $(cat warm.csv)"
[ "$(column warm.csv iterations each/step-000030-island-00.h5 auto)" -le 3 ] || failed "a slide takes many iterations from the step before: $(cat warm.csv)"
run 0 info each/step-000023-island-00.h5
has out 'guess       yes'
run 0 info captured/step-000011-island-00.h5
for text in ': problem' 'once.yaml: step 11 from t = 0.02, island 0, solved by' 'the problem of a time step' 'contacts    2' \
    'dofs        3' 'mu          0.3 everywhere' 'matrix W    4 x 4' 'guess       none' 'solution    yes'; do
    has out "$text"
done
run 2 run slide.yaml --no-recording --save-problems captured
# the answers do not depend on who looks on
run 0 run slide.yaml --json --no-recording -t 0.1 --save-problems looked
with=$(field out hash)
run 0 run slide.yaml --json --no-recording -t 0.1
[ "$(field out hash)" = "$with" ] || failed 'saving problems changes the run'

# a step that fails: its problem is kept, and another solver solves it
sed -e '/^duration/a\
stages: {solver: pgs, fallback: [], max_halvings: 0, settings: {pgs: {max_sweeps: 1}}}' slide.yaml >hard.yaml
run 1 run hard.yaml
kept=$(sed -n 's/^perp: the problem of that step is in \([^ ]*\) .*/\1/p' err)
case $kept in
hard-failed-step-0*.h5) [ -f "$kept" ] || failed "$kept is not there" ;;
*) failed "the failed problem is not told: $(cat err)" ;;
esac
run 1 solve "$kept" --solver pgs --set pgs.max_sweeps=1
run 0 solve "$kept"
run 1 run hard.yaml --json -o json.h5
is_json out
[ -f "$(field out failed_problem)" ] || failed "failed_problem: $(field out failed_problem)"
run 1 run hard.yaml --no-recording
has err '--save-problems FOLDER'
run 1 run hard.yaml --no-recording --save-problems failing
[ -e failing/failed-step-0*.h5 ] || failed 'no failed problem in the folder'

# ---- solvers ----
run 0 solve --list
for text in 'lemke: lcp, mlcp' 'max_pivots       0 '; do has out "$text"; done
run 0 solve --list --json
is_json out

# ---- figures ----
rm -f results.csv trace.csv
run 0 solve set box-on-feet.dat --solver auto,pgs,lemke --results results.csv -q
run 0 solve box-on-feet.dat --solver auto,pgs --trace trace.csv -q
run 0 solve box-on-feet.dat --solver auto,pgs --trace trace.h5 -q
run 0 plot results.csv profile
has out '1 panel, 3 lines'
grep -q 'part of' results.svg || grep -q '<path' results.svg || failed 'results.svg is empty'
run 0 plot results.csv 'profile(iterations)' -o a.pdf
run 0 plot trace.csv convergence -o one.svg
has out '2 panels, 4 lines'
run 0 plot trace.csv 'convergence(siconos,box-on-feet)' -o a.png
run 0 plot trace.csv trace.h5 convergence -l csv -l hdf5 -o a.svg
has out '2 panels, 8 lines'
run 0 plot trace.csv convergence -o two.svg
cmp -s one.svg two.svg || failed 'two figures of the same are not the same'
run 0 plot trace.csv convergence --json -o a.svg
is_json out
# one solver is the best everywhere, another takes twice its time on one of two and fails on the other
cat >made.csv <<'CSV'
problem,solver,status,seconds,iterations,factorisations
a,fast,solved,1,1,1
b,fast,solved,1,1,1
a,slow,solved,2,1,1
b,slow,limit,1,1,1
CSV
run 0 plot made.csv profile -o made.svg --json
[ "$(field out points)" = 5 ] || failed "steps of the profile: $(field out points)"

# ---- the answer, printed and written ----
run 0 solve box-on-feet.dat -o answer.csv
has answer.csv 'unknown,law,part,value'
run 0 solve box-on-feet.dat --output answer.json --answer --json
is_json out
is_json answer.json
has answer.json '"processor_seconds"'
has out '"processor_seconds"'
[ "$(grep -c '^[0-9]' answer.csv)" -gt 3 ] || failed 'answer.csv has too few lines'
refused 'perp solve: --output: found "answer.csv"; allowed: a name that is free, or --force to replace the file' \
    solve box-on-feet.dat -o answer.csv
refused 'perp solve: --output: found "answer.txt"; allowed: a file name that ends in .json or .csv' \
    solve box-on-feet.dat -o answer.txt
run 0 solve box-on-feet.dat --answer
has out 'unknown'
finish
