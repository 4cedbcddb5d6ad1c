/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_problem_file.c - problem files in perp's own layout: every class and steps written and read back to the bit; and
 * the shared problems of other projects, where they are. */
#include "unit/problem_file_trip.h"

#include <dirent.h>

#include "exchange/plan.h"

static void keeps_linear(void **state) {
    (void)state;
    for (int n = 0; n < 9; n++) {
        double *M = numbers(n * n), *q = numbers(n), *lo, *hi, *z = positive(n), *w = positive(n), *guess = numbers(n);
        bounds_of(n, &lo, &hi);
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        round_trip(&p, NULL, NULL, PERP_FORMAT_PERP);
        p.z_scale = z;
        round_trip(&p, guess,
                   "Gr\xc3\xb6\xc3\x9f"
                   "e",
                   PERP_FORMAT_PERP);
        p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}, .z_scale = z, .w_scale = w};
        round_trip(&p, guess, "mixed", PERP_FORMAT_PERP);
        perp_sparse A = sparse_numbers(n, n);
        p = (perp_problem){.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {n, A, q, lo, hi}, .w_scale = w};
        round_trip(&p, n & 1 ? guess : NULL, "sparse", PERP_FORMAT_PERP);
        free_sparse(&A);
        free(M), free(q), free(lo), free(hi), free(z), free(w), free(guess);
    }
}

static void keeps_programmes(void **state) {
    (void)state;
    for (int n = 0; n < 7; n++)
        for (int m = 0; m < 4; m++) {
            perp_sparse Q = sparse_numbers(n, n), A = sparse_numbers(m, n);
            double *c = numbers(n), *lo, *hi, *rl, *rh, *guess = numbers(n + m);
            bounds_of(n, &lo, &hi);
            bounds_of(m, &rl, &rh);
            perp_problem p = {.cls = PERP_QP,
                              .as.qp = {n, m, Q, c, roll(2) ? lo : NULL, roll(2) ? hi : NULL, A, rl, rh}};
            if (m == 0) p.as.qp.A = (perp_sparse){0};
            round_trip(&p, guess, "programme", PERP_FORMAT_PERP);
            free_sparse(&Q);
            free_sparse(&A);
            free(c), free(lo), free(hi), free(rl), free(rh), free(guess);
        }
}

static void keeps_cones(void **state) {
    (void)state;
    for (int k = 0; k < 24; k++) {
        cone_data d = any_cone(k & 1 ? PERP_CONE : PERP_CONE_QP, 2 + k % 3, k % 5, k % 4, (k & 2) != 0);
        round_trip(&d.p, k & 4 ? d.guess : NULL, "cones", PERP_FORMAT_PERP);
        perp_problem bare = d.p; /* what may be left out */
        bare.as.cone.lo = bare.as.cone.hi = bare.as.cone.axes = bare.as.cone.compliance = NULL;
        round_trip(&bare, NULL, NULL, PERP_FORMAT_PERP);
        free_cone(&d);
    }
}

/* The documentation names every attribute, array and matrix, and says what it is in the same words. */
static void documented(void **state) {
    (void)state;
    size_t n;
    char *text = get_bytes(PERP_TEST_DIR "/../docs/problems.md", &n), want[512];
    text[n] = 0;
    for (int i = 0; i < pp_plan_nsize; i++) {
        snprintf(want, sizeof want, "| attribute `%s` | integer | %s |", pp_plan_sizes[i].name, pp_plan_sizes[i].about);
        if (!strstr(text, want)) fail_msg("not documented: %s", want);
    }
    for (int i = 0; i < pp_plan_narray; i++) {
        const pp_plan_array *a = &pp_plan_arrays[i];
        bool common = a->kinds == PP_K_ALL; /* in a sentence, not in a table */
        snprintf(want, sizeof want, common ? "`%s`" : "| `%s` | ", a->path);
        if (!strstr(text, want) || (!common && !strstr(text, a->about))) fail_msg("not documented: %s", want);
    }
    for (int i = 0; i < pp_plan_nmatrix; i++) {
        snprintf(want, sizeof want, "| `%s/` | matrix, ", pp_plan_matrices[i].path);
        if (!strstr(text, want)) fail_msg("not documented: %s", want);
    }
    free(text);
}

/* ---- step problems ---- */

static perp_row any_row(int nblock) {
    perp_row r = {.block = {(int)roll((uint32_t)nblock), -1}};
    if (roll(2)) r.block[1] = (int)roll((uint32_t)nblock);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 6; i++) r.J[k][i] = any_number();
    return r;
}

