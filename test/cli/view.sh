#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp view: what the server gives, what it refuses, whom it serves; bad arguments. The slow clients run beside all the rest.
. "$2/test/cli/helper"
. "$2/test/view/helper"
write_slide slide.yaml
run 0 run slide.yaml -q -o slide.h5
mkdir other
run 0 run slide.yaml -q -D mu=0.1 -o other/slide.h5
size=$(wc -c <slide.h5 | tr -d ' ')

serve view --no-open slide.h5 other/slide.h5
[ "$(cat served)" = "perp view: http://127.0.0.1:$port/$secret/  (stop with Ctrl-C)" ] || failed "said: $(cat served)"
"$client" "$port" silent >silent &
silent=$!
"$client" "$port" trickle >trickle &
trickle=$!
"$client" "$port" deaf "/$secret/recording/0" &
deaf=$!
i=0 junk=
for bytes in '\0\0\0\0\0\0\r\n\r\n' 'GET\r\n\r\n' '\026\003\001\002\0\001\0\001\374\003\003' 'GET / HTTP/9.9\r\n\r\n' '\r\n\r\n\r\n\r\n'; do
    i=$((i + 1))
    printf "$bytes" | "$client" "$port" raw >junk-$i 2>&1 & # some of them are beginnings, and must be cut off
    junk="$junk $!"
done

# the page and the list
get /
status 200
cmp -s body "$sources/test/view/page.html" || failed 'the page is another'
[ "$(header Content-Type)" = 'text/html; charset=utf-8' ] || failed "type of the page: $(header Content-Type)"
[ "$(header X-Content-Type-Options)" = nosniff ] || failed 'no nosniff'
[ "$(header Referrer-Policy)" = no-referrer ] || failed 'no Referrer-Policy'
[ "$(header Cache-Control)" = no-store ] || failed "Cache-Control: $(header Cache-Control)"
for text in "default-src 'none'" "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:" "worker-src blob:" "frame-ancestors 'none'"; do
    header Content-Security-Policy >policy
    has policy "$text"
done
get /recordings.json
status 200
is_json body
has body "\"perp\": \"$("$perp" version | sed -n 's/^perp \([0-9.]*\).*/\1/p')\""
has body '"name": "slide.h5"'       # two of that name: with their folders
has body '"name": "other/slide.h5"'
has body '"url": "recording/1"'
has body "\"bytes\": $size"
has body '"live": null'

# recordings, whole and in part
get /recording/0
status 200
cmp -s body slide.h5 || failed 'the recording has other bytes'
[ "$(header Content-Length)" = "$size" ] || failed "Content-Length: $(header Content-Length)"
[ "$(header Accept-Ranges)" = bytes ] || failed "Accept-Ranges: $(header Accept-Ranges)"
get /recording/1
cmp -s body other/slide.h5 || failed 'the second recording has other bytes'
get /recording/0 HEAD
status 200
[ "$(header Content-Length)" = "$size" ] || failed "Content-Length of HEAD: $(header Content-Length)"
[ ! -s body ] || failed 'HEAD has a body'
part() { # RANGE FIRST COUNT
    get /recording/0 GET "Range: $1"
    status 206 "$1"
    tail -c +$(($2 + 1)) slide.h5 | head -c "$3" >want
    cmp -s body want || failed "$1 gave other bytes"
    [ "$(header Content-Range)" = "bytes $2-$(($2 + $3 - 1))/$size" ] || failed "$1: Content-Range $(header Content-Range)"
    [ "$(header Content-Length)" = "$3" ] || failed "$1: Content-Length $(header Content-Length)"
}
part bytes=0-7 0 8
part bytes=100-65635 100 $((size - 100 < 65536 ? size - 100 : 65536))
part "bytes=$((size - 1))-" $((size - 1)) 1
part bytes=-10 $((size - 10)) 10
part "bytes=5-$((size + 1000))" 5 $((size - 5))
part bytes=0-99999999999999999999999 0 "$size"
part bytes=-99999999999999999999999 0 "$size"
for range in "bytes=$size-" bytes=99999999999999999999- bytes=-0; do
    get /recording/0 GET "Range: $range"
    status 416 "$range"
    [ "$(header Content-Range)" = "bytes */$size" ] || failed "$range: Content-Range $(header Content-Range)"
