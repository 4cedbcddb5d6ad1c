/* test_problem_file.c - problem files: every layout read, every class written and read back to the bit, files replaced
 * whole or not at all. */
#include "problem_file_help.h"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>

#include "fault/allocator.h"

#include "exchange/plan.h"

#define PROBLEMS PERP_TEST_DIR "/../problems/"

/* ---- perp's own layout ---- */

/* The file that a problem makes, without one on disk. */
static pp_image image_of(const perp_problem *p, const double *guess, const char *title, perp_problem_format format) {
    pp_image m = {0};
    perp_refusal why;
    perp_status s = format == PERP_FORMAT_PERP    ? pp_perp_image("x", p, guess, title ? title : "", &m, &why)
                    : format == PERP_FORMAT_FCLIB ? pp_fclib_image("x", p, guess, title ? title : "", &m, &why)
                                                  : pp_text_image("x", p, title ? title : "", &m, &why);
    if (s) fail_msg("%s", why.text);
    return m;
}

static void round_trip(const perp_problem *p, const double *guess, const char *title, perp_problem_format format) {
    perp_refusal why;
    perp_problem_format found = PERP_FORMAT_PERP;
    perp_stored *s;
    pp_image first = image_of(p, guess, title, format);
    if (pp_exchange_read("x", first.data, first.size, NULL, &s, &found, &why)) fail_msg("%s", why.text);
    assert_int_equal(found, format);
    assert_true(same_problem(p, perp_stored_problem(s)));
    if (format != PERP_FORMAT_SICONOS_TEXT)
        assert_true(same_doubles(guess, perp_stored_guess(s), perp_problem_size(p)));
    assert_string_equal(perp_stored_title(s), title ? title : "");
    assert_null(perp_stored_step(s));
    pp_image second = image_of(perp_stored_problem(s), perp_stored_guess(s), perp_stored_title(s), format);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size); /* the same problem gives the same file */
    pp_image_free(&first);
    pp_image_free(&second);
    perp_stored_free(s);
}

static void bounds_of(int n, double **lo, double **hi) {
    *lo = numbers(n);
    *hi = numbers(n);
    for (int i = 0; i < n; i++) {
        double w = fabs((*hi)[i]);
        (*hi)[i] = roll(3) == 0 ? INFINITY : (*lo)[i] + w;
        if (roll(3) == 0) (*lo)[i] = -INFINITY;
    }
}

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

typedef struct cone_data {
    perp_problem p;
    double *guess;
} cone_data;

static cone_data any_cone(perp_class cls, int dim, int nc, int nrow, bool global) {
    cone_data d = {.p.cls = cls};
    perp_cone *c = &d.p.as.cone;
    int m = nrow + dim * nc, n = global ? 7 : 0;
    double *lo, *hi;
    bounds_of(nrow, &lo, &hi);
    *c = (perp_cone){.dim = dim, .ncontact = nc, .nrow = nrow, .global = global, .lo = lo, .hi = hi};
    c->mu = positive(nc);
    c->axes = positive((dim - 1) * nc);
    if (global) {
        c->M = sparse_numbers(n, n);
        c->H = sparse_numbers(n, m);
        c->f = numbers(n);
        c->b = numbers(m);
        c->compliance = positive(m);
    } else {
        c->W = sparse_numbers(m, m);
        c->q = numbers(m);
    }
    d.guess = numbers(m);
    return d;
}
static void free_cone(cone_data *d) {
    perp_cone *c = &d->p.as.cone;
    const double *const v[] = {c->lo, c->hi, c->mu, c->axes, c->f, c->b, c->compliance, c->q, d->guess};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) free((void *)(uintptr_t)v[i]);
    free_sparse(&c->W);
    free_sparse(&c->M);
    free_sparse(&c->H);
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
    perp_row r = {{(int)roll((uint32_t)nblock), -1}, {{0}}};
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

/* ---- FCLIB ---- */

