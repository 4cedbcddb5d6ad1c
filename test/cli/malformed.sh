#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Scenes, recordings, problems and command lines that are wrong, as test/malformed lists them: each must be refused with its one line and exit
# code 2, and nothing may be changed: no file written, none written over.
#
# Environment: PERP_DAMAGE is the program of test/malformed/damage.c; without it the recordings it makes are left out. With
# MALFORMED_TELL=FILE what perp says of each case is also appended there, for a look at new cases.
. "$2/test/cli/helper"
lists=$sources/test/malformed
tell=${MALFORMED_TELL:-}
cases=0

# The state of a folder: names, sizes and times of the last change. One process: there are hundreds of cases.
state() { find "$1" -printf '%p %y %s %T@ %C@\n'; }

# check WHAT FOLDER EXPECTED ARGUMENT...: perp in the folder says that line, and leaves the folder as it was.
check() {
    what=$1 folder=$2 expected=$3
    shift 3
    cases=$((cases + 1))
    state "$folder" >before
    perp_in "$folder" "$@"
    code=$?
    [ -z "$tell" ] || { echo "== $what" && cat err; } >>"$tell"
    [ $code -eq 2 ] || failed "$what: exit code $code, not 2: perp $*"
    [ "$(cat err)" = "$expected" ] || failed "$what: perp $*: said
    $(cat err)
  and not
    $expected"
    [ ! -s out ] || failed "$what: perp $*: printed something on stdout"
    state "$folder" >after
    cmp -s before after || failed "$what: perp $*: files were changed
$(diff before after)"
}

write_slide s.yaml
"$perp" run -q -t 0.02 -o good.h5 s.yaml || failed 'the good scene does not run'

# ---- scenes ----
mkdir scenes
awk '
function octal(hex,    i, n) {
    n = 0
    hex = tolower(hex)
    for (i = 1; i <= length(hex); i++) n = 16*n + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return sprintf("\\%03o", n)
}
function to(name) { if (file != "") close(file); file = name; printf "" >file }
/^#/ && !inside { next }
/^== / {
    folder = sprintf("scenes/%03d", ++n)
    system("mkdir " folder)
    print substr($0, 4) >(folder ".name"); close(folder ".name")
    to(folder "/s.yaml"); inside = 1; next
}
/^-- file / { to(folder "/" $3); next }
/^-- run / { print substr($0, 8) >(folder ".run"); close(folder ".run"); next }
/^-- says/ { to(folder ".says"); inside = 0; next }
/^@[23]$/ { printf "perp: 1\ndim: %s\nduration: 1\n", substr($0, 2) >file; next }
/^@hex / {
    bytes = ""
    for (i = 2; i <= NF; i++) bytes = bytes octal($i)
    close(file)
    system("printf \"" bytes "\" >>" file)
    next
}
/^@times / {
    text = $0
    sub(/^@times [0-9]+ /, "", text)
    for (i = 0; i < $2; i++) printf "%s", text >>file
    next
}
/^$/ && !inside { next }
{ print >>file }
' "$lists/scenes.txt"
for folder in scenes/???; do
    cp good.h5 "$folder/s.h5"
    options=
    [ ! -e "$folder.run" ] || options=$(cat "$folder.run")
    eval "set -- $options"
    check "$(cat "$folder.name")" "$folder" "perp: $(cat "$folder.says" 2>/dev/null)" run --force --quiet s.yaml "$@"
done
rm -rf scenes

# unusual, but right: ends of lines as of another system, a mark of UTF-8 in front, a last line without an end
sed 's/$/\r/' s.yaml >unusual.yaml
run 0 run -q --no-recording -t 0 unusual.yaml
{ printf '\357\273\277'; cat s.yaml; printf '# the end'; } >unusual.yaml
run 0 run -q --no-recording -t 0 unusual.yaml

# ---- recordings and command lines ----
# ! COMMAND makes bad.h5 beside good.h5 anew; $ perp ... is run, and the line below is what it must say.
damage() { "$PERP_DAMAGE" "$1" good.h5 bad.h5; }
size_of() { wc -c <"$1" | tr -d ' '; }
cut_to() { dd if=good.h5 of=bad.h5 bs=1 count="$1" 2>/dev/null; } # the first bytes
change() { # byte number: another value
    cp good.h5 bad.h5
    printf '\245' | dd of=bad.h5 bs=1 seek="$1" conv=notrunc 2>/dev/null
}
listed() { # FILE [FOLDER]: its cases, each in a folder with a scene s.yaml, its recording s.h5, and what the FOLDER holds
    rm -rf place
    mkdir place
    [ -z "${2:-}" ] || cp -r "$2"/. place
    cp s.yaml place/s.yaml
    cp good.h5 place/s.h5
    cp good.h5 place/good.h5
    makes= skip=
    while IFS= read -r line <&3; do
        case $line in
        '! '*)
            makes=${line#! } skip=
            case $makes in
            damage*) [ -n "${PERP_DAMAGE:-}" ] || skip=yes ;;
            *root*) [ "$(id -u)" -ne 0 ] || skip=yes ;;
            esac
            rm -rf place/bad.*
            [ -n "$skip" ] || (cd place && eval "$makes") || failed "cannot make: $makes"
            ;;
        '$ perp'*)
            IFS= read -r expected <&3
            expected=$(printf '%s\n' "$expected" | sed "s|@SOURCES@|$sources|")
            [ -z "$skip" ] || continue
            eval "set -- ${line#??perp}"
            check "${makes:+$makes: }${line#??}" place "$expected" "$@"
            ;;
        esac
    done 3<"$1"
}
listed "$lists/recordings.txt"
# what damage does besides damaging is no reason to refuse
if [ -n "${PERP_DAMAGE:-}" ]; then
    "$PERP_DAMAGE" nothing good.h5 bad.h5
    run 0 info bad.h5
fi
listed "$lists/options.txt"

# ---- problems ----
mkdir problems problems/empty problems/folder.csv problems/captured
cp "$sources"/problems/*.dat "$sources"/problems/*.h5 "$sources"/problems/*.hdf5 problems
: >problems/captured/step-000001-island-00.h5
(cd problems && "$perp" solve lcp-three.dat --solver lemke,pgs --results results.csv --trace trace.csv --quiet &&
    "$perp" solve lcp-three.dat --solver lemke --trace trace.h5 --quiet) || failed 'the good problem is not solved'
listed "$lists/problems.txt" problems
rm -rf place problems

echo "$cases cases"
[ $cases -ge 130 ] || failed "only $cases cases"
finish
