#!/bin/sh
# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# perp view and perp run --view against others: without the secret of the address, from pages of other servers, with many connections that stay.
. "$2/test/cli/helper"
. "$2/test/view/helper"
write_slide slide.yaml
run 0 run slide.yaml -q -o slide.h5
awk 'BEGIN { for (i = 0; i < 400000; i++) print "0123456789" }' >>slide.h5 # more than the buffers of a connection hold

serve view --no-open --anyway slide.h5
[ ${#secret} -eq 32 ] || failed "secret: \"$secret\""
first=$secret

# ---- the secret ----
# asked for without it, or with another: the same answer whatever is there, no data, and the connection ends
other=$(echo "$secret" | tr '0123456789abcdef' '123456789abcdef0')
for path in / /recordings.json /recording/0 /live/command /favicon.ico /nothing /etc/passwd "//$secret/" "/$other/" "/$other/recording/0" \
    "/${secret}0/" "/${secret%?}/" "/$secret$secret/" "/%2f$secret/" "/$(echo "$secret" | tr a-f A-F)x/" "/?$secret" "/?token=$secret" \
    "/../$secret/" "/./$secret/recording/0" "/recording/0/$secret"; do
    for method in GET HEAD POST PUT; do
        ask "$method $path HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nContent-Length: 0"
        status 403 "$method $path"
        [ "$(header Connection)" = close ] || failed "$method $path: Connection: $(header Connection)"
        if [ $method = HEAD ]; then [ ! -s body ] || failed "HEAD $path has a body"; continue; fi
        [ "$(cat body)" = 'the address needs its secret: use the whole address that perp printed' ] || failed "$method $path: $(head -c 200 body)"
        hasnt answer "$secret"
    done
done
get /recording/0 HEAD
status 200
for path in /../recording/0 //recording/0 /recording/../recording/0 /./; do # nothing is climbed
    get "$path"
    status 404 "$path"
done
ask "GET /$secret HTTP/1.1\r\nHost: 127.0.0.1"
status 308 'without the slash'
[ "$(header Location)" = "/$secret/" ] || failed "Location: $(header Location)"

# ---- Origin and Host ----
for origin in http://evil.example https://127.0.0.1:$port http://127.0.0.1 http://127.0.0.1:$((port + 1)) null '' http://127.0.0.1:$port.evil.example \
    http://127.0.0.1:$port/ http://localhost:$port "http://127.0.0.1:$port http://evil.example" file://; do
    get /recordings.json GET "Origin: $origin"
    status 403 "Origin: $origin"
    hasnt body recordings
done
get /recordings.json GET "Origin: http://127.0.0.1:$port\r\nOrigin: http://evil.example"
status 403 'two Origins'
get /recordings.json GET "Origin: http://127.0.0.1:$port"
status 200 'its own Origin'
ask "GET /$secret/ HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://LOCALHOST:8080" # through ssh -L
status 200 'the Origin of a forwarded port'
for host in evil.example evil.example:$port 127.0.0.1.evil.example "$secret"; do
    ask "GET /$secret/recording/0 HTTP/1.1\r\nHost: $host\r\nOrigin: http://$host"
    status 403 "Host: $host"
done

# ---- connections that stay ----
# crowd HOW PATH [MILLISECONDS]: 500 of them, and others are served within 500 ms, or as much longer as the machine is busy
crowd() {
    longest=$("$client" "$port" crowd 500 "$1" "$2")
    most=$(patience "${3:-500}")
    awk -v t="$longest" -v most="$most" 'BEGIN { exit !(1000 * t < most) }' || failed "with 500 connections that are $1 at $2 another one waited $longest s, not less than $most ms"
    echo "500 connections, $1, $2: another one is served within $longest s"
}
crowd silent "/$secret/"
crowd idle "/$secret/recordings.json"
crowd deaf "/$secret/recording/0" 2000 # 60 MB are on their way to them: work of the server
# Strangers do not take the connections of the user: one that has brought the secret outlives 900 that have not.
for how in silent idle; do
    answered=$("$client" "$port" keep 900 $how /nothing "/$secret/recordings.json")
    [ "$answered" = 2 ] || failed "$answered of 2 requests on one connection were answered, with 900 $how strangers between them"
done
stop
[ $code -eq 0 ] || failed "exit code $code"
[ ! -s served.err ] || failed "something on stderr: $(cat served.err)"

# with fewer files than that to be had
: >served
(ulimit -n 120 && exec "$perp" view --no-open --anyway slide.h5) >served 2>served.err </dev/null &
pid=$!
tries=0
while [ ! -s served ] && [ $tries -lt "$(patience 200)" ]; do sleep 0.05; tries=$((tries + 1)); done
port=$(sed -n 's,^.*http://127.0.0.1:\([0-9]*\)/.*$,\1,p' served)
secret=$(sed -n 's,^.*http://127.0.0.1:[0-9]*/\([0-9a-f]*\)/.*$,\1,p' served)
[ "$secret" != "$first" ] || failed 'two servers have the same secret'
crowd silent "/$secret/"
crowd idle "/$secret/recordings.json"
stop

# ---- a run cannot be driven by others ----
sed -e 's/^duration: .*/duration: 0.2/' slide.yaml >short.yaml
serve run --view --no-open --paused --no-recording short.yaml
get /recordings.json
token=$(field body token)
order() { # PATH [HEADER]
    ask "POST $1 HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nX-Perp-Live: $token\r\nContent-Length: 4${2:+\r\n$2}\r\nConnection: close\r\n\r\nstep"
}
order /live/command
status 403 'a command without the secret'
order "/$token/live/command"
status 403 'a command with the token as secret'
order "/$secret/live/command" 'Origin: http://evil.example'
status 403 'a command of another page'
get '/live/frames?from=0'
[ "$(tr '{' '\n' <body | grep -c '^"step": ')" = 1 ] || failed 'a refused command did something'
order "/$secret/live/command" "Origin: http://127.0.0.1:$port"
status 200 'a command of its own page'
stop
finish
