#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp render: kinds of file, moments, strips, films, and every complaint by its words. What is in the pixels is test/unit/program/test_render.c.
. "$2/test/cli/helper"
write_slide slide.yaml
cat >drop.yaml <<'YAML'
perp: 1
title: A ball falls on a box
units: {length: m, mass: kg, time: s}
dim: 3
h: 0.01
duration: 0.5
law: {mu: 0.4}
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
  - {name: wall, kind: obstacle, at: [0, -1, 0.5], shape: {type: box, size: [2, 0.1, 1]}}
  - {name: box, density: 500, at: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.3, 0.2]}}
  - {name: ball, density: 900, at: [0.05, 0, 0.5], shape: {type: sphere, radius: 0.1}}
  - {name: rod, density: 900, at: [0.5, 0, 0.3], shape: {type: capsule, radius: 0.05, length: 0.3}}
YAML
run 0 run -q slide.yaml
run 0 run -q drop.yaml
run 0 run -q drop.yaml --what certificate -o blind.h5
run 0 run -q drop.yaml --what poses -o mute.h5
[ $failures -eq 0 ] || finish # nothing to draw
small='--size 96x64 --samples 2'

# size FILE: width and height of a PNG, from its header
size() { [ "$(od -An -tx1 -N4 "$1" | tr -d ' ')" = 89504e47 ] && echo $((0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' ')))x$((0x$(od -An -tx1 -j20 -N4 "$1" | tr -d ' '))); }
is_size() { [ "$(size "$1")" = "$2" ] || failed "$1 is $(size "$1") and not $2"; }

# kinds of file, the default name and size, the same bytes again
run 0 render slide.h5
is_size slide.png 1280x720
has out 'slide.png: 1280 x 720 pixels, t = 0.4'
run 0 render drop.h5 --at 0.203 a.png $small
has out 'a.png: 96 x 64 pixels, t = 0.2'
is_size a.png 96x64
run 0 render drop.h5 --at 0.2 b.png $small
cmp -s a.png b.png || failed 'the same frame makes another picture'
run 0 render drop.h5 --at 0.3 b.png $small --force
cmp -s a.png b.png && failed 'another frame makes the same picture'
for d in slide drop; do
    for kind in svg pdf; do run 0 render $d.h5 $d.$kind --size 96x64 --theme paper --caption; done
    has $d.svg '</svg>'
    has $d.svg 'width="72pt"'
    [ "$(head -c 5 $d.pdf)" = '%PDF-' ] || failed "$d.pdf is no PDF"
done
# a 2D world is made of areas, a 3D world of an image
hasnt slide.svg '<image'
has drop.svg '<image'

# everything that can be drawn over it, in every theme
for theme in light dark paper; do
    for d in slide drop; do
        run 0 render $d.h5 over.png --at 0.25 --contacts --forces --cones --paths --names --joints --caption --theme $theme --size 96x64 -f
    done
done
run 0 render drop.h5 plain.png --at 0.25 --size 96x64 --theme paper
cmp -s plain.png over.png && failed 'nothing is drawn over the picture'
run 0 render drop.h5 clear.png --transparent $small
[ "$(od -An -tu1 -j25 -N1 clear.png | tr -d ' ')" = 6 ] || failed 'no transparency in clear.png'
[ "$(od -An -tu1 -j25 -N1 plain.png | tr -d ' ')" = 2 ] || failed 'transparency in plain.png'

