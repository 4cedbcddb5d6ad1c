#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp view --export, and what perp view refuses before it does anything.
. "$2/test/cli/helper"
. "$2/test/view/helper"
write_slide slide.yaml
run 0 run slide.yaml -q
run 0 run slide.yaml -q -D mu=0 -o smooth.h5

# there and back
run 0 view --export both.html slide.h5 smooth.h5
has out 'both.html: 2 recordings'
within() { sed -n "s/.*<script type=\"application\/x-perp-recording\" data-name=\"$1\">\([A-Za-z0-9+\/=]*\)<\/script>\$/\1/p" "$2" | base64 -d; }
for name in slide.h5 smooth.h5; do
    within $name both.html | cmp -s - $name || failed "$name comes out of the page as something else"
done
# it is the page, with a policy at its beginning that allows it no connection
policy="<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:; base-uri 'none'; form-action 'none'\">"
has both.html "$policy"
sed 's/<script type="application.*<\/script>$//' both.html | sed "s/<head><meta http-equiv=\"Content-Security-Policy\" content=\"[^\"]*\">/<head>/" | tr -d '\n' >rest
sed 's/^<!--perp:data-->//' "$sources/test/view/page.html" | tr -d '\n' >want
cmp -s rest want || failed 'the page around the recordings is another'
tail -n 2 both.html | head -1 | grep -q '^</body>' || failed 'the recordings do not stand right before </body>'
ls | grep -q part && failed 'a temporary file was left'

# a name that means something in HTML
odd="a\"b<c>&'d.h5"
cp slide.h5 "$odd"
run 0 view -e odd.html "$odd"
has odd.html 'data-name="a&#34;b&#60;c&#62;&#38;&#39;d.h5"'
within 'a&#34;b&#60;c&#62;&#38;&#39;d.h5' odd.html | cmp -s - slide.h5 || failed 'a recording of an odd name comes out as something else'

# lengths of every remainder by 3: the last piece of base64
for n in 49152 49153 49154; do
    head -c $n slide.h5 >cut.h5
    [ "$(wc -c <cut.h5)" -eq $n ] || cat slide.h5 slide.h5 slide.h5 | head -c $n >cut.h5
    run 0 view --anyway --force -e cut.html cut.h5
    within cut.h5 cut.html | cmp -s - cut.h5 || failed "$n bytes come out as something else"
done

# never over something else
cp both.html kept.html
refused 'perp: both.html: found a file of that name; allowed: a name that is free, --force to replace it' view -e both.html slide.h5
cmp -s both.html kept.html || failed 'the file was replaced without --force'
run 0 view -f -e both.html --json slide.h5
is_json out
[ "$(field out bytes)" = "$(wc -c <both.html | tr -d ' ')" ] || failed "bytes: $(field out bytes)"
cmp -s both.html kept.html && failed '--force did not replace the file'
cp slide.h5 kept.h5
run 2 view --force --export smooth.h5 slide.h5
has err 'holds HDF5 data and is not written over'
mkdir folder
run 2 view --force --export folder slide.h5
has err 'folder exists and is not a file'
run 3 view --export nowhere/x.html slide.h5
has err 'nowhere/x.html cannot be written'
if [ -e /dev/full ]; then
    (
        ulimit -f 8 # blocks of 512 bytes
        trap '' XFSZ
        "$perp" view -e full.html slide.h5 >out 2>err
        echo $? >code
    )
    [ "$(cat code)" = 3 ] || failed "exit code $(cat code) on a full disk, not 3"
    has err 'full.html cannot be written'
    ls | grep -q '^full' && failed 'half a page was left'
fi

# what is refused before anything is served
refused 'perp view: found nothing to work on; allowed: RECORDING..., or RESULTS..., or --export FILE RECORDING...' view
refused 'perp: nothing.h5: cannot be read: No such file or directory' view --no-open nothing.h5
refused 'perp: folder: found a folder; allowed: a recording' view --no-open slide.h5 folder
refused 'perp: slide.yaml: found a file that is not HDF5; allowed: a recording' view --no-open slide.yaml
refused 'perp: slide.yaml: found a file that is not HDF5; allowed: a recording' view --no-open --anyway slide.yaml
mkfifo pipe
refused 'perp: pipe: found something that is no file; allowed: a recording' view --no-open pipe
head -c 5000 slide.h5 >short.h5
run 2 view --no-open short.h5
has err 'short.h5'
"${PERP_DAMAGE:?}" newer slide.h5 newer.h5 || failed 'no recording of a newer perp to try'
run 2 view --no-open newer.h5
has err 'newer.h5: version'
refused 'perp view: --port: found "0"; allowed: a whole number from 1 to 65535' view --port 0 slide.h5
refused 'perp view: --port: found together with --export; allowed: one of the two' view --port 1234 -e x.html slide.h5
refused 'perp view: --force: found without --export; allowed: both together' view --force slide.h5
# and served all the same, if asked to
serve view --no-open --anyway short.h5
get /recording/0
status 200
cmp -s body short.h5 || failed 'a cut recording has other bytes'
stop

# a browser is shown the address if there is a screen, unless told not to
printf '#!/bin/sh\necho "$1" >>"%s/shown"\n' "$work" >browser
chmod +x browser
unset WAYLAND_DISPLAY
export DISPLAY=:99 BROWSER="$work/browser:another"
serve view slide.h5
tries=0
while [ ! -s shown ] && [ $tries -lt "$(patience 100)" ]; do sleep 0.05; tries=$((tries + 1)); done
# a file that leads there, which nobody else can read: arguments of programs are for all to see
page=$(sed -n 's,^file://,,p' shown)
[ -f "$page" ] || failed "the browser was shown $(cat shown)"
has "$page" "content=\"0; url=http://127.0.0.1:$port/$secret/\""
[ "$(stat -c %a "$page" "$(dirname "$page")" | tr '\n' ' ')" = '600 700 ' ] || failed "rights: $(stat -c %a "$page" "$(dirname "$page")")"
grep -q "$secret" "/proc/$pid/cmdline" shown && failed 'the secret is in arguments'
stop
[ ! -e "$(dirname "$page")" ] || failed 'the private folder is left'
rm shown
serve view --no-open slide.h5
stop
unset DISPLAY
serve view slide.h5
stop
[ ! -e shown ] || failed 'the browser was opened in spite of --no-open, or without a screen'
unset BROWSER

# a program without the page says how to get it, and does nothing
perp=${PERP_PAGELESS:?}
text="perp: this program was built without the viewer's page: run tools/viewer (it needs node and npm), then build perp again"
refused "$text" view --no-open slide.h5
refused "$text" view --export pageless.html slide.h5
refused "$text" run --view --no-open slide.yaml -o pageless.h5
[ ! -e pageless.html ] && [ ! -e pageless.h5 ] || failed 'a program without the page has written something'
cmp -s slide.h5 kept.h5 || failed 'a recording was changed'
finish
