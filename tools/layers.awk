# layers.awk - reads tools/layers, for tools/check-includes and tools/check-calls.
#
# rank[FOLDER]: its place. sees(A, B): B comes before A, and A may see it. `remains FILE WHAT` lines in tools/layers are exceptions that
# are left over: WHAT is an include or a symbol. One that is no longer needed is an error, so the list only gets shorter.
function expand(words,    a, n, i, out) {
    n = split(words, a, " "); out = ""
    for (i = 1; i <= n; i++) out = out " " (a[i] in short ? short[a[i]] : a[i])
    return out
}
function read_layers(name,    line, a, n, i, w) {
    while ((getline line <name) > 0) {
        sub(/#.*/, "", line)
        if (line ~ /^[ \t]*$/) continue
        if (line ~ /^@/) { split(line, a, /[ \t]*=[ \t]*/); short[a[1]] = expand(a[2]); continue }
        if (line ~ /^remains /) { split(line, a, " "); left[a[2], a[3]] = 1; continue }
        n = split(line, a, ":")
        gsub(/[ \t]/, "", a[1])
        if (n != 3 || a[1] in rank) { print name ": not FOLDER : FOLDERS : HEADERS, or a second time: " line; exit 2 }
        rank[a[1]] = ++places
        n = split(expand(a[2]), w, " "); for (i = 1; i <= n; i++) listed[a[1], w[i]] = 1
        n = split(expand(a[3]), w, " "); for (i = 1; i <= n; i++) header[a[1], "perp/" w[i] ".h"] = 1
    }
    close(name)
    if (!places) { print name ": no folders"; exit 2 }
}
function folder_of(file) { sub(/^.*src\//, "", file); sub(/\/[^\/]*$/, "", file); return file }
function lower(from, to) { return (to in rank) && (from in rank) && rank[to] < rank[from] }
function sees(from, to,    whole) {
    if (!lower(from, to)) return 0
    for (whole = to; ; ) {
        if ((from, whole) in listed) return 1
        if (!sub(/\/[^\/]*$/, "", whole)) return 0
    }
}
function header_allowed(from, target) { return (from, target) in header }
function remains(file, what) {
    if (!((file, what) in left)) return 0
    used[file, what] = 1
    return 1
}
# Exceptions that nothing needs any more; kind: "include" looks at names of headers, "call" at symbols.
function report_stale(kind,    key, part, stale) {
    for (key in left) {
        split(key, part, SUBSEP)
        if ((part[2] ~ /\.h$/) == (kind == "include") && !(key in used)) {
            print "tools/layers: no longer needed: remains " part[1] " " part[2]
            stale = 1
        }
    }
    return stale
}