typedef struct step_data {
    int ndof[3], offset[3];
    double M[108], Minv[108], momentum[18];
    perp_joint_row joint[4];
    perp_contact_row contact[3];
    double nu[18], p_joint[4], p_contact[9], sigma[3];
    perp_step_problem p;
    perp_step_solution solution;
} step_data;

static void make_step(step_data *d, int dim) {
    memset(d, 0, sizeof *d);
    int n = 0;
    for (int b = 0; b < 3; b++) {
        d->ndof[b] = dim == 2 ? 3 - (b == 1) : b == 1 ? 3 : 6;
        d->offset[b] = n;
        n += d->ndof[b];
        for (int i = 0; i < 6; i++) {
            d->M[36 * b + 7 * i] = 1.0 + 0.1 * i + b;
            d->Minv[36 * b + 7 * i] = 1 / d->M[36 * b + 7 * i];
        }
    }
    for (int i = 0; i < n; i++) {
        d->momentum[i] = any_number();
        d->nu[i] = any_number();
    }
    for (int i = 0; i < 4; i++) {
        d->joint[i] = (perp_joint_row){.row = any_row(3),
                                       .b = any_number(),
                                       .compliance = i ? 0 : 0.25,
                                       .lo = -INFINITY,
                                       .hi = i ? INFINITY : 3.5,
                                       .b_kin = any_number(),
                                       .kind = (perp_row_kind)i,
                                       .joint = i - 1};
        d->p_joint[i] = 0.5 * i;
    }
    for (int i = 0; i < 3; i++) {
        d->contact[i] = (perp_contact_row){.n = any_row(3),
                                           .t = any_row(3),
                                           .o = any_row(3),
                                           .b_n = any_number(),
                                           .b_t = any_number(),
                                           .b_o = any_number(),
                                           .b_n_kin = any_number(),
                                           .mu = 0.1 * i,
                                           .nd = i == 2 ? PERP_CONE_DIRECTIONS : 8 * i,
                                           .phase = any_number(),
                                           .contact = 7 - i};
        for (int k = 0; k < 2; k++) /* one contact, the same two bodies */
            d->contact[i].t.block[k] = d->contact[i].o.block[k] = d->contact[i].n.block[k];
        for (int k = 0; k < 3; k++)
            d->p_contact[3 * i + k] = k == 0 ? 1.5 + i : i == 0 ? 0 : 0.01 * k; /* in the cones */
        d->sigma[i] = any_number();
    }
    d->p = (perp_step_problem){dim,     0.0125,      3, n,        d->ndof, d->offset, d->M,
                               d->Minv, d->momentum, 4, d->joint, 3,       d->contact};
    d->solution =
        (perp_step_solution){.nu = d->nu, .p_joint = d->p_joint, .p_contact = d->p_contact, .sigma = d->sigma};
}

static bool same_row(const perp_row *a, const perp_row *b) {
    return memcmp(a->block, b->block, sizeof a->block) == 0 && memcmp(a->J, b->J, sizeof a->J) == 0;
}

static void same_step(const perp_step_problem *a, const perp_step_problem *b) {
    assert_int_equal(a->dim, b->dim);
    assert_true(a->h == b->h && a->nblock == b->nblock && a->ndof == b->ndof && a->njoint == b->njoint);
    assert_int_equal(a->ncontact, b->ncontact);
    assert_memory_equal(a->block_ndof, b->block_ndof, (size_t)a->nblock * sizeof(int));
    assert_memory_equal(a->block_offset, b->block_offset, (size_t)a->nblock * sizeof(int));
    assert_true(same_doubles(a->M, b->M, 36 * a->nblock) && same_doubles(a->Minv, b->Minv, 36 * a->nblock));
    assert_true(same_doubles(a->momentum, b->momentum, a->ndof));
    for (int i = 0; i < a->njoint; i++) {
        const perp_joint_row *p = &a->joint[i], *q = &b->joint[i];
        const double x[] = {p->b, p->compliance, p->lo, p->hi, p->b_kin},
                     y[] = {q->b, q->compliance, q->lo, q->hi, q->b_kin};
        assert_true(same_row(&p->row, &q->row) && same_doubles(x, y, 5) && p->kind == q->kind && p->joint == q->joint);
    }
    for (int i = 0; i < a->ncontact; i++) {
        const perp_contact_row *p = &a->contact[i], *q = &b->contact[i];
        const double x[] = {p->b_n, p->b_t, p->b_o, p->b_n_kin, p->mu, p->phase};
        const double y[] = {q->b_n, q->b_t, q->b_o, q->b_n_kin, q->mu, q->phase};
        assert_true(same_row(&p->n, &q->n) && same_row(&p->t, &q->t) && same_row(&p->o, &q->o));
        assert_true(same_doubles(x, y, 6) && p->nd == q->nd && p->contact == q->contact);
    }
}

