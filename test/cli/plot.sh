#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# plot.sh PERP SOURCE WORK - perp plot: every group and kind of file, the numbers, the same bytes twice, and every complaint by its words.
set -u
perp=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work" || exit 1
cd "$work" || exit 1
# In builds that look for leaks: fontconfig keeps what it has read for as long as the process lives, so only what does not draw is asked.
asked=${ASAN_OPTIONS:-}
quiet=${asked:+$asked:}detect_leaks=0
export ASAN_OPTIONS="$quiet"
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat > slide.yaml <<'YAML'
perp: 1
title: a block slides to rest on a floor, tied to a pendulum
dim: 2
h: 0.01
duration: 0.6
law: {mu: 0.5}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}
  - {name: block, mass: 1, at: [0, 0.1], velocity: [2, 0], shape: {type: box, size: [0.2, 0.2]}}
  - {name: rod, mass: 1, inertia: 0.1, at: [0.5, 3]}
joints:
  - {name: pivot, type: revolute, b: rod, at: [0, 3]}
YAML
"$perp" run -q slide.yaml || { echo "FAILED: no recording to draw"; exit 1; }
"$perp" run -q -t 0.3 -o short.h5 slide.yaml || exit 1

# good OPERANDS: exit code 0 and silence on stderr; stdout goes to the file `said`
good() {
    case " $* " in
    *' --csv '* | *' --list '*) ASAN_OPTIONS=$asked asked=$quiet ;; # once: the search takes seconds on some machines
    esac
    "$perp" plot "$@" > said 2> complaint
    code=$?
    ASAN_OPTIONS=$quiet
    [ $code -eq 0 ] || { fail "perp plot $*: exit code $code: $(cat complaint)"; return 1; }
    [ ! -s complaint ] || fail "perp plot $*: stderr is not empty: $(cat complaint)"
}
# bad WORDS OPERANDS: exit code 2, and exactly these words on stderr
bad() {
    words=$1
    shift
    "$perp" plot "$@" > said 2> complaint
    code=$?
    [ $code -eq 2 ] || fail "perp plot $*: exit code $code instead of 2"
    [ "$(cat complaint)" = "$words" ] || fail "perp plot $*
  said     $(cat complaint)
  expected $words"
    [ ! -s said ] || fail "perp plot $*: stdout is not empty"
}
# begins FILE BYTES
begins() { [ "$(head -c ${#2} "$1" 2> /dev/null)" = "$2" ] || fail "$1 does not begin with $2"; }

# kinds of file, default name
good slide.h5
begins slide.svg '<?xml'
grep -q '</svg>' slide.svg || fail "slide.svg is cut off"
grep -q '^slide.svg: 160 x [0-9]* mm, 3 panels, 10 lines$' said || fail "default figure: $(cat said)"
good slide.h5 energy -o a.pdf && begins a.pdf '%PDF-'
good slide.h5 energy -o a.png --dpi 100 --width 127 --height 50.8
# signature, IHDR: 500 x 200 pixels; pHYs: 3937 per metre
[ "$(od -An -tx1 -j1 -N3 a.png | tr -d ' \n')" = 504e47 ] || fail "a.png is no PNG"
[ "$(od -An -tx1 -j16 -N8 a.png | tr -d ' \n')" = 000001f4000000c8 ] || fail "a.png is not 500 x 200"
[ "$(od -An -tx1 -j33 -N17 a.png | tr -d ' \n')" = 000000097048597300000f6100000f6101 ] || fail "a.png does not know its resolution"

# every group, every quantity that is listed, and what combines them
for what in energy ledger certificate contacts impulses states path 'path(block)' 'path(block,rod)' bodies joints \
    block.x:block.vx block.x,rod.x 'contact(block,floor).normal' 'block.x:block.y,rod.x:rod.y' block.x,block.vx; do
    good slide.h5 "$what" -o group.svg
    good slide.h5 short.h5 "$what" -o group.svg
    good slide.h5 "$what" --csv
    [ "$(wc -l < said)" -eq 62 ] || fail "--csv of $what has $(wc -l < said) lines instead of 62"
done
good slide.h5 --list
sed -n '/^Quantities:/,$p' said | sed 1d | awk '{ print $1 }' > names
[ "$(wc -l < names)" -gt 50 ] || fail "--list names too little"
good slide.h5 $(cat names) --csv
[ "$(wc -l < said)" -eq 62 ] || fail "--csv of everything has $(wc -l < said) lines instead of 62"
good slide.h5 $(sed -n '1,12p' names) -o many.svg
good slide.h5 block.x block.y rod.angle --together --dark --no-grid --marks --title 'T' --xlabel 'x' --ylabel 'y_1 [L^2]' --from 0.1 --to 0.3 \
    --font 7 --legend outside -o a.svg