/* A cone that FCLIB can hold: rows without bounds, mirrored coupling. */
static cone_data fclib_cone(int dim, int nc, int nrow, bool global) {
    cone_data d = any_cone(PERP_CONE, dim, nc, nrow, global);
    perp_cone *c = &d.p.as.cone;
    const double *const drop[] = {c->lo, c->hi, c->axes, c->compliance};
    for (int i = 0; i < 4; i++) free((void *)(uintptr_t)drop[i]);
    c->lo = c->hi = c->axes = c->compliance = NULL;
    if (global) { /* of rigid bodies: diagonal, so that a guess has velocities */
        free_sparse(&c->M);
        int *start = malloc(8 * sizeof *start), *index = malloc(8 * sizeof *index);
        for (int i = 0; i < 8; i++) start[i] = index[i] = i;
        c->M = (perp_sparse){7, 7, start, index, positive(7)};
        return d;
    }
    int m = c->W.rows;
    double *full = numbers(m * m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < j; i++)
            if (i < nrow && j >= nrow) full[j * m + i] = full[i * m + j];
    int *start = malloc(((size_t)m + 1) * sizeof *start), *index = malloc(((size_t)m * (size_t)m + 1) * sizeof *index),
        n = 0;
    for (int j = 0; j < m; j++) {
        start[j] = n;
        for (int i = 0; i < m; i++) {
            full[n] = full[j * m + i];
            index[n++] = i;
        }
    }
    start[m] = n;
    free_sparse(&c->W);
    c->W = (perp_sparse){m, m, start, index, full};
    return d;
}

static void keeps_fclib(void **state) {
    (void)state;
    for (int k = 0; k < 16; k++) {
        cone_data d = fclib_cone(2 + k % 2, 1 + k % 3, k % 4 == 3 ? 2 : 0, (k & 4) != 0);
        round_trip(&d.p, k & 8 ? d.guess : NULL, "a problem", PERP_FORMAT_FCLIB);
        free_cone(&d);
    }
}

/* The same matrix as columns, rows and triplets, with rows out of order, an entry in two parts, a zero, and room for
 * more than is used. */
static void reads_every_matrix(void **state) {
    (void)state;
    const double q[] = {1, 2}, mu[] = {0.5};
    const int cp[] = {0, 3, 5}, ci[] = {1, 0, 1, 0, 1, 9, -7}, rp[] = {0, 2, 5}, ri[] = {1, 0, 0, 1, 0, 8, 8};
    const double cx[] = {3, 2, 0.25, 0, 5, NAN, 1}, rx[] = {0, 2, 3, 5, 0.25, NAN, NAN};
    const int ti[] = {1, 0, 1, 0, 1, 1000, -1}, tp[] = {1, 0, 0, 1, 0, -1, 77};
    const double tx[] = {5, 2, 3, 0, 0.25, NAN, 2};
    for (int k = 0; k < 4; k++) {
        hid_t f = new_h5("matrix.hdf5");
        put_int(f, "fclib_local/spacedim", 2);
        put_doubles(f, "fclib_local/vectors/q", q, 2);
        put_doubles(f, "fclib_local/vectors/mu", mu, 1);
        if (k == 0) put_matrix(f, "fclib_local/W", 2, 2, -1, 7, cp, 3, ci, 7, cx, 7);
        if (k == 1) put_matrix(f, "fclib_local/W", 2, 2, -2, 12345, rp, 3, ri, 7, rx, 7);
        if (k >= 2) put_matrix(f, "fclib_local/W", 2, 2, 5, -3, tp, 7, ti, 7, tx, 7);
        if (k == 3) { /* of another machine */
            put_list(f, "fclib_local/W/x", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, tx, 7);
            put_list(f, "fclib_local/W/i", H5T_STD_I64BE, H5T_NATIVE_INT, ti, 7);
            put_list(f, "fclib_local/W/p", H5T_STD_I16LE, H5T_NATIVE_INT, tp, 7);
            put_list(f, "fclib_local/vectors/q", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, q, 2);
        }
        H5Fclose(f);
        perp_problem_format format;
        perp_stored *s = good("matrix.hdf5", &format);
        assert_int_equal(format, PERP_FORMAT_FCLIB);
        const perp_cone *c = &perp_stored_problem(s)->as.cone;
        const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
        const double value[] = {2, 3.25, 0, 5};
        const perp_sparse W = {2, 2, start, index, value};
        assert_true(same_sparse(&c->W, &W));
        assert_true(same_doubles(c->q, q, 2) && same_doubles(c->mu, mu, 1));
        assert_null(perp_stored_guess(s));
        assert_string_equal(perp_stored_title(s), "");
        perp_stored_free(s);
    }
}