# cameras: what is asked for is what is told
run 0 render drop.h5 cam.png --camera 30,15,4 --target 0,0,0.2 --json $small
is_json out
[ "$(field out azimuth) $(field out distance)" = "30 4" ] || failed "camera: $(cat out)"
run 0 render drop.h5 fit.png --camera 30,15 --json $small
first=$(field out distance)
run 0 render drop.h5 near.png --camera 30,15 --zoom 2 --json $small
awk "BEGIN { exit !(2*$(field out distance) < 1.001*$first && 2*$(field out distance) > 0.999*$first) }" || failed 'zoom 2 is not half the distance'
run 0 render drop.h5 glass.png --camera -90,10 $small
run 0 render drop.h5 solid.png --camera -90,10 --glass none $small
cmp -s glass.png solid.png && failed 'a wall in the way is not seen through'
run 0 render drop.h5 named.png --camera -90,10 --glass wall $small
cmp -s glass.png named.png || failed 'the wall that is seen through is not the wall'
run 0 render drop.h5 parallel.png --parallel --fit run --colours body $small

# several moments: one each, over each other, side by side
run 0 render drop.h5 m.png --at 0 --at 0.25 --at 0.5 $small
for i in 1 2 3; do is_size m-$i.png 96x64; done
run 0 render drop.h5 lapse.png --strip 3 --paths $small
has out 'lapse.png: 96 x 64 pixels, t = 0 to 0.5, 3 moments'
run 0 render drop.h5 given.png --at 0 --at 0.25 --at 0.5 --overlay --paths $small
cmp -s lapse.png given.png || failed 'a strip is not the overlay of its moments'
run 0 render slide.h5 side.png --strip 4 --from 0.1 --to 0.3 --panels --size 200x100 --json
is_json out
has out '"times": ['
is_size side.png 200x100

# films
run 0 render drop.h5 --video film --fps 10 $small
has out 'film: 6 pictures of 96 x 64 pixels, frame-00001.png and on, t = 0 to 0.5'
has out 'a film of them: ffmpeg -framerate 10 -i film/frame-%05d.png -pix_fmt yuv420p film.mp4'
for i in 1 2 3 4 5 6; do is_size film/frame-0000$i.png 96x64; done
[ ! -e film/frame-00007.png ] || failed 'a picture too many'
refused 'perp render: --video: found "film"; allowed: a folder without frames, or --force to replace them' render drop.h5 --video film
run 0 render drop.h5 --video film --fps 10 --speed 0.25 --from 0.1 --to 0.2 --force $small
has out 'film: 5 pictures'
[ ! -e film/frame-00006.png ] || failed 'the end of the film before is still there'

# a film in one file: an animated PNG without ffmpeg, else what ffmpeg makes of the pictures that it is given
mkdir bare coder
for program in sh cat; do ln -s "$(command -v $program)" bare/; done
PATH=$PWD/bare run 0 render drop.h5 --video drop.mp4 --fps 10 $small
has out 'drop.png: 6 pictures of 96 x 64 pixels, t = 0 to 0.5'
has out 'There is no ffmpeg, so this is an animated PNG.'
is_size drop.png 96x64
[ "$(grep -ao fcTL drop.png | wc -l) $(grep -ao fdAT drop.png | wc -l) $(grep -ao acTL drop.png | wc -l)" = '6 5 1' ] || failed 'drop.png is not animated'
[ ! -e drop.mp4 ] && [ ! -e drop.part.png ] || failed 'something else was written'
refused 'perp render: --video: found "drop.png"; allowed: a name that is free, or --force to replace the file' render drop.h5 --video drop.png
refused 'perp render: --video: found "no/x.png"; allowed: a path in a folder that exists' render drop.h5 --video no/x.png
cat >coder/ffmpeg <<'SH'
#!/bin/sh
echo "$@" >coder/said
for last; do :; done
cat >"$last"
SH
chmod +x coder/ffmpeg
PATH=$PWD/coder:$PATH run 0 render drop.h5 --video drop.mp4 --fps 10 --size 97x64 --samples 2
has out 'drop.mp4: 6 pictures of 97 x 64 pixels, t = 0 to 0.5'
has coder/said '-f image2pipe -c:v png -framerate 10 -i pipe:0 -an -vf pad=ceil(iw/2)*2:ceil(ih/2)*2 -pix_fmt yuv420p drop.part.mp4'
[ "$(grep -ao IHDR drop.mp4 | wc -l)" = 6 ] || failed 'ffmpeg did not get six pictures'
[ ! -e drop.part.mp4 ] || failed 'drop.part.mp4 stayed'
printf '#!/bin/sh\nexit 3\n' >coder/ffmpeg
cp drop.mp4 before.mp4
PATH=$PWD/coder:$PATH run 3 render drop.h5 --video drop.mp4 --force $small
cmp -s drop.mp4 before.mp4 || failed 'a film that failed replaced another'

