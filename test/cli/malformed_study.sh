#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Study files and data that are wrong, as test/malformed/studies.txt lists them: each must be refused with its one line and exit code 2, and
# nothing may be written.
. "$2/test/cli/helper"
cases=0
write_study_scene slide.yaml
printf 't,x\n0,0\n0.005,0.005\n0.01,0.0099\n' >rows.csv
mkdir cases
awk '
function to(name) { if (file != "") close(file); file = name; printf "" >file }
/^#/ && !inside { next }
/^== / {
    folder = sprintf("cases/%03d", ++n)
    system("mkdir " folder " && cp slide.yaml rows.csv " folder)
    print substr($0, 4) >(folder ".name"); close(folder ".name")
    to(folder "/study.yaml"); inside = 1; next
}
/^-- file / { to(folder "/" $3); next }
/^-- run / { print $3 >(folder ".run"); close(folder ".run"); next }
/^-- says/ { to(folder ".says"); inside = 0; next }
/^$/ && !inside { next }
{ print >>file }
' "$sources/test/malformed/studies.txt"
for folder in cases/???; do
    what=$(cat "$folder.name") command=sweep
    [ ! -e "$folder.run" ] || command=$(cat "$folder.run")
    ls "$folder" >before
    perp_in "$folder" "$command" study.yaml
    code=$?
    [ $code -eq 2 ] || failed "$what: exit code $code, not 2"
    [ "$(cat err)" = "perp: $(cat "$folder.says")" ] || failed "$what: said
    $(cat err)
  and not
    perp: $(cat "$folder.says")"
    [ ! -s out ] || failed "$what: printed something on stdout"
    ls "$folder" >after
    cmp -s before after || failed "$what: files were written"
    cases=$((cases + 1))
done
echo "$cases cases"
[ "$cases" -ge 90 ] || failed "only $cases cases"
# results that are none
printf 'no HDF5' >none.h5
run 2 study none.h5
run 2 study nowhere.h5
"$perp" run slide.yaml -q -o recording.h5 || failed 'the scene does not run'
refused 'perp: recording.h5: found a file that is no study; allowed: a file of perp sweep or perp design' study recording.h5
run 0 sweep slide.yaml --vary mu=0.1:0.2:2 --measure 'x=last("block.x")' -q -o results.h5
refused 'perp: results.h5: found results of a study; allowed: a recording (perp study reads results)' info results.h5
finish