/* Equalities: rows without bounds, first; by the laws of both forms on numbers of our own. */
static void equalities_come_first(void **state) {
    (void)state;
    perp_stored *g = good(PROBLEMS "guided-box.hdf5", NULL), *l = good(PROBLEMS "guided-box-local.hdf5", NULL);
    const perp_cone *a = &perp_stored_problem(g)->as.cone, *b = &perp_stored_problem(l)->as.cone;
    assert_true(a->global && !b->global);
    assert_int_equal(a->nrow, 3);
    assert_int_equal(b->nrow, 3);
    assert_null(a->lo);
    assert_null(b->hi);
    assert_true(a->b[0] == 0 && a->b[2] == -0.002);
    assert_int_equal(a->H.index[a->H.start[0]], 1); /* v_y, the first guide */
    double r[15], u[2][15];
    for (int i = 0; i < 15; i++) r[i] = 0.01 * (i + 1) * (i & 1 ? 1 : -1);
    assert_int_equal(perp_cone_velocity(a, r, u[0], NULL), PERP_OK);
    assert_int_equal(perp_cone_velocity(b, r, u[1], NULL), PERP_OK);
    for (int i = 0; i < 15; i++) assert_true(fabs(u[0][i] - u[1][i]) < 1e-11);
    const double *guess = perp_stored_guess(g);
    assert_non_null(guess);
    assert_true(guess[0] == 0 && guess[3] == 0.073575 && guess[4] == -0.0367875);
    perp_stored_free(g);
    perp_stored_free(l);
}

/* ---- text ---- */

static void dense_is(const double *M, int n, const double *rows) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) assert_true(M[j * n + i] == rows[i * n + j]);
}

static void reads_text(void **state) {
    (void)state;
    const double three[] = {2, -1, 0, 1, 3, 1, 0, -1, 2}, blocks[] = {4, 0, 0, 1, 3, -1, -0.5, 0.25, 5};
    const double listing[] = {4, 0, 0, 0, 3, 0, 1, -1, 5}, alternating[] = {1, 2, 0, -2, 3, 1, 0, -1, 1.5};
    const double parts[] = {2, 1, -1, -1, 3, 0.5, 1, -0.5, 4};
    const struct {
        const char *file;
        perp_class cls;
        const double *M;
        double q[3];
        int is_free[3];
        const char *title;
    } row[] = {
        {"lcp-three.dat", PERP_LCP, three, {-1, 2, -4}, {0}, "solution (0.5, 0, 2), w = (0, 4.5, 0)"},
        {"lcp-blocks.dat", PERP_LCP, blocks, {-2, 1, -3}, {0}, "M = [4 0 0; 1 3 -1; -0.5 0.25 5], in blocks"},
        {"lcp-listing.dat", PERP_LCP, listing, {-1, -1, -1}, {0}, ""},
        {"mlcp-alternating.dat", PERP_MLCP, alternating, {1, -4, 0.5}, {1, 0, 1}, ""},
        {"mlcp-parts.dat", PERP_MLCP, parts, {-3, -1, 2}, {1, 0, 0}, ""},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char path[512];
        perp_problem_format format;
        snprintf(path, sizeof path, "%s%s", PROBLEMS, row[k].file);
        perp_stored *s = good(path, &format);
        assert_int_equal(format, PERP_FORMAT_SICONOS_TEXT);
        const perp_problem *p = perp_stored_problem(s);
        assert_int_equal(p->cls, row[k].cls);
        assert_int_equal(perp_problem_size(p), 3);
        bool lcp = p->cls == PERP_LCP;
        dense_is(lcp ? p->as.lcp.M : p->as.mlcp.M, 3, row[k].M);
        assert_true(same_doubles(lcp ? p->as.lcp.q : p->as.mlcp.q, row[k].q, 3));
        for (int i = 0; !lcp && i < 3; i++) {
            assert_true(p->as.mlcp.lo[i] == (row[k].is_free[i] ? -INFINITY : 0));
            assert_true(p->as.mlcp.hi[i] == INFINITY);
        }
        assert_string_equal(perp_stored_title(s), row[k].title);
        perp_stored_free(s);
    }
}

