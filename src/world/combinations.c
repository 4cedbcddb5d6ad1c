/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* combinations.c - the table of stages that can be combined
 * Each combination is tried with perp_world_create_why(). The names come from the lists of steppers, contact models and solvers, so
 * that a new one appears in the table automatically. */
#include <stdio.h>
#include <string.h>

#include "base/writer.h"
#include "stage/contact_model.h"
#include "stage/stepper.h"

static const char *const form_name[] = {"lcp", "mlcp", "cone"}; /* as perp_form */
enum { FORMS = sizeof form_name / sizeof *form_name, DIMS = 2, REASONS = 64 };

const char *perp_contact_model_at(int i) {
    const pp_contact_model_type *m = pp_model_at(i);
    return m ? m->name : NULL;
}

static int count_steppers(void) {
    int n = 0;
    while (pp_stepper_at(n)) n++;
    return n;
}

static int count_models(void) {
    int n = 0;
    while (pp_model_at(n)) n++;
    return n;
}

int perp_combination_count(void) { return DIMS * count_steppers() * count_models() * (int)FORMS * perp_solver_count(); }

/* Whether a world with these stages can be created. solver NULL: the default of the form. */
static bool made(int dim, int stepper, int model, int form, const char *solver, char *why, size_t size) {
    perp_world_def d = perp_world_def_default(dim);
    d.stepper = pp_stepper_at(stepper)->name;
    d.contact_model = pp_model_at(model)->name;
    d.form = (perp_form)form;
    if (solver) {
        d.solver = solver;
        d.no_fallback = true;
    }
    perp_world *w;
    perp_status st = perp_world_create_why(&d, &w, why, size);
    perp_world_destroy(w);
    return !st;
}

bool perp_combination_at(int i, perp_combination *out) {
    int solvers = perp_solver_count(), models = count_models(), steppers = count_steppers();
    if (i < 0 || i >= perp_combination_count() || solvers < 1 || models < 1 || steppers < 1) return false;
    int solver = i % solvers, rest = i / solvers;
    int form = rest % (int)FORMS, model = rest / (int)FORMS % models;
    int stepper = rest / (int)FORMS / models % steppers;
    int dim = 2 + rest / (int)FORMS / models / steppers;
    *out = (perp_combination){.dim = dim,
                              .stepper = pp_stepper_at(stepper)->name,
                              .contact_model = pp_model_at(model)->name,
                              .form = (perp_form)form,
                              .solver = perp_solver_at(solver)->name};
    out->exists = made(dim, stepper, model, form, out->solver, out->why, sizeof out->why);
    return true;
}

/* Reasons for refusals of one stepper, without duplicates. */
typedef struct reasons {
    char said[REASONS][PP_WHY];
    int n;
} reasons;

static int note(reasons *r, const char *why) {
    for (int i = 0; i < r->n; i++)
        if (!strcmp(r->said[i], why)) return i;
    if (r->n < REASONS) (void)snprintf(r->said[r->n++], sizeof r->said[0], "%s", why);
    return r->n - 1;
}

static void stepper_section(pp_writer *t, int stepper) {
    const pp_stepper_type *s = pp_stepper_at(stepper);
    reasons r = {.n = 0};
    pp_write(t, "\n## %s\n\n%c%s (%s).\n\n| contact model |", s->name,
             s->about[0] >= 'a' && s->about[0] <= 'z' ? s->about[0] - 32 : s->about[0], s->about + 1, s->source);
    for (int dim = 2; dim < 2 + DIMS; dim++)
        for (int f = 0; f < (int)FORMS; f++) pp_write(t, " %dD %s |", dim, form_name[f]);
    pp_write(t, "\n|---|");
    for (int i = 0; i < DIMS * (int)FORMS; i++) pp_write(t, "---|");
    for (int m = 0; pp_model_at(m); m++) {
        pp_write(t, "\n| %s |", pp_model_at(m)->name);
        for (int dim = 2; dim < 2 + DIMS; dim++)
            for (int f = 0; f < (int)FORMS; f++) {
                char why[PP_WHY];
                if (made(dim, stepper, m, f, NULL, why, sizeof why))
                    pp_write(t, " yes |");
                else
                    pp_write(t, " no (%d) |", note(&r, why) + 1);
            }
    }
    pp_write(t, "\n");
    if (r.n) pp_write(t, "\n");
    for (int i = 0; i < r.n; i++) pp_write(t, "%d. %s\n", i + 1, r.said[i]);
}

/* Writes for each solver whether all, some or none of the combinations of this form support it. */
static void solver_row(pp_writer *t, int form) {
    pp_write(t, "\n| %s |", form_name[form]);
    bool first = true;
    for (int k = 0; k < perp_solver_count(); k++) {
        int all = 0, good = 0;
        for (int dim = 2; dim < 2 + DIMS; dim++)
            for (int s = 0; pp_stepper_at(s); s++)
                for (int m = 0; pp_model_at(m); m++) {
                    char why[PP_WHY];
                    if (!made(dim, s, m, form, NULL, why, sizeof why)) continue;
                    all++;
                    good += made(dim, s, m, form, perp_solver_at(k)->name, why, sizeof why);
                }
        if (!good) continue;
        pp_write(t, "%s %s%s", first ? "" : ",", perp_solver_at(k)->name, good < all ? " (not with all of them)" : "");
        first = false;
    }
    pp_write(t, " |");
}

size_t perp_combinations(char *buf, size_t size) {
    pp_writer t = {.buf = buf, .size = size};
    if (size) buf[0] = 0;
    pp_write(
        &t,
        "# Combinations\n\n<!-- Made by `perp info --combinations` from the program itself. -->\n\n"
        "A step is made by a stepper, a contact model, a form of the problem and a solver "
        "(`stages` in [scene.md](scene.md)). These go together; what does not is refused when a world is made, with "
        "the reason given here.\nEvery combination that the tables say exists is run by a test, and every other one "
        "is refused in it (`test/cross/test_combinations.c`).\n\n"
        "Elliptic, torsional and rolling friction (`e_t`, `e_o`, `e_r`, `e_roll` of a contact law) need form cone in "
        "3D.\n\n");
    pp_write(&t,
             "`geometry: end`, contacts that act at the end pose, goes with all contact models, forms and solvers of:");
    bool first = true;
    for (int s = 0; pp_stepper_at(s); s++) {
        if (!pp_stepper_at(s)->end_poses) continue;
        pp_write(&t, "%s %s", first ? "" : ",", pp_stepper_at(s)->name);
        first = false;
    }
    pp_write(&t,
             ". Other steppers refuse it (`test/law/test_end_pose.c` runs all of them).\n\n"
             "## Solvers\n\nThey go by the form alone, whatever the stepper and the contact model.\n\n| form | solvers "
             "|\n|---|---|");
    for (int f = 0; f < (int)FORMS; f++) solver_row(&t, f);
    pp_write(&t, "\n");
    for (int s = 0; pp_stepper_at(s); s++) stepper_section(&t, s);
    return t.n;
}