done
for range in bytes=7-3 bytes=a-b bytes=1-2,5-6 lines=1-2 bytes=1; do # not understood: the whole
    get /recording/0 GET "Range: $range"
    status 200 "$range"
done
get /recording/0 GET 'Range: bytes=0-7\r\nIf-Range: "x"'
status 200 If-Range

# nothing else is there
for path in /nothing /recording /recording/ /recording/2 /recording/00 /recording/-1 /recording/0/ /recording/%30 /recording/0%00 /slide.h5 \
    /../../../../../../etc/passwd /recording/../slide.h5 /recording/..%2f..%2fslide.h5 //etc/passwd /etc/passwd /live/frames /live/command \
    /live/scene.json /favicon.ico; do
    get "$path"
    status 404 "$path"
done
# and nothing can be written
for method in POST PUT DELETE OPTIONS PATCH TRACE BREW; do
    get /recording/0 $method
    status 405 $method
    [ "$(header Allow)" = 'GET, HEAD' ] || failed "$method: Allow $(header Allow)"
done
get /recording/0 POST 'Content-Length: 5\r\n\r\nhello'
status 405 'POST with a body'

# only for this machine
for host in evil.example 127.0.0.1.evil.example evil.example:80 localhostile 192.168.1.1 '' 127.0.0.1:80:80 127.0.0.1: 127.0.0.1:x; do
    ask "GET /$secret/ HTTP/1.1\r\nHost: $host"
    status 403 "Host: $host"
done
for host in 127.0.0.1 localhost LOCALHOST:1234 '[::1]:80'; do
    ask "GET /$secret/ HTTP/1.1\r\nHost: $host"
    status 200 "Host: $host"
done
ask "GET /$secret/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example"
status 400 'two Hosts'
ask "GET /$secret/ HTTP/1.1"
status 400 'no Host'

# absurd requests: each is refused, and the server goes on
long=$(head -c 30000 /dev/zero | tr '\0' a)
ask "GET /$secret/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: $long"
status 431 'a header of 30,000 letters'
ask "GET /$long HTTP/1.1\r\nHost: 127.0.0.1"
status 414 'an address of 30,000 letters'
ask "GET /$secret/ HTTP/1.1\r\nHost: 127.0.0.1$(i=0; while [ $i -lt 100 ]; do printf '\\r\\nX-%d: 1' $i; i=$((i + 1)); done)"
status 431 'a hundred headers'
get / GET 'Content-Length: 1000000000'
status 400 'GET with a body'
get / GET 'Content-Length: -5'
status 400 'a length below zero'
get / GET 'Transfer-Encoding: chunked'
status 400 'GET in chunks'
get / GET 'no colon here'
status 400 'a header without a colon'

# two hundred at once, with the slow ones there
cp "$sources/test/view/page.html" page
good=$("$client" "$port" parallel 200 "/$secret/recording/0" slide.h5)
[ "$good" = 200 ] || failed "$good of 200 parallel clients got the recording"
get /
status 200 'after all that'

# a recording that grows is served as long as it is then
size=$((size + 5))
printf 12345 >>slide.h5
get /recording/0 HEAD
[ "$(header Content-Length)" = "$size" ] || failed 'a recording that grew is served with its old length'

# shellcheck disable=SC2086 # a list
wait $silent $trickle $deaf $junk
for f in junk-*; do
    hasnt $f '200 OK'
    hasnt $f 'no end'
done
for how in silent trickle; do
    awk '{ exit !($1 >= 2.5 && $1 < 12) }' $how || failed "a $how client was cut off after $(cat $how) s, not 3"
done
stop
[ $code -eq 0 ] || failed "exit code $code"
[ ! -s served.err ] || failed "something on stderr: $(cat served.err)"

# one port only for one
truncate -s $((size - 5)) slide.h5
serve view --no-open --json slide.h5
is_json served
run 2 view --no-open --port "$port" slide.h5
has err "perp: --port $port: cannot be used: "
stop
finish