static void reads_friction_text(void **state) {
    (void)state;
    perp_stored *s = good(PROBLEMS "contacts-2d.dat", NULL);
    const perp_cone *c = &perp_stored_problem(s)->as.cone;
    assert_true(c->dim == 2 && c->ncontact == 2 && c->nrow == 0 && !c->global && c->W.start[4] == 16);
    assert_true(c->W.value[1] == 0.25 && c->W.value[c->W.start[2] + 1] == 0); /* zeros of a block are entries */
    assert_true(c->W.value[c->W.start[3]] == -0.125 && c->W.value[3] == -0.125);
    assert_true(c->q[3] == -1 && c->mu[1] == 0.7);
    perp_stored_free(s);
    s = good(PROBLEMS "contact-3d.dat", NULL);
    c = &perp_stored_problem(s)->as.cone;
    assert_true(c->dim == 3 && c->ncontact == 1 && !c->global && c->W.start[3] == 7); /* zeros of a full matrix not */
    perp_stored_free(s);
    s = good(PROBLEMS "box-on-feet.dat", NULL);
    perp_stored *h = good(PROBLEMS "box-on-feet.hdf5", NULL);
    assert_true(perp_stored_problem(s)->as.cone.global);
    assert_true(same_problem(perp_stored_problem(s), perp_stored_problem(h)));
    assert_string_equal(perp_stored_title(h), "a box on four feet, pushed");
    perp_stored_free(h);
    perp_stored_free(s);
}

/* Beginnings that fit more than one kind. */
static void tells_texts_apart(void **state) {
    (void)state;
    const struct {
        const char *text;
        perp_class cls;
        int size;
        bool global;
    } row[] = {
        {"1 0 1 1 1 1 2 -1", PERP_LCP, 1, false},
        {"1 1 1 1 1 1 1 1 1 2 1 0 1 0 0 2 -1", PERP_LCP, 1, false},
        {"1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 -1 -1", PERP_MLCP, 2, false},
        {"0 1 1 1 2 3 4 5 6 7", PERP_MLCP, 2, false},
        {"0 1 0 1 5 -1", PERP_MLCP, 1, false},
        {"2 0 2 2 2 2 1 0 0 1 -1 -1", PERP_LCP, 2, false},
        {"2 1 2 2 2 2 2 1 2 1 2 3 2 0 1 2 0 1 0 5 1 6 1 1", PERP_LCP, 2, false},
        {"2 2 2 2 2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 3\n col 0 : locations 0 to 0\n 0 : 3\n col 1 : "
         "locations "
         "1 to 0\n 5 6",
         PERP_LCP, 2, false},
        {"2 1 2 2 2 1\nCXSparse v\ntriplet: 2-by-2, nzmax: 9 nnz: 1\n 0 0 : 3\n 5 6 0.5", PERP_CONE, 2, false},
        {"2 1 0 2 2 2 2 1 0 0 1 5 6 0.5", PERP_CONE, 2, false},
        {"2 1 0 2 2 2 2 1 0 0 1 0 2 2", PERP_CONE, 2, false}, /* q looks like a matrix, but nothing follows */
        {"2 1 0 2 2 2 2 1 0 0 1 0 2 2 2 2 1 0 0 1 5 6 7 8 0.5", PERP_CONE, 2, true},
        {"2 1 0 1 1 1 1 3 0 1 2 1 2 8 9 5 6 7 0.5 1", PERP_CONE, 2, true},
        {"2 2 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 9 nnz: 1\n 0 0 : 3\n 0 2 4 2 4 1 2 3 4 5 6 7 8 1 2 3 4 5 6 .1 "
         ".2",
         PERP_CONE, 4, true},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        put_text("kind.dat", row[k].text);
        perp_stored *s = good("kind.dat", NULL);
        const perp_problem *p = perp_stored_problem(s);
        if (p->cls != row[k].cls || perp_problem_size(p) != row[k].size ||
            (p->cls == PERP_CONE && p->as.cone.global != row[k].global))
            fail_msg("%s: read as %s of %d", row[k].text, perp_class_name(p->cls), perp_problem_size(p));
        perp_stored_free(s);
    }
}

