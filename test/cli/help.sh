#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Help, manual page and completion, which all come from the same tables.
. "$2/test/cli/helper"

run 0
has out 'usage: perp COMMAND'
cp out list
for how in help --help -h; do
    run 0 $how
    cmp -s out list || failed "perp $how prints another list"
done
commands=$(sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' list)
[ "$(echo $commands)" = 'run info plot render solve experiment refine compare sweep design estimate study view import version help' ] || failed "list of commands: $commands"
for c in $commands; do
    run 0 help "$c"
    cp out page
    has page "usage: perp $c"
    has page --json
    run 0 "$c" --help
    cmp -s out page || failed "perp $c --help differs from perp help $c"
    run 0 "$c" --nonsense -h --help
    cmp -s out page || failed "perp $c --help is not printed beside a mistake"
    awk 'length > 80 { print "    " $0; bad = 1 } END { exit bad }' page || failed "help of $c is wider than 80 columns"
    run 0 "$c" --help --json
    is_json out
done
run 0 help --json
is_json out

# the manual page: no warnings, and every option in it
run 0 help --man
cp out perp.1
for section in NAME SYNOPSIS DESCRIPTION COMMANDS 'EXIT STATUS' FILES EXAMPLES; do has perp.1 ".SH $section"; done
if command -v groff >/dev/null; then
    groff -ww -man -Tascii -P-c -P-b -P-o -P-u perp.1 >page 2>warnings || failed 'groff fails'
    [ ! -s warnings ] || failed "groff: $(head -5 warnings)"
    for option in --no-recording --resume --series --schema --man; do has page "$option"; done
fi
if command -v man >/dev/null; then
    man -l --warnings perp.1 >/dev/null 2>warnings
    [ ! -s warnings ] || failed "man: $(head -5 warnings)"
fi

# the completion, asked in a real bash: complete WORD... completes the last word
run 0 help --bash
cp out perp.bash
if command -v bash >/dev/null; then
    cat >ask <<'BASH'
source ./perp.bash
COMP_WORDS=(perp "$@")
COMP_CWORD=$#
_perp
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
BASH
    mkdir folder
    touch a.yaml b.yml c.h5 d.txt e.dat f.csv 'with blank.yaml'
    complete() {
        want=$1
        shift
        got=$(bash ask "$@" 2>&1)
        [ "$got" = "$want" ] || failed "completion of perp $*: $got"
    }
    bash -n perp.bash || failed 'bash finds a mistake in the completion'
    complete 'refine render run ' r
    complete 'compare design estimate experiment help import info plot refine render run solve study sweep version view ' ''
    complete 'a.yaml b.yml c.h5 folder with blank.yaml ' run ''
    complete 'c.h5 folder ' run -o ''
    complete 'c.h5 ' run --output c
    complete 'always auto ' run --progress a
    complete 'always auto ' run --progress = a
    complete 'always auto never ' run --progress =
    complete '--progress ' run a.yaml --pr
    complete ' ' run --duration ''
    complete 'help ' help h
    complete 'a.yaml b.yml c.h5 e.dat folder with blank.yaml ' info ''
    complete 'c.h5 e.dat folder ' solve ''
    complete 'c.h5 f.csv folder ' plot ''
    complete 'fclib perp siconos ' solve --format ''
    complete '--man ' help --m
fi

run 0 version
has out 'perp '
for library in HDF5 libyaml KLU METIS qhull cairo; do has out "$library"; done
cp out words
run 0 --version
cmp -s out words || failed 'perp --version differs from perp version'
run 0 version --json
is_json out
[ "perp $(field out perp)" = "$(head -1 words)" ] || failed 'two versions'
if [ -w /dev/full ]; then
    "$perp" version >/dev/full 2>err
    [ $? -eq 3 ] || failed 'output to a full device is not noticed'
    has err 'standard output cannot be written'
fi
finish