# the real ffmpeg, where it is: size, made even, and number of pictures as ffprobe counts them
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    for film in true.mp4 true.webm; do
        run 0 render drop.h5 --video $film --fps 10 --size 97x65 --samples 2
        [ -s $film ] || failed "$film is not there"
        counted=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=width,height,nb_read_frames -of csv=p=0 $film)
        [ "$counted" = 98,66,6 ] || failed "$film: ffprobe counts $counted, not 98,66,6"
    done
else
    echo 'skipped: there is no ffmpeg with ffprobe, so no film is made by it'
fi

# what fell away makes no room for itself: the camera is as near as without it
cat >away.yaml <<'YAML'
perp: 1
dim: 3
h: 0.01
duration: 3
parameters: {lost: 0}
gravity: [0, 0, -9.81]
bodies:
  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}
  - {name: 'box-${i}', repeat: 6, density: 500, at: ['0.5*i', 0, 0.1], shape: {type: box, size: [0.2, 0.2, 0.2]}}
  - {name: 'stone-${i}', repeat: lost, density: 500, at: [1, 1, 0.5], shape: {type: sphere, radius: 0.1, group: 2, mask: 0}}
YAML
run 0 run -q away.yaml -o stay.h5
run 0 run -q away.yaml -D lost=1 -o away.h5
for how in moments run; do
    run 0 render stay.h5 stay.png --json --fit $how --force $small
    near=$(field out distance)
    run 0 render away.h5 away.png --json --fit $how --force $small
    awk "BEGIN { exit !($(field out distance) < 1.6*$near) }" || failed "--fit $how: $(field out distance) is much farther than $near"
done

# belts: arrows on a surface that runs, none on one that stands; labels, colours and visual shapes are drawn. The first frame has the same poses.
for dim in 2 3; do
    side=; up=', 0.2'
    [ $dim = 2 ] || { side=', 0.5'; up=', 0, 0.5'; }
    belt() { # FILE VELOCITY SHAPE BODY: with this surface velocity, and more keys of the box's shape and of the box
        cat >belt.yaml <<YAML
perp: 1
dim: $dim
h: 0.01
duration: 0.05
law: {mu: 0.4}
bodies:
  - {name: belt, kind: obstacle, shape: {type: box, size: [2, 0.2$side], surface_velocity: [$2, 0$([ $dim = 2 ] || echo ', 0')]}}
  - {name: box, mass: 1, at: [0$up], ${4:-} shape: {type: box, size: [0.3, 0.2$side], ${3:-}}}
YAML
        run 0 run -q belt.yaml --force -o belt.h5
        run 0 render belt.h5 --at 0 $1 --size 200x120 --samples 2 --fit moments --force
    }
    belt stands.png 0
    belt runs.png 0.5
    belt back.png -0.5
    belt labelled.png 0 '' 'label: parcel 7,'
    belt red.png 0 'colour: red'
    for other in runs back labelled red; do cmp -s stands.png $other.png && failed "${dim}D: the picture $other is that of a plain belt that stands"; done
    cmp -s runs.png back.png && failed "${dim}D: the arrows of a belt that runs back are those of one that runs on"
    is_size runs.png 200x120
done