static void keeps_text(void **state) {
    (void)state;
    const char *before = setlocale(LC_NUMERIC, NULL);
    char *kept = before ? strdup(before) : NULL;
    (void)(setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "de_DE")); /* where there is one */
    for (int n = 1; n < 8; n++) {
        double *M = numbers(n * n), *q = numbers(n), *lo = numbers(n), *hi = numbers(n);
        for (int i = 0; i < n * n; i++)
            if (M[i] == 0) M[i] = 0; /* a full matrix has no -0 in text: zeros are no entries */
        for (int i = 0; i < n; i++) {
            lo[i] = roll(2) ? 0 : -INFINITY;
            hi[i] = INFINITY;
        }
        perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
        for (int i = 0; i < n * n; i++) M[i] += 0.0;
        round_trip(&p, NULL, "an LCP", PERP_FORMAT_SICONOS_TEXT);
        p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {n, M, q, lo, hi}};
        round_trip(&p, NULL, NULL, PERP_FORMAT_SICONOS_TEXT);
        free(M), free(q), free(lo), free(hi);
    }
    for (int k = 0; k < 8; k++) {
        cone_data d = fclib_cone(2 + k % 2, 1 + k % 3, 0, (k & 4) != 0);
        round_trip(&d.p, NULL, k & 1 ? "contacts" : "", PERP_FORMAT_SICONOS_TEXT);
        free_cone(&d);
    }
    if (kept) (void)setlocale(LC_NUMERIC, kept);
    free(kept);
}

/* A large LCP that is stored sparse stays sparse. */
static void large_text_stays_sparse(void **state) {
    (void)state;
    int n = 700;
    perp_sparse M = {n, n, NULL, NULL, NULL};
    int *start = malloc(((size_t)n + 1) * sizeof *start), *index = malloc((size_t)n * sizeof *index);
    double *value = positive(n), *q = numbers(n), *lo = calloc((size_t)n, sizeof *lo), *hi = numbers(n);
    for (int i = 0; i <= n; i++) start[i] = i;
    for (int i = 0; i < n; i++) {
        index[i] = n - 1 - i;
        hi[i] = INFINITY;
    }
    M.start = start, M.index = index, M.value = value;
    perp_problem p = {.cls = PERP_SPARSE_MLCP, .as.sparse_mlcp = {n, M, q, lo, hi}};
    round_trip(&p, NULL, "sparse", PERP_FORMAT_SICONOS_TEXT);
    free_sparse(&M);
    free(q), free(lo), free(hi);
}

/* ---- what has no place ---- */

static void does_not_fit(const perp_problem *p, perp_problem_format f, const char *words) {
    perp_refusal why;
    char text[512];
    put_text("keep.x", "as it was");
    assert_int_equal(perp_problem_write("keep.x", f, p, NULL, NULL, &why), PERP_E_FIT);
    snprintf(text, sizeof text, "keep.x: %s", words);
    assert_string_equal(why.text, text);
    assert_int_equal(why.status, PERP_E_FIT);
    size_t n;
    char *d = get_bytes("keep.x", &n);
    assert_int_equal(n, 9);
    assert_memory_equal(d, "as it was", 9);
    free(d);
}

