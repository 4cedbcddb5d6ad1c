# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# tables.awk - the tables of docs/benchmarks-front.md, from the CSV of tools/bench-front (columns as front_ode --head prints them)
function median(list, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
# Median over the seeds of a column of point p.
function over_seeds(column, p,    s, list) {
    delete list
    for (s = 1; s <= count[p]; s++) list[s] = value[column, p, s]
    return median(list, count[p])
}
# The fastest point of an engine (or of all but perp's) on the scene with an error of at most `most`; "" if there is none.
function fastest(scene, engine, column, most,    p, best, t) {
    best = ""
    for (p in count) {
        if (scene_of[p] != scene || (p in failed)) continue
        if (engine == "others" ? engine_of[p] ~ /^perp/ : engine_of[p] != engine) continue
        if (over_seeds(column, p) > most) continue
        t = over_seeds("work", p)
        if (best == "" || t < over_seeds("work", best)) best = p
    }
    return best
}
function cell(scene, column, most,    mine, other, m, o) {
    mine = fastest(scene, "perp", column, most)
    other = fastest(scene, "others", column, most)
    m = mine == "" ? 0 : over_seeds("work", mine)
    o = other == "" ? 0 : over_seeds("work", other)
    if (mine == "" && other == "") return "none"
    if (other == "") return sprintf("**perp alone** %.3g", m)
    if (mine == "") return sprintf("%s %.3g", title[engine_of[other]], o)
    if (m <= o) return sprintf("**perp** %.3g, %s %.3g", m, title[engine_of[other]], o)
    return sprintf("%s %.3g, perp %.1f times", title[engine_of[other]], o, m / o)
}
function front(name, column, levels, unit,    n, level, i, s, line) {
    n = split(levels, level, " ")
    line = "| scene |"
    for (i = 1; i <= n; i++) line = line " at most " level[i] " |"
    print "\n### " name "\n\n" line
    line = "|---|"
    for (i = 1; i <= n; i++) line = line "---|"
    print line
    for (s = 1; s <= scenes; s++) {
        line = "| " scene_name[s] " |"
        for (i = 1; i <= n; i++) line = line " " cell(scene_name[s], column, level[i]) " |"
        print line
    }
}
BEGIN {
    title["perp"] = "perp"; title["perp-3d"] = "perp in 3D"; title["ode"] = "ODE"; title["bullet"] = "Bullet"
    title["mujoco"] = "MuJoCo"; title["box2d"] = "Box2D"
}
$1 == "scene" { next }
{
    p = $1 SUBSEP $3 SUBSEP $4 SUBSEP $5
    if (!($1 in known)) { known[$1] = 1; scene_name[++scenes] = $1 }
    scene_of[p] = $1; engine_of[p] = $3; setting_of[p] = $4; h_of[p] = $5
    if (!($3 in first)) { first[$3] = $4; engine_name[++engines] = $3 }
    if ($7 == "limit") $7 = "ended by the limit"
    if ($7 != "done") { failed[p] = $7; next }
    s = ++count[p]
    value["work", p, s] = $8 / $5; value["median", p, s] = $9; value["worst", p, s] = $10
    value["overlap", p, s] = $12; value["coulomb", p, s] = $14 == "nan" ? 0 : $14; value["speed", p, s] = $18
}
END {
    front("Fastest to a deepest overlap [m]: processor time per simulated second [ms]", "overlap", "1e-2 1e-3 1e-4 1e-6")
    front("Fastest to a Coulomb residual: processor time per simulated second [ms]", "coulomb", "0.1 0.01 0.001")
    print "\n### As they come, h = 10 ms\n"
    print "| scene | engine | setting | median step [ms] | worst step [ms] | deepest overlap [m] | Coulomb residual | speed at the end [m/s] | note |"
    print "|---|---|---|---|---|---|---|---|---|"
    for (s = 1; s <= scenes; s++)
        for (e = 1; e <= engines; e++) {
            p = scene_name[s] SUBSEP engine_name[e] SUBSEP first[engine_name[e]] SUBSEP "0.01"
            if (!(p in count)) {
                if (p in failed) printf "| %s | %s | %s | | | | | | %s |\n", scene_name[s], title[engine_name[e]], first[engine_name[e]], failed[p]
                continue
            }
            printf "| %s | %s | %s | %.3g | %.3g | %.1e | %.1e | %.1e | %s |\n", scene_name[s], title[engine_name[e]], setting_of[p],
                over_seeds("median", p), over_seeds("worst", p), over_seeds("overlap", p), over_seeds("coulomb", p), over_seeds("speed", p),
                p in failed ? failed[p] " in some seed" : ""
        }
}
