#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Robot models: those of scenes/robots are imported, written as scenes and run as they are; those of test/malformed/models.txt are refused with their one
# line and exit code 2, and nothing is written.
. "$2/test/cli/helper"
robots=$sources/scenes/robots

# ---- good ones ----
# A model and the scene that is written of it are the same world: same hash after the same steps.
same() { # MODEL
    rm -f m.yaml
    run 0 import "$1" -o m.yaml
    run 0 run --json --no-recording -t 0.05 m.yaml
    written=$(field out hash)
    run 0 run --json --no-recording -t 0.05 "$1"
    [ -n "$written" ] && [ "$written" = "$(field out hash)" ] || failed "$1: its scene has another hash: $written, $(field out hash)"
    run 0 info "$1"
    has out '3D'
}
for model in arm.urdf quadruped.xml hand.xml arm.sdf yard.sdf; do same "$robots/$model"; done

run 0 import "$robots/arm.urdf" --report
has out 'URDF with 10 bodies, 7 joints'
hasnt out 'grip_mirror'
has out 'joint elbow starts at its limit 0.1: 0 is out of its range'
has out 'cylinders are prisms of 32 sides'
has out 'elements <transmission>'
run 0 import "$robots/yard.sdf" --report
has out 'SDF with 14 bodies, 12 joints, 12 shapes; 12 moving bodies of 29 kg'
has out 'joints that close a loop: their limits, springs, damping and friction are not kept'
run 0 import "$robots/quadruped.xml" --report
has out 'MJCF with 13 bodies, 13 joints, 15 shapes; 13 moving bodies'
hasnt out 'armature'
hasnt out 'actuators'
run 0 import "$robots/quadruped.xml" -o quadruped-driven.yaml
[ "$(grep -c 'armature: ' quadruped-driven.yaml)" = 12 ] || failed 'the quadruped has other joints with armature than 12'
[ "$(grep -c ', type: .*, joint: ' quadruped-driven.yaml)" = 12 ] || failed 'the quadruped has other actuators than 12'
run 0 import "$robots/hand.xml" --json
[ "$(field out hinges)" = 7 ] || failed "hinges of the hand: $(field out hinges)"
[ "$(field out equalities)" = 2 ] || failed "equalities of the hand: $(field out equalities)"
is_json out
run 0 import "$robots/hand.xml" --model
is_json out

# an existing file stays
echo mine >there.yaml
refused 'perp import: --output: found there.yaml; allowed: a file that does not exist yet' import "$robots/arm.urdf" -o there.yaml
[ "$(cat there.yaml)" = mine ] || failed 'a file was written over'

# moments that no body has: mended if that is asked for, and said
cat >odd.urdf <<'XML'
<robot name="r"><link name="a"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="arm"/></joint></robot>
XML
run 0 import odd.urdf --repair --report
has out 'repaired      arm: principal moments 0.01, 0.01, 0.05, which no body can have, became 0.025, 0.025, 0.05'

# limits the wrong way round, and numbers that are too many or have commas: likewise. Planes and ball joints of Bullet are read
cat >loose.urdf <<'XML'
<robot name="r"><link name="a"><collision><geometry><plane normal="0 0 1"/></geometry></collision></link>
<link name="arm"><inertial><origin xyz="1, 2,3"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="tip"><inertial><origin xyz="0 0 0 1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="arm"/><limit lower="1" upper="-1"/></joint>
<joint name="k" type="spherical"><parent link="arm"/><child link="tip"/></joint></robot>
XML
refused 'perp: loose.urdf:4:70: joint j: limit.lower: found 1 above -1; allowed: lower <= upper; --repair takes them as no limits' import loose.urdf
run 0 import loose.urdf --repair --report
has out 'repaired      joint j: limits from 1 to -1 became none'
has out 'repaired      numbers with commas between them, or too many: "1, 2,3" became the first 3'
has out 'repaired      numbers with commas between them, or too many: "0 0 0 1" became the first 3'
run 0 import loose.urdf --repair
has out 'centre: [1, 2, 3]'
has out 'type: halfspace'
has out 'type: spherical'
hasnt out 'limits:'

# what is not quite XML
printf '<!-- a -- b -->\n<?xml version="1.0"?><robot name="r"><link name="a"/><gazebo><![CDATA[<!-- -- ]]></gazebo></robot>\n' >comment.urdf
refused 'perp: comment.urdf:1:10: not XML: not well-formed (invalid token)' import comment.urdf
run 0 import comment.urdf --repair --report
has out 'repaired      comments with -- in them, or a declaration that is not at the start'

# packages: in the folders above the file, or where --package says
mkdir -p ws/bot_description/urdf ws/bot_description/meshes elsewhere/meshes
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 2 3\nl 1 2\n' >ws/bot_description/meshes/a.obj
cp ws/bot_description/meshes/a.obj elsewhere/meshes
mesh() { echo "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"package://$1/meshes/a.obj\" scale=\"1 1 2\"/></geometry></collision></link></robot>"; }
mesh bot_description >ws/bot_description/urdf/r.urdf
run 0 import ws/bot_description/urdf/r.urdf
has out 'points: [[0, 0, 0]'
mesh other/old/place >ws/bot_description/urdf/moved.urdf
run 0 import ws/bot_description/urdf/moved.urdf --report
has out 'assumed       package://other/old/place/meshes/a.obj is taken from ws/bot_description/meshes/a.obj'
mesh /bot_description >ws/bot_description/urdf/slash.urdf
run 0 import ws/bot_description/urdf/slash.urdf
mesh other >other.urdf
run 0 import other.urdf --package other=elsewhere
has out 'type: polyhedron'

# ---- wrong ones ----
state() { find "$1" -printf '%p %y %s %T@ %C@\n'; }
mkdir models
awk '
function to(name) { if (file != "") close(file); file = name; printf "" >file }
/^#/ && !inside { next }
/^== / {
    folder = sprintf("models/%03d", ++n)
    system("mkdir " folder)
    print substr($0, 4) >(folder ".name"); close(folder ".name")
    to(folder "/m.xml"); inside = 1; next
}
/^-- file / { to(folder "/" $3); next }
/^-- run / { print substr($0, 8) >(folder ".run"); close(folder ".run"); next }
/^-- says/ { to(folder ".says"); inside = 0; next }
/^$/ && !inside { next }
{ print >>file }
' "$sources/test/malformed/models.txt"
cases=0
for folder in models/???; do
    cases=$((cases + 1))
    options=
    [ ! -e "$folder.run" ] || options=$(cat "$folder.run")
    state "$folder" >before
    # shellcheck disable=SC2086 # words
    (cd "$folder" && "$perp" import m.xml -o out.yaml $options </dev/null) >out 2>err
    code=$?
    [ $code -eq 2 ] || failed "$(cat "$folder.name"): exit code $code, not 2"
    [ "$(cat err)" = "perp: $(cat "$folder.says")" ] || failed "$(cat "$folder.name"): said
    $(cat err)
  and not
    perp: $(cat "$folder.says")"
    [ ! -s out ] || failed "$(cat "$folder.name"): printed something on stdout"
    state "$folder" >after
    cmp -s before after || failed "$(cat "$folder.name"): files were changed"
done
[ $cases -ge 70 ] || failed "only $cases cases were found"
finish
