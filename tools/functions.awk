# functions.awk - finds function definitions in C sources, for tools/check-functions.
#
# Prints "LINES PARAMETERS FILE:LINE NAME" for each. LINES counts from the first line of the definition to its closing brace. The sources are
# formatted by clang-format and have no function whose name or parameters come from a macro, so a definition is what stands before a `{`
# outside of all braces and ends in a list of parameters. Comments, strings and lines of the preprocessor are left out first.
function strip(line,    out, c) { # without comments, strings and characters
    out = ""
    while (line != "") {
        if (in_comment) {
            if (!(c = index(line, "*/"))) return out
            in_comment = 0
            line = substr(line, c + 2)
        } else if (match(line, /^[^"'\/]+/)) {
            out = out substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else if (line ~ /^\/\//) {
            return out
        } else if (line ~ /^\/\*/) {
            in_comment = 1
            line = substr(line, 3)
        } else if (match(line, /^"(\\.|[^"\\])*"/) || match(line, /^'(\\.|[^'\\])*'/)) {
            out = out "0"
            line = substr(line, RLENGTH + 1)
        } else {
            out = out substr(line, 1, 1)
            line = substr(line, 2)
        }
    }
    return out
}
function count_parameters(list,    n, depth, i, c) { # of the text between the outer parentheses
    if (list ~ /^[ \t]*(void)?[ \t]*$/) return 0
    n = 1
    depth = 0
    for (i = 1; i <= length(list); i++) {
        c = substr(list, i, 1)
        if (c == "(" || c == "[") depth++
        else if (c == ")" || c == "]") depth--
        else if (c == "," && depth == 0) n++
    }
    return n
}
function opens(text,    i, depth, c) { # text before a `{` at the outer level: is it a function? Sets name and parameters.
    sub(/[ \t]+$/, "", text)
    if (text !~ /\)$/ || text ~ /=/) return 0
    depth = 0
    for (i = length(text); i > 0; i--) {
        c = substr(text, i, 1)
        if (c == ")") depth++
        else if (c == "(" && --depth == 0) break
    }
    parameters = count_parameters(substr(text, i + 1, length(text) - i - 1))
    name = substr(text, 1, i - 1)
    sub(/[ \t]+$/, "", name)
    sub(/.*[^A-Za-z0-9_]/, "", name)
    return name != ""
}
function end_of_file() {
    if (depth_now != 0 || in_comment) { print "functions.awk: " file ": braces do not match" >"/dev/stderr"; failed = 1 }
}
FNR == 1 {
    if (file != "") end_of_file()
    file = FILENAME
    head = ""
    depth_now = in_comment = continued = inside = 0
}
{
    text = strip($0)
    if (continued || text ~ /^[ \t]*#/) { continued = text ~ /\\$/; next }
    while (text != "") {
        if (match(text, depth_now ? "[{}]" : "[{};]")) {
            before = substr(text, 1, RSTART - 1)
            mark = substr(text, RSTART, 1)
            text = substr(text, RSTART + 1)
        } else {
            before = text
            mark = text = ""
        }
        if (!depth_now) {
            if (head ~ /^[ \t]*$/ && before !~ /^[ \t]*$/) first = FNR
            head = head " " before
        }
        if (mark == "{" && !depth_now++) inside = opens(head)
        if (mark == "}" && !--depth_now && inside) {
            print FNR - first + 1, parameters, file ":" first, name
            inside = 0
        }
        if (!depth_now && (mark == "}" || mark == ";")) head = ""
    }
}
END { end_of_file(); exit failed }