good slide.h5 block.vx --logx --logy --xrange 0.1, --yrange ,10 -o a.svg
good slide.h5 block.x:block.y --equal -o a.svg
good slide.h5 block.x --label 'broken � UTF-8 & <tags>' -o a.svg
bytes=$(printf 'a\377b\001c')
good slide.h5 block.x --title "$bytes" -l "$bytes" -o a.pdf
for where in auto top-left top-right bottom-left bottom-right above outside none; do good slide.h5 energy --legend $where -o a.svg; done

# the same bytes twice
for kind in svg pdf png; do
    good slide.h5 energy states path -o "one.$kind"
done
sleep 1 # a date would show now
for kind in svg pdf png; do
    good slide.h5 energy states path -o "two.$kind"
    cmp -s "one.$kind" "two.$kind" || fail "two .$kind of the same are not the same"
done

# runs of one scene are called by what differs, others by their files; names that are given win
sed -e 's/^title: .*/&\nunits: {length: m, mass: kg, time: s}\nparameters: {push: {default: 1, unit: N}, weight: 1}/' slide.yaml >named.yaml
for push in 1 2; do "$perp" run -q -t 0.1 -D push=$push -o "push$push.h5" named.yaml || fail "no push$push.h5"; done
good push1.h5 push2.h5 block.x -o by.svg
good push1.h5 push2.h5 block.x -l 'push = 1 N' -l 'push = 2 N' -o given.svg
cmp -s by.svg given.svg || fail "the legend does not tell the parameter that differs"
good push1.h5 push2.h5 block.x -l push1 -l push2 -o files.svg
cmp -s by.svg files.svg && fail "names that are given are not used"
good push1.h5 slide.h5 block.x -o by.svg
good push1.h5 slide.h5 block.x -l push1 -l slide -o files.svg
cmp -s by.svg files.svg || fail "recordings of different scenes are not called by their files"
good push1.h5 energy.total,block.x --csv
[ "$(head -n 1 said)" = 'time [s],energy.total [J],block.x [m]' ] || fail "units: $(head -n 1 said)"

# numbers
good slide.h5 time,block.x --csv --from 0.095 --to 0.125
[ "$(head -n 1 said)" = 'time [T],time [T],block.x [L]' ] || fail "--csv begins with $(head -n 1 said)"
[ "$(sed 1d said | awk -F, '{ printf "%.2f ", $1 }')" = "0.10 0.11 0.12 " ] || fail "--from and --to: $(cat said)"
good slide.h5 short.h5 block.x 'contact(block,floor).normal' --csv -l 'long, one' -l short
[ "$(head -n 1 said)" = 'recording,time [T],block.x [L],"contact(block,floor).normal [M L/T]"' ] || fail "--csv: $(head -n 1 said)"
[ "$(grep -c '^"long, one",' said)" -eq 61 ] && [ "$(grep -c '^short,' said)" -eq 31 ] || fail "--csv of two recordings"
# the block slows down with mu g = 4.905: v(0.2) = 2 - 0.981, which the stepper meets exactly
good slide.h5 block.vx --csv --from 0.195 --to 0.205
v=$(sed -n 2p said | cut -d, -f2)
awk -v v="$v" 'BEGIN { exit !(v - 1.019 < 1e-9 && 1.019 - v < 1e-9) }' || fail "v(0.2) = $v instead of 1.019"
good slide.h5 states --csv
[ "$(sed -n 5p said | cut -d, -f2)" = 2 ] && [ "$(tail -n 1 said | cut -d, -f2)" = 1 ] || fail "states do not go from sliding to sticking"
good slide.h5 energy --csv -o numbers.csv
[ "$(wc -l < numbers.csv)" -eq 62 ] || fail "numbers.csv"

# JSON
good slide.h5 energy -o a.svg --json
grep -q '"output": "a.svg"' said && grep -q '"panels": 1' said || fail "--json: $(cat said)"
good slide.h5 --list --json
grep -q '"name": "block.x"' said || fail "--list --json"

