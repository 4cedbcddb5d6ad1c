#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Mistakes on the command line: each one line, exit code 2, nothing written.
. "$2/test/cli/helper"
write_slide s.yaml
cp s.yaml kept.yaml

refused 'perp: found "rnu"; allowed: run, info, plot, render, solve, experiment, refine, compare, sweep, design, estimate, study, view, import, version, help (did you mean run?)' rnu s.yaml
refused 'perp: found "--frobnicate"; allowed: run, info, plot, render, solve, experiment, refine, compare, sweep, design, estimate, study, view, import, version, help' --frobnicate
refused 'perp run: found nothing to work on; allowed: SCENE, or --resume RECORDING' run
refused 'perp run: found "b.yaml"; allowed: SCENE, or --resume RECORDING' run s.yaml b.yaml
refused 'perp run: --duration: found "abc"; allowed: a number >= 0' run --duration abc s.yaml
refused 'perp run: --duration: found "-1"; allowed: a number >= 0' run --duration -1 s.yaml
refused 'perp run: --duration: found "nan"; allowed: a number >= 0' run --duration=nan s.yaml
refused 'perp run: --duration: found "inf"; allowed: a number >= 0' run -t inf s.yaml
refused 'perp run: --duration: found "0x10"; allowed: a number >= 0' run -t0x10 s.yaml
refused 'perp run: --duration: found "1e999"; allowed: a number >= 0' run -t 1e999 s.yaml
refused 'perp run: --duration: found " 1"; allowed: a number >= 0' run --duration ' 1' s.yaml
refused 'perp run: --duration: found ""; allowed: a number >= 0' run --duration= s.yaml
refused 'perp run: --duration: found twice; allowed: once' run --duration 1 --duration 2 s.yaml
refused 'perp run: --duration: found nothing; allowed: a number >= 0' run s.yaml --duration
refused 'perp run: --every: found "0"; allowed: a whole number from 1 to 1000000000' run --every 0 s.yaml
refused 'perp run: --every: found "1.5"; allowed: a whole number from 1 to 1000000000' run --every 1.5 s.yaml
refused 'perp run: found "--dur"; allowed: an option of perp run (did you mean --duration?)' run --dur 1 s.yaml
refused 'perp run: found "--quite"; allowed: an option of perp run (did you mean --quiet?)' run --quite s.yaml
refused 'perp run: found "--zzz=1"; allowed: an option of perp run (perp run --help lists them)' run --zzz=1 s.yaml
refused 'perp run: found "-z"; allowed: an option of perp run (perp run --help lists them)' run -qz s.yaml
refused 'perp run: --progress: found "alwys"; allowed: auto, always, never (did you mean always?)' run s.yaml --progress=alwys
refused 'perp run: --define: found "mu"; allowed: NAME=VALUE' run -Dmu s.yaml
refused 'perp run: --define: found "=1"; allowed: NAME=VALUE' run -D =1 s.yaml
refused 'perp run: --define: found "mu="; allowed: NAME=VALUE' run --define mu= s.yaml
refused 'perp run: --output: found nothing; allowed: a path' run s.yaml -o --force
refused 'perp run: --output: found ""; allowed: a path' run s.yaml --output=
refused 'perp run: --force: found the value "yes"; allowed: --force alone' run --force=yes s.yaml
refused 'perp run: --what: found "twist"; allowed: all, or some of poses, twists, joints, contacts, certificate, ledger, solver (did you mean twists?)' run --what poses,twist s.yaml
refused 'perp run: --what: found ""; allowed: all, or some of poses, twists, joints, contacts, certificate, ledger, solver' run --what poses, s.yaml
refused 'perp run: --output: found together with --no-recording; allowed: one of the two' run --no-recording -o x.h5 s.yaml
refused 'perp run: --define: found together with --resume; allowed: --resume without it; the run keeps the settings of its recording' run --resume -D mu=1 x.h5
refused 'perp run: found "a\x1bb"; allowed: SCENE, or --resume RECORDING' run s.yaml "$(printf 'a\033b')"
refused 'perp info: found nothing to work on; allowed: SCENE, RECORDING or PROBLEM..., --schema, --reference, --combinations' info
refused 'perp info: --schema: found with a file; allowed: the option alone' info --schema s.yaml
refused 'perp version: found "x"; allowed: nothing' version x
refused 'perp help: found "runn"; allowed: run, info, plot, render, solve, experiment, refine, compare, sweep, design, estimate, study, view, import, version, help (did you mean run?)' help runn
refused 'perp help: --man: found together with --bash; allowed: one of the two' help --man --bash

# -- ends the options, a lone - and what follows are operands
run 2 run --no-recording -- --duration
has err 'perp: --duration'
run 0 run --no-recording -q -- s.yaml
run 0 run -qD mu=0.1 --no-recording s.yaml
run 0 run -q --no-recording s.yaml -Dmu=0.1 -D v0=mu*2

# with --json the complaint is an object on stdout as well
run 2 run --json --duration abc s.yaml
is_json out
[ "$(field out key)" = --duration ] || failed "key of the complaint: $(field out key)"
[ "$(field out code)" = 2 ] || failed "code of the complaint: $(field out code)"
has err 'perp run: --duration: found "abc"; allowed: a number >= 0'
run 2 --json rnu
run 2 rnu --json
is_json out

cmp -s s.yaml kept.yaml || failed 'the scene was changed'
[ "$(ls)" = "err
kept.yaml
out
s.yaml" ] || failed "files were written: $(ls)"
finish
