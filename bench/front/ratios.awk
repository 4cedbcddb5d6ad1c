# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# ratios.awk - the table of bench/front/ratios, from its CSV (columns as front_ode --head prints them)
function median(list, n,    i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
# A row for each tolerance; overlap kept: at most `most` in every seed.
function row(title, scene, tolerances, most,    n, t, i, s, k, good, r, st, w, m, o, over, count, name, list, notes) {
    n = split(tolerances, name, " ")
    for (i = 1; i <= n; i++) {
        t = name[i]; k = 0; over = 0; notes = ""; w = 0
        delete r; delete st; delete m; delete o
        for (s = 1; s <= 9; s++) {
            if (!((scene, s, "perp", t) in mean) || !((scene, s, "ode", "default") in mean)) continue
            k++
            r[k] = mean[scene, s, "perp", t] / mean[scene, s, "ode", "default"]
            st[k] = settled[scene, s, "perp", t] / settled[scene, s, "ode", "default"]
            m[k] = mean[scene, s, "perp", t]; o[k] = mean[scene, s, "ode", "default"]
            if (worst[scene, s, "perp", t] / med[scene, s, "perp", t] > w) w = worst[scene, s, "perp", t] / med[scene, s, "perp", t]
            if (overlap[scene, s, "perp", t] > over) over = overlap[scene, s, "perp", t]
            if (status[scene, s, "perp", t] != "done") notes = notes " seed " s ": " status[scene, s, "perp", t] " after " steps[scene, s, "perp", t] " steps;"
        }
        if (!k) continue
        good = over <= most
        list = ""
        for (s = 1; s <= k; s++) list = list (s > 1 ? ", " : "") sprintf("%.1f", r[s])
        printf "| %s | %s | %s | %.1f | %s | %.1f | %.2f | %.2f | %.0f | %.1e | %s |%s\n", title, t, good ? "yes" : "no", median(r, k), list, median(st, k), median(m, k), median(o, k), w, over, ode_overlap[scene], notes
    }
}
NR > 1 {
    mean[$1, $2, $3, $4] = $8; med[$1, $2, $3, $4] = $9; worst[$1, $2, $3, $4] = $10; settled[$1, $2, $3, $4] = $11
    overlap[$1, $2, $3, $4] = $12; status[$1, $2, $3, $4] = $7; steps[$1, $2, $3, $4] = $6
    if ($3 == "ode" && $12 > ode_overlap[$1]) ode_overlap[$1] = $12
}
END {
    print "| row | tolerance | overlap kept | times ODE | each seed | settled, times ODE | perp, mean step [ms] | ODE, mean step [ms] | worst / median step | overlap [m] | ODE's [m] |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    row("20 hulls, exact", "hulls", "1e-8", 1e-6)
    row("20 hulls, at most 6 mm", "hulls", "1e-2 2e-3", 6e-3)
    row("1,000 spheres, at most 0.7 mm", "pour", "2e-2 1e-2", 7e-4)
    row("1,000 cubes, at most 0.1 mm", "cubes", "1e-3 4e-4", 1e-4)
}