# complaints; nothing is written
cp a.png kept.png
refused 'perp: drop.h5: time: found 7; allowed: a time from 0 to 0.5' render drop.h5 --at 7 x.png
refused 'perp render: --from: found -1; allowed: a time from 0 to 0.5' render drop.h5 --strip 3 --from -1 x.png
refused 'perp render: --from: found 0.3, not before --to 0.2; allowed: a time before --to' render drop.h5 --strip 3 --from 0.3 --to 0.2 x.png
refused 'perp: blind.h5: found a recording without poses; allowed: one with them (record: {what: [poses, contacts]} in its scene)' render blind.h5 x.png
refused 'perp: mute.h5: found a recording without contacts; allowed: one with them (record: {what: [poses, contacts]} in its scene)' render mute.h5 --forces x.png
refused 'perp render: FILE: found "a.png"; allowed: a name that is free, or --force to replace the file' render drop.h5 a.png
refused 'perp render: FILE: found "x.gif"; allowed: a name that ends in .png, .svg or .pdf' render drop.h5 x.gif
refused 'perp render: --size: found "96"; allowed: WIDTHxHEIGHT in pixels, 16 to 16384 each, such as 1280x720' render drop.h5 --size 96 x.png
refused 'perp render: --size: found "96x99999"; allowed: WIDTHxHEIGHT in pixels, 16 to 16384 each, such as 1280x720' render drop.h5 --size 96x99999 x.png
refused 'perp render: --camera: found "10"; allowed: AZIMUTH,ELEVATION in degrees, elevation from -90 to 90, or with a DISTANCE > 0 after another comma' render drop.h5 --camera 10 x.png
refused 'perp render: --camera: found "10,95"; allowed: AZIMUTH,ELEVATION in degrees, elevation from -90 to 90, or with a DISTANCE > 0 after another comma' render drop.h5 --camera 10,95 x.png
refused 'perp render: --camera: found with a 2D world; allowed: --target and --zoom; a 2D world is seen from above' render slide.h5 --camera 10,20 x.png
refused 'perp render: --target: found "1"; allowed: X,Y or X,Y,Z' render drop.h5 --target 1 x.png
refused 'perp render: --glass: found "nobody"; allowed: the name of a body, or none' render drop.h5 --glass nobody x.png
refused 'perp render: --fps: found without --video; allowed: both together' render drop.h5 --fps 10 x.png
refused 'perp render: --at: found together with --strip; allowed: one of the two' render drop.h5 --at 0 --strip 3 x.png
refused 'perp render: --panels: found with one moment; allowed: with --strip, or with several --at' render drop.h5 --at 0 --panels x.png
refused 'perp render: --overlay: found together with --panels; allowed: one of the two' render drop.h5 --strip 3 --panels --overlay x.png
refused 'perp render: --to: found without --strip or --video; allowed: with one of them' render drop.h5 --to 1 x.png
refused 'perp render: --strip: found together with --video; allowed: one of the two' render drop.h5 --strip 3 --video x
refused 'perp render: FILE: found together with --video; allowed: one of the two' render drop.h5 --video x x.png
refused 'perp render: --video: found "no/x"; allowed: a path in a folder that exists' render drop.h5 --video no/x
refused 'perp render: --video: found 500000001 pictures; allowed: at most 99999: a shorter time, fewer --fps or more --speed' render drop.h5 --video x --fps 1000 --speed 1e-6
refused 'perp render: --theme: found "drak"; allowed: light, dark, paper (did you mean dark?)' render drop.h5 --theme drak x.png
run 2 render slide.yaml x.png
run 2 render none.h5 x.png
run 3 render drop.h5 no/x.png $small
cp drop.h5 victim.png
run 2 render drop.h5 victim.png --force $small
has err 'holds HDF5 data and is not written over'
cmp -s victim.png drop.h5 || failed 'a recording was written over'
cmp -s a.png kept.png || failed 'a picture was written over'
[ ! -e x.png ] && [ ! -e x ] || failed 'something was written'
finish