static void refuses_what_has_no_place(void **state) {
    (void)state;
    double M[] = {1}, q[] = {1}, lo[] = {1}, hi[] = {2};
    perp_problem p = {.cls = PERP_NCP};
    does_not_fit(&p, PERP_FORMAT_PERP, "found an ncp, which is a function; allowed: a class that is made of numbers");
    does_not_fit(&p, PERP_FORMAT_FCLIB, "class: found ncp; allowed: cone");
    does_not_fit(&p, PERP_FORMAT_SICONOS_TEXT, "class: found ncp; allowed: lcp, mlcp, sparse-mlcp or cone");
    p = (perp_problem){.cls = PERP_MLCP, .as.mlcp = {1, M, q, lo, hi}};
    does_not_fit(&p, PERP_FORMAT_FCLIB, "class: found mlcp; allowed: cone");
    does_not_fit(&p, PERP_FORMAT_SICONOS_TEXT, "lo, hi: found other bounds; allowed: 0 and infinity, or none");
    cone_data d = fclib_cone(3, 2, 2, false);
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "nrow: found bounded rows; allowed: none");
    d.p.cls = PERP_CONE_QP;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "class: found cone-qp; allowed: cone");
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "class: found cone-qp; allowed: lcp, mlcp, sparse-mlcp or cone");
    d.p.cls = PERP_CONE;
    double two[] = {0, -INFINITY}, ones[] = {1, 1, 1, 0.5};
    d.p.as.cone.lo = two;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "lo, hi: found a row with bounds; allowed: rows without bounds");
    d.p.as.cone.lo = NULL;
    d.p.as.cone.axes = ones;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "axes: found an elliptic cone; allowed: circular ones");
    ones[3] = 1;
    double *value = (double *)(uintptr_t)d.p.as.cone.W.value;
    value[3] = 12.5; /* (3, 0): between a contact and an equality */
    does_not_fit(&d.p, PERP_FORMAT_FCLIB,
                 "W[3][0]: found another entry than its mirror image; allowed: the same, between "
                 "bounded rows and contacts");
    d.p.as.cone.axes = NULL;
    free_cone(&d);
    d = fclib_cone(3, 2, 0, true);
    double soft[6] = {0, 0, 1e-3};
    d.p.as.cone.compliance = soft;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "compliance: found a row with compliance; allowed: none");
    does_not_fit(&d.p, PERP_FORMAT_SICONOS_TEXT, "compliance: found a row with compliance; allowed: none");
    d.p.as.cone.compliance = NULL;
    d.p.as.cone.dim = 4;
    does_not_fit(&d.p, PERP_FORMAT_FCLIB, "dim: found 4; allowed: 2 or 3");
    d.p.as.cone.dim = 3;
    free_cone(&d);
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_PERP), "perp");
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_FCLIB), "fclib");
    assert_string_equal(perp_problem_format_name(PERP_FORMAT_SICONOS_TEXT), "siconos");
}

/* ---- files in place of others ---- */

static void writes_files(void **state) {
    (void)state;
    static const char *const path[] = {"trip.h5", "trip.hdf5", "trip.dat"};
    cone_data d = fclib_cone(3, 4, 0, false);
    for (int f = PERP_FORMAT_PERP; f <= PERP_FORMAT_SICONOS_TEXT; f++) {
        perp_refusal why;
        perp_problem_format found;
        put_text(path[f], "something else");
        if (perp_problem_write(path[f], (perp_problem_format)f, &d.p, d.guess, "a trip", &why))
            fail_msg("%s", why.text);
        perp_stored *s = good(path[f], &found);
        assert_int_equal((int)found, f);
        assert_true(same_problem(&d.p, perp_stored_problem(s)));
        assert_string_equal(perp_stored_title(s), "a trip");
        perp_stored_free(s);
    }
    free_cone(&d);
}

