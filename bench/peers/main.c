/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* main.c - perp beside Bullet and ODE in one run; tables in Markdown on standard output.
 *
 *     peers [--parts broad,narrow,growth,spheres,cubes,small] [--repeats 5] [--quick]
 *           [--engines perp,bullet,ode-quick,ode-step] [--bodies 1000] [--seconds S] [--limit S]
 *           [--contact-model NAME] [--form lcp|mlcp|cone] [--solver NAME] [--stepper NAME] [--geometry once|iterated]
 *           [--tolerance T] [--set SOLVER.SETTING=VALUE]...
 *
 * Exit code 1: the engines disagree about pairs, or perp left a step unsolved. docs/benchmarks-peers.md says what is
 * measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

static const struct {
    const char *name;
    unsigned bit;
} part_names[] = {{"broad", PEER_BROAD},     {"narrow", PEER_NARROW}, {"growth", PEER_GROWTH},
                  {"spheres", PEER_SPHERES}, {"cubes", PEER_CUBES},   {"small", PEER_SMALL}};

static unsigned parse_parts(char *list) {
    unsigned parts = 0;
    for (char *t = strtok(list, ","); t; t = strtok(NULL, ",")) {
        unsigned bit = 0;
        for (size_t k = 0; k < sizeof part_names / sizeof *part_names; k++)
            if (!strcmp(t, part_names[k].name)) bit = part_names[k].bit;
        if (!bit) peer_die(t, "no such part; there are broad, narrow, growth, spheres, cubes and small");
        parts |= bit;
    }
    return parts;
}

static double positive(const char *name, const char *text) {
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || !(x > 0)) peer_die(name, "needs a number above 0");
    return x;
}

static const char *one_of(const char *name, const char *value, const char *a, const char *b, const char *c) {
    if (strcmp(value, a) && strcmp(value, b) && strcmp(value, c)) peer_die(name, "has no such value");
    return value;
}

/* An option with a value; false if there is none of this name. */
static bool take(peer_options *o, const char *name, char *value) {
    perp_choice *c = &o->perp;
    if (!strcmp(name, "--parts")) {
        o->parts = parse_parts(value);
    } else if (!strcmp(name, "--repeats")) {
        o->repeats = (int)positive(name, value);
        if (o->repeats < 1) peer_die(name, "needs a whole number above 0");
    } else if (!strcmp(name, "--bodies")) {
        o->bodies = (int)positive(name, value);
        if (o->bodies < 1) peer_die(name, "needs a whole number above 0");
    } else if (!strcmp(name, "--seconds")) {
        o->seconds = positive(name, value);
    } else if (!strcmp(name, "--limit")) {
        o->limit = positive(name, value);
    } else if (!strcmp(name, "--engines")) {
        o->engines = value;
    } else if (!strcmp(name, "--contact-model")) {
        c->contact_model = value;
    } else if (!strcmp(name, "--solver")) {
        c->solver = value;
    } else if (!strcmp(name, "--stepper")) {
        c->stepper = value;
    } else if (!strcmp(name, "--form")) {
        c->form = one_of(name, value, "lcp", "mlcp", "cone");
    } else if (!strcmp(name, "--geometry")) {
        c->once = !strcmp(one_of(name, value, "once", "iterated", "iterated"), "once");
    } else if (!strcmp(name, "--tolerance")) {
        c->tolerance = positive(name, value);
    } else if (!strcmp(name, "--set")) {
        int k = 0;
        while (k < PEER_SETTINGS && c->setting[k]) k++;
        if (k == PEER_SETTINGS) peer_die(name, "given too often");
        c->setting[k] = value;
    } else {
        return false;
    }
    return true;
}

static peer_options parse(int argc, char **argv) {
    peer_options o = {.parts = ~0u, .repeats = 5, .perp = {.form = "cone"}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            o.quick = true;
            o.repeats = 1;
            continue;
        }
        if (i + 1 == argc) peer_die(argv[i], "no such option, or its value is missing");
        if (!take(&o, argv[i], argv[i + 1])) peer_die(argv[i], "no such option");
        i++;
    }
    return o;
}

int main(int argc, char **argv) {
    peer_options o = parse(argc, argv);
    int many = o.bodies ? o.bodies : o.quick ? 50 : 1000, few = o.quick ? 20 : 50;
    bool good = true;
    if (o.parts & PEER_BROAD) good &= peer_table_broad(&o);
    if (o.parts & PEER_GROWTH) good &= peer_table_growth(&o);
    if (o.parts & PEER_NARROW) good &= peer_table_narrow(&o);
    /* tolerances as in experiments/pour-1000 and heap-cubes */
    const pour_kind small = {.n = few, .seconds = 3, .with_ode_step = true},
                    spheres = {.n = many, .seconds = 3, .tolerance = 2e-3},
                    cubes = {.cubes = true, .n = many, .seconds = 2, .tolerance = 4e-5};
    if (o.parts & PEER_SMALL) good &= peer_table_pour(&o, &small);
    if (o.parts & PEER_SPHERES) good &= peer_table_pour(&o, &spheres);
    if (o.parts & PEER_CUBES) good &= peer_table_pour(&o, &cubes);
    if (!good) fprintf(stderr, "peers: something is wrong, see the tables\n");
    return good ? 0 : 1;
}