static void keeps_steps(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 4; k++) { /* with a guess, with a solution, with both */
            step_data d;
            perp_refusal why;
            perp_problem_format format;
            make_step(&d, dim);
            perp_step_solution guess = {.p_joint = d.p_joint, .p_contact = d.p_contact}; /* enough to start from */
            if (perp_step_write_solved("step.h5", &d.p, k % 2 ? &guess : NULL, k < 2 ? NULL : &d.solution,
                                       "step 12 of a run", &why))
                fail_msg("%s", why.text);
            perp_stored *s = good("step.h5", &format);
            assert_int_equal(format, PERP_FORMAT_PERP);
            assert_non_null(perp_stored_step(s));
            same_step(&d.p, perp_stored_step(s));
            assert_string_equal(perp_stored_title(s), "step 12 of a run");
            const perp_problem *p = perp_stored_problem(s); /* its cone form */
            assert_int_equal(p->cls, PERP_CONE);
            assert_int_equal(perp_problem_size(p),
                             4 + 1 + 2 * dim); /* joints; one contact without friction; two with */
            const double *z = perp_stored_guess(s);
            assert_true((z != NULL) == (k % 2 == 1));
            for (int i = 0; z && i < 4; i++) assert_true(z[i] == d.p_joint[i]);
            if (z) assert_true(z[4] == d.p_contact[0]);
            for (int i = 0; z && i < 2 * dim; i++) assert_true(z[5 + i] == d.p_contact[3 + 3 * (i / dim) + i % dim]);
            const perp_step_solution *x = perp_stored_step_solution(s);
            assert_true((x != NULL) == (k >= 2));
            assert_true(!x || (same_doubles(x->nu, d.nu, d.p.ndof) && same_doubles(x->p_joint, d.p_joint, 4)));
            assert_true(!x || (same_doubles(x->p_contact, d.p_contact, 9) && same_doubles(x->sigma, d.sigma, 3)));
            perp_stored_free(s);
        }
    perp_step_problem none = {.dim = 3, .h = 1};
    perp_refusal why;
    if (perp_step_write("step.h5", &none, NULL, NULL, &why)) fail_msg("%s", why.text);
    perp_stored *s = good("step.h5", NULL);
    same_step(&none, perp_stored_step(s));
    perp_stored_free(s);
}

/* ---- the shared problems, where they are ---- */

static void reads_shared_problems(void **state) {
    (void)state;
    const char *shared = getenv("PERP_SHARED"), *const folder[] = {"fclib", "lcp"};
    char at[512], path[1024];
    if (!shared) shared = PERP_TEST_DIR "/../../shared";
    int count = 0;
    for (int k = 0; k < 2; k++) {
        snprintf(at, sizeof at, "%s/data/%s", shared, folder[k]);
        DIR *d = opendir(at);
        if (!d) {
            print_message("skipped: no shared problems (%s)\n", at);
            skip();
        }
        for (struct dirent *e; (e = readdir(d)) != NULL;) {
            const char *dot = strrchr(e->d_name, '.');
            if (!dot || (strcmp(dot, ".dat") != 0 && strcmp(dot, ".hdf5") != 0)) continue;
            snprintf(path, sizeof path, "%s/%s", at, e->d_name);
            struct stat st;
            count++;
            if (stat(path, &st) != 0 || st.st_size > 300000) continue; /* they are alike; time */
            perp_problem_format format;
            perp_stored *s = good(path, &format);
            const perp_problem *p = perp_stored_problem(s);
            assert_int_equal(p->cls, k == 0 ? PERP_CONE : strstr(e->d_name, "mlcp") ? PERP_MLCP : PERP_LCP);
            round_trip(p, perp_stored_guess(s), perp_stored_title(s), PERP_FORMAT_PERP);
            if (k == 0) round_trip(p, NULL, perp_stored_title(s), PERP_FORMAT_FCLIB);
            perp_stored_free(s);
        }
        closedir(d);
    }
    assert_int_equal(count, 38 + 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_linear), cmocka_unit_test(keeps_programmes), cmocka_unit_test(keeps_cones),
        cmocka_unit_test(documented),   cmocka_unit_test(keeps_steps),      cmocka_unit_test(reads_shared_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
