#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Files of scenes and studies stay in their folder: includes, meshes and data by .., absolute paths and links are refused, without a word of what is in
# them, by every command that reads scenes; --allow-outside reads them.
. "$2/test/cli/helper"
mkdir scene away
cat >scene/ball.yaml <<'YAML'
perp: 1
dim: 2
h: 0.01
duration: 0.05
parameters: {v: 1}
bodies: [{name: ball, density: 1, velocity: [v, 0], shape: {type: sphere, radius: 1}}]
YAML
cp scene/ball.yaml away/ball.yaml
echo 'password: hunter2' >away/secret.yaml
printf 'v 0 hunter2 0\n' >away/secret.obj
printf 't,hunter2\n0,0\n' >away/secret.csv
ln -s ../away/secret.yaml scene/link.yaml
ln -s ../away scene/folder
ln -s "$work/away/secret.obj" scene/link.obj
ln -s ../away/ball.yaml scene/ball-link.yaml
place='found a file outside the folder of the scene; allowed: files in that folder or below it, unless --allow-outside is given'

# silent COMMAND...: refused with exit code 2 and one line with the place of the name; what is in the file is not told, nothing is written
silent() {
    run 2 "$@"
    has err "$place"
    [ "$(wc -l <err)" -eq 1 ] || failed "$*: more than one line: $(cat err)"
    for f in out err; do hasnt $f hunter2; hasnt $f password; done
    [ ! -e x.h5 ] || failed "$*: wrote a recording"
}
for name in ../away/secret.yaml "$work/away/secret.yaml" link.yaml folder/secret.yaml ../scene/folder/secret.yaml sub/../../away/secret.yaml /etc/passwd \
    /etc/nothing-there ../nothing-there; do
    printf 'perp: 1\ndim: 2\ninclude: %s\n' "$name" >scene/include.yaml
    silent run scene/include.yaml -o x.h5
    has err "perp: scene/include.yaml:3:10: include: "
done
for name in ../away/secret.obj link.obj folder/secret.obj /etc/passwd; do
    printf 'perp: 1\ndim: 3\nh: 0.01\nduration: 1\nbodies: [{mass: 1, shape: {type: mesh, file: "%s"}}]\n' "$name" >scene/mesh.yaml
    silent run scene/mesh.yaml -o x.h5
    has err "perp: scene/mesh.yaml:5:46: bodies[0].shape.file: "
done

# the commands that read scenes, and what they do when it is allowed
printf 'perp: 1\ndim: 2\ninclude: ../away/ball.yaml\n' >scene/outer.yaml
cd scene # by a path without folders, too
ok=outer.yaml
silent run outer.yaml -o x.h5
cd ..
ok=scene/outer.yaml
silent info $ok
silent refine $ok ball.x
silent compare $ok ball.x --steppers stewart-trinkle,anitescu-potra
silent sweep $ok --vary v=1,2 --measure 'x=last("ball.x")' -o x.h5
run 0 run $ok --allow-outside -q -o allowed.h5
run 0 info $ok --allow-outside
run 0 sweep $ok --allow-outside -q --vary v=1,2 --measure 'x=last("ball.x")' -o swept.h5
printf 'perp: 1\ndim: 2\ninclude: ball-link.yaml\n' >scene/outer-link.yaml
silent run scene/outer-link.yaml -o x.h5
run 0 run scene/outer-link.yaml --allow-outside -q -o link.h5
# recordings hold the files: resuming needs no leave
run 0 run --resume allowed.h5 -t 0.1 -q

# links and .. that stay within are read, as is a scene that is reached by a link to its folder
mkdir scene/parts
ln -s ../ball.yaml scene/parts/again.yaml
printf 'perp: 1\ndim: 2\ninclude: parts/../parts/again.yaml\n' >scene/inner.yaml
run 0 run scene/inner.yaml -q -o inner.h5
ln -s scene named
run 0 run named/inner.yaml -q -o named.h5
run 0 refine named/inner.yaml ball.x
# variants of a scene are files of perp's own elsewhere; the rule is that of the scene
silent refine scene/outer.yaml ball.x
run 0 refine scene/outer.yaml ball.x --allow-outside

# studies: the scene, what it includes, and data
place='found a file outside the folder of the study; allowed: files in that folder or below it, unless --allow-outside is given'
study() { printf 'perp-study: 1\nscene: %s\nvary: {v: [1, 2]}\nmeasure: {x: %s}\n' "$1" "'last(\"ball.x\")'" >scene/study.yaml; }
for name in ../away/ball.yaml ball-link.yaml folder/ball.yaml /etc/passwd; do
    study "$name"
    silent sweep scene/study.yaml -o x.h5
done
study ../away/ball.yaml
run 0 sweep scene/study.yaml --allow-outside -q -o allowed-study.h5
run 0 study allowed-study.h5 # the results hold the files
cat >scene/estimate.yaml <<'YAML'
perp-study: 1
scene: ball.yaml
vary: {v: [1, 2]}
measure: {x: 'last("ball.x")'}
estimate:
  data: {file: ../away/secret.csv, columns: {x: {is: ball.x, sd: 1e-3}}}
  unknown: {v: {start: 1.5}}
YAML
silent estimate scene/estimate.yaml
mv scene/estimate.yaml estimate.yaml
sed -i 's,scene: ball,scene: scene/ball,; s,\.\./away,away,' estimate.yaml
run 2 estimate estimate.yaml
hasnt err 'outside the folder' # the folder of the study holds both

# experiments share scenes within their folder, and no others
place='found a file outside the folder of the scene; allowed: files in that folder or below it, unless --allow-outside is given'
mkdir -p many/one many/two many/three
cp scene/ball.yaml many/one/scene.yaml
printf 'perp: 1\ndim: 2\ninclude: ../one/scene.yaml\n' >many/two/scene.yaml
printf 'perp: 1\ndim: 2\ninclude: ../../away/ball.yaml\n' >many/three/scene.yaml
for name in one two three; do
    printf 'perp-experiment: 1\ntitle: %s\nsource: none\nabout: none\nruns: {main: {}}\nchecks: [{what: x, unit: m, value: "last(\"main: ball.x\")", reference: 0.05, limit: 1e-9}]\n' $name >many/$name/experiment.yaml
done
run 0 experiment --folder many two --no-plots --output x
silent experiment --folder many three --no-plots --output x
run 0 experiment --folder many three --no-plots --output x --allow-outside
finish