static int files_here(const char *prefix) {
    int n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    closedir(d);
    return n;
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    int n = 60;
    double *M = numbers(n * n), *q = numbers(n);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
    perp_refusal why;
    put_text("full.h5", "as it was");
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    perp_status s = perp_problem_write("full.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, before);
    assert_int_equal(s, PERP_E_IO);
    assert_string_equal(why.text, "full.h5: cannot be written: File too large");
    size_t size;
    char *d = get_bytes("full.h5", &size);
    assert_int_equal(size, 9);
    assert_memory_equal(d, "as it was", 9);
    free(d);
    assert_int_equal(files_here("full.h5"), 1); /* nothing is left beside it */
    assert_int_equal(perp_problem_write("full.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_OK);
    assert_int_equal(files_here("full.h5"), 1);
    assert_int_equal(perp_problem_write("nowhere/p.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, "nowhere/p.h5: cannot be written: No such file or directory");
    assert_int_equal(perp_problem_write(".", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, ".: found a folder; allowed: a file");
    assert_int_equal(perp_problem_write("/dev/null", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, "/dev/null: found a device or a pipe; allowed: a file");
    assert_int_equal(perp_problem_write(NULL, PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_ARG);
    assert_int_equal(perp_problem_write("x.h5", (perp_problem_format)9, &p, NULL, NULL, NULL), PERP_E_ARG);
    free(M), free(q);
}

/* ---- any bytes, and memory that is refused ---- */

static const char *const sample[] = {PROBLEMS "qp-triangle.h5",        PROBLEMS "guided-box.hdf5",
                                     PROBLEMS "guided-box-local.hdf5", PROBLEMS "box-on-feet.dat",
                                     PROBLEMS "contacts-2d.dat",       PROBLEMS "mlcp-alternating.dat",
                                     PROBLEMS "lcp-listing.dat"};
#define SAMPLES ((int)(sizeof sample / sizeof *sample))

static void try_bytes(const char *data, size_t size) {
    perp_stored *s;
    perp_refusal why = {0};
    if (pp_exchange_read("x", data, size, NULL, &s, NULL, &why)) {
        assert_null(s);
        assert_true(why.text[0] != 0 && !strchr(why.text, '\n'));
        return;
    }
    assert_true(perp_problem_size(perp_stored_problem(s)) >= 0);
    perp_stored_free(s);
}

static void damaged_files_are_safe(void **state) {
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        size_t size;
        char *d = get_bytes(sample[k], &size);
        size_t step = size > 4000 ? 9 : 1;
#ifdef PERP_TEST_SHORT
        step *= 11;
#endif
        for (size_t n = 0; n < size; n += step) {
            char *cut = malloc(n + 1); /* of its own, so that reading past the end is seen */
            memcpy(cut, d, n);
            try_bytes(cut, n);
            free(cut);
        }
        for (size_t i = 0; i<size; i += size> 4000 ? step - 2 : 1) {
            char old = d[i];
            static const unsigned char other[] = {0xff, 0x80, 0x01, 0x00, '9', ' '};
            for (size_t j = 0; j < sizeof other; j++) {
                d[i] = (char)(j < 2 ? (unsigned char)old ^ other[j] : other[j]);
                try_bytes(d, size);
            }
            d[i] = old;
        }
        free(d);
    }
}

static void refused_memory_is_told(void **state) {
    (void)state;
    for (int k = 0; k < SAMPLES; k++)
        for (long refuse = 0;; refuse++) {
            counter c = {.refuse = refuse};
            perp_allocator a = counting(&c);
            perp_stored *s;
            perp_refusal why = {0};
            perp_status e = perp_problem_read(sample[k], &a, &s, NULL, &why);
            if (!e) {
                perp_stored_free(s);
                assert_int_equal(c.live, 0);
                assert_int_equal(c.refused, 0);
                break;
            }
            assert_int_equal(e, PERP_E_MEMORY);
            assert_null(s);
            assert_int_equal(c.live, 0);
            assert_true(why.text[0] != 0);
        }
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
        cmocka_unit_test(keeps_linear),
        cmocka_unit_test(keeps_programmes),
        cmocka_unit_test(keeps_cones),
        cmocka_unit_test(documented),
        cmocka_unit_test(keeps_steps),
        cmocka_unit_test(keeps_fclib),
        cmocka_unit_test(reads_every_matrix),
        cmocka_unit_test(equalities_come_first),
        cmocka_unit_test(reads_text),
        cmocka_unit_test(reads_friction_text),
        cmocka_unit_test(tells_texts_apart),
        cmocka_unit_test(keeps_text),
        cmocka_unit_test(large_text_stays_sparse),
        cmocka_unit_test(refuses_what_has_no_place),
        cmocka_unit_test(writes_files),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(damaged_files_are_safe),
        cmocka_unit_test(refused_memory_is_told),
        cmocka_unit_test(reads_shared_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