# complaints; nothing may change
cp slide.h5 kept.h5
cp slide.yaml kept.yaml
echo kept > a.jpg
bad 'perp plot: RECORDING: found "energy"; allowed: at least one recording: a file, or a name that ends in .h5' energy
bad 'perp: output: found a.jpg; allowed: a file name that ends in .svg, .pdf or .png' slide.h5 -o a.jpg
bad 'perp: output: found slide.h5; allowed: a file name that ends in .svg, .pdf or .png' slide.h5 -o slide.h5
bad 'perp: output: found figure; allowed: a file name that ends in .svg, .pdf or .png' slide.h5 -o figure
bad 'perp: output: found .svg; allowed: a file name that ends in .svg, .pdf or .png' slide.h5 -o .svg
bad 'perp plot: --output: found slide.h5; allowed: with --csv, a file name that ends in .csv' slide.h5 --csv -o slide.h5
cp slide.h5 disguised.svg
bad 'perp: output: disguised.svg holds HDF5 data and is not written over' slide.h5 -o disguised.svg
cmp -s slide.h5 disguised.svg || fail "a recording was written over"
mkdir -p folder.svg
bad 'perp: output: folder.svg exists and is not a file' slide.h5 -o folder.svg
bad 'perp: what: found enrgy; allowed: a quantity (--list names them) or energy, ledger, certificate, contacts, impulses, states, path, bodies, joints; did you mean energy?' slide.h5 enrgy
bad 'perp: slide.h5: path: found brick; allowed: floor, block, rod' slide.h5 'path(brick)'
bad 'perp: what: found block.vx; allowed: in one panel, either all over time or all FIRST:SECOND' slide.h5 block.x:block.y,block.vx
bad 'perp: together: found states; allowed: panels whose axes fit together' slide.h5 energy states --together
bad 'perp: slide.h5: found no frame from 7 to 8; allowed: times within 0 to 0.6' slide.h5 --from 7 --to 8
bad 'perp plot: --from: found 2, later than --to 1; allowed: a time before --to' slide.h5 --from 2 --to 1
bad 'perp plot: --label: found 1 label for 2 recordings; allowed: one for each' slide.h5 short.h5 -l a
bad 'perp plot: --xrange: found "3,1"; allowed: A,B with A < B (either may be left out)' slide.h5 --xrange 3,1
bad 'perp plot: --xrange: found ","; allowed: A,B with A < B (either may be left out)' slide.h5 --xrange ,
bad 'perp plot: --yrange: found "1"; allowed: A,B with A < B (either may be left out)' slide.h5 --yrange 1
bad 'perp plot: --yrange: found "a,b"; allowed: A,B with A < B (either may be left out)' slide.h5 --yrange a,b
bad 'perp plot: --yrange: found "nan,1"; allowed: A,B with A < B (either may be left out)' slide.h5 --yrange nan,1
bad 'perp plot: --yrange: found "-1,1"; allowed: A,B with 0 < A < B (either may be left out)' slide.h5 --logy --yrange -1,1
"$perp" plot slide.h5 --height 10 > said 2> complaint # how much depends on the font
[ $? -eq 2 ] && grep -q '^perp: height: found 10 mm; allowed: at least [0-9]* mm for what is to be drawn$' complaint ||
    fail "perp plot slide.h5 --height 10: $(cat complaint)"
bad 'perp: dpi: found 188976 pixels; allowed: at most 32000 pixels wide and high' slide.h5 --width 2000 --dpi 2400 -o a.png
for option in '--width x' '--width 5' '--font 0' '--dpi 1e9' '--legend left' '--from inf' '--colour' '--csv=1'; do
    "$perp" plot slide.h5 $option > said 2> complaint
    [ $? -eq 2 ] || fail "perp plot slide.h5 $option is not refused"
    grep -q 'found.*allowed: ' complaint || fail "perp plot slide.h5 $option: $(cat complaint)"
done
for words in nothing.h5 slide.yaml 'slide.h5 block.q' 'slide.h5 nobody.x' 'slide.h5 block.x:' 'slide.h5 ,' 'slide.h5 :' 'slide.h5 path(' 'slide.h5 path()'; do
    "$perp" plot $words > said 2> complaint
    [ $? -eq 2 ] || fail "perp plot $words is not refused"
    [ "$(wc -l < complaint)" -eq 1 ] || fail "perp plot $words: $(cat complaint)"
done
"$perp" plot slide.h5 --csv --json > said 2> complaint
[ $? -eq 2 ] || fail "--csv and --json on stdout together"
"$perp" plot slide.h5 enrgy --json > said 2> /dev/null
grep -q '"error"' said || fail "--json complains without an object"
"$perp" plot slide.h5 -o nowhere/a.svg > said 2> complaint
[ $? -eq 3 ] || fail "a folder that is not there"
[ "$(cat complaint)" = 'perp: output: nowhere/a.svg cannot be written: No such file or directory' ] || fail "$(cat complaint)"
if [ -w /dev/full ]; then
    "$perp" plot slide.h5 --csv > /dev/full 2> complaint
    [ $? -eq 3 ] || fail "a full disk is not noticed"
fi
cmp -s slide.h5 kept.h5 || fail "the recording has changed"
cmp -s slide.yaml kept.yaml || fail "the scene has changed"
[ "$(cat a.jpg)" = kept ] || fail "a.jpg has changed"
set -- *.part
[ ! -e "$1" ] || fail "left behind: $*"

[ $failed -eq 0 ] && echo "perp plot: ok"
exit $failed
