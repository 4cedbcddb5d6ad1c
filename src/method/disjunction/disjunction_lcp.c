/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* disjunction_lcp.c - U, I and X constraints -> LCP (Williams 4.7, problem (4.50) with the errata)
 * Problem  pp_convert turns the step problem with every contact U into an LCP. In it, the gap of contact i at the end of the step is a
 *          linear function psi_i = M_i z + q_i of impulses, friction and bounded joint rows; nu and bilateral joints are eliminated.
 * Variables, in order
 *   p        one impulse for each (contact, constraint) that may carry one; its rows below
 *   the friction, slip and joint variables of the base problem, except friction of contacts that never carry a force
 *   c        count - 1 for each group, rows (4.10): 0 <= c_k _|_ c_k + .. + c_2 + psi_1 - psi_k >= 0, so that
 *            psi_1 + sum c is the largest gap
 *   s        exact form: one for each group, row (4.11): 0 <= s _|_ largest gap >= 0; s has no effect
 *   d        exact form: one for each impulse of a group, row (4.12): 0 <= d _|_ d + psi_i >= 0
 * Rows of p   U: psi_i. Exact: largest gap + d_i, (4.13). Pushing: 2 largest gap - psi_i. With slacks: see disjunction.h.
 * Cost     n^2 for the matrix. */
#include <math.h>
#include <string.h>

#include "method/disjunction/disjunction.h"

typedef struct build {
    pp_mixed *m;
    const pp_disjunction *d;
    double *M, *q;
    ptrdiff_t n, nb;
    int first_s, first_d;
} build;

/* row += factor times psi of a contact. */
static void add_gap(const build *b, int row, int contact, double factor) {
    const pp_converted *base = &b->m->base;
    for (ptrdiff_t v = 0; v < b->n; v++)
        if (b->m->from[v] >= 0) b->M[row + b->n * v] += factor * base->M[contact + b->nb * b->m->from[v]];
    b->q[row] += factor * base->q[contact];
}

/* row += factor times the largest gap of a group, or of its first `count` contacts. */
static void add_largest(const build *b, int row, int g, int count, double factor) {
    const pp_group *group = &b->d->group[g];
    add_gap(b, row, b->d->member[group->first], factor);
    for (int k = 1; k < count; k++) b->M[row + b->n * (b->m->group_c[g] + k - 1)] += factor;
}

/* By contact: may it carry a force by some constraint? */
static bool *pushers(const pp_disjunction *d, pp_arena *arena) {
    bool *able = PP_ARENA_ZERO(arena, bool, d->ncontact);
    if (!able) return NULL;
    for (int i = 0; i < d->ncontact; i++) able[i] = d->plain[i];
    for (int g = 0; g < d->ngroup; g++)
        for (int k = 0; k < d->group[g].primary; k++) able[d->member[d->group[g].first + k]] = true;
    return able;
}

/* Lists the impulses: U first, then I, then (pushing) X. */
static bool list_permits(pp_mixed *m, const bool *able, pp_arena *arena) {
    const pp_disjunction *d = m->d;
    int most = d->ncontact + d->nmember;
    m->permit_contact = PP_ARENA_ARRAY(arena, int, most);
    m->permit_group = PP_ARENA_ARRAY(arena, int, most);
    m->permit_slack = PP_ARENA_ARRAY(arena, int, most);
    if (!m->permit_contact || !m->permit_group || !m->permit_slack) return false;
    int n = 0;
    for (int i = 0; i < d->ncontact; i++)
        if (d->plain[i]) m->permit_contact[n] = i, m->permit_group[n++] = -1;
    for (int cross = 0; cross < 2; cross++)
        for (int g = 0; g < d->ngroup; g++) {
            const pp_group *group = &d->group[g];
            if ((group->primary == 0) != (cross == 1)) continue;
            for (int k = 0; k < (cross ? group->count : group->primary); k++) {
                int i = d->member[group->first + k];
                if (cross && (m->form != PP_DISJUNCTION_PUSHING || !able[i])) continue;
                m->permit_contact[n] = i;
                m->permit_group[n++] = g;
            }
        }
    for (int k = 0; k < n; k++) m->permit_slack[k] = -1;
    m->npermit = n;
    return true;
}

/* Numbers the variables; returns false if out of memory. */
static bool number(build *b, const bool *able, pp_arena *arena) {
    pp_mixed *m = b->m;
    const pp_converted *base = &m->base;
    int nc = b->d->ncontact, n = m->npermit, extra = 0;
    bool slacks = m->form == PP_DISJUNCTION_SLACKS;
    for (int g = 0; g < b->d->ngroup; g++) extra += slacks ? 2 * b->d->group[g].count + 2 : b->d->group[g].count;
    m->from = PP_ARENA_ARRAY(arena, int, n + base->n + extra + m->npermit);
    m->group_c = PP_ARENA_ARRAY(arena, int, b->d->ngroup);
    if (!m->from || !m->group_c) return false;
    for (int k = 0; k < n; k++) m->from[k] = m->permit_contact[k];
    for (int i = 0; i < nc; i++)
        for (int k = base->f_start[i]; able[i] && k < base->f_start[i + 1]; k++) m->from[n++] = nc + k;
    for (int i = 0; i < nc; i++)
        if (able[i] && base->s_index[i] >= 0) m->from[n++] = nc + base->nf + base->s_index[i];
    for (int u = nc + base->nf + base->ns; u < base->n; u++) m->from[n++] = u;
    int physical = n;
    for (int g = 0; g < b->d->ngroup; g++) {
        m->group_c[g] = n;
        n += slacks ? 2 * b->d->group[g].count + 1 : b->d->group[g].count - 1;
    }
    b->first_s = n;
    if (m->form != PP_DISJUNCTION_PUSHING) {
        n += b->d->ngroup;
        for (int k = 0; k < m->npermit; k++)
            if (m->permit_group[k] >= 0) m->permit_slack[k] = n++;
    }
    for (int v = physical; v < n; v++) m->from[v] = -1;
    m->n = n;
    return true;
}

static void fill_physical(const build *b) {
    const pp_converted *base = &b->m->base;
    for (ptrdiff_t v = b->m->npermit; v < b->n; v++) {
        int r = b->m->from[v];
        if (r < 0) break;
        for (ptrdiff_t c = 0; c < b->n; c++)
            if (b->m->from[c] >= 0) b->M[v + b->n * c] = base->M[r + b->nb * b->m->from[c]];
        b->q[v] = base->q[r];
    }
}

/* Indices of the variables of group g in the form with slacks. */
static int slack_d(const pp_mixed *m, int g) { return m->group_c[g] + m->d->group[g].count; }
static int slack_g(const pp_mixed *m, int g, int k) { return slack_d(m, g) + 1 + k; }

static void fill_impulses(const build *b) {
    const pp_mixed *m = b->m;
    for (int k = 0; k < m->npermit; k++) {
        int i = m->permit_contact[k], g = m->permit_group[k], slack = m->permit_slack[k];
        if (g < 0) {
            add_gap(b, k, i, 1);
        } else if (m->form != PP_DISJUNCTION_PUSHING) {
            if (m->form == PP_DISJUNCTION_EXACT) {
                add_largest(b, k, g, b->d->group[g].count, 1);
            } else {
                b->M[k + b->n * slack_d(m, g)] += 1;
                b->q[k] += m->bound - m->gamma;
            }
            b->M[k + b->n * slack] += 1;
            add_gap(b, slack, i, 1);
            b->M[slack + b->n * slack] += 1;
        } else {
            add_largest(b, k, g, b->d->group[g].count, 2);
            add_gap(b, k, i, -1);
        }
    }
}

/* Rows of c, d, g and s of the form with slacks. */
static void fill_slacks(const build *b) {
    const pp_mixed *m = b->m;
    for (int g = 0; g < b->d->ngroup; g++) {
        const pp_group *group = &b->d->group[g];
        int d = slack_d(m, g), s = b->first_s + g;
        for (int k = 0; k < group->count; k++) {
            int c = m->group_c[g] + k, i = slack_g(m, g, k);
            b->M[c + b->n * c] += 1;
            add_gap(b, c, b->d->member[group->first + k], 1);
            b->q[c] -= m->bound;
            b->M[i + b->n * c] += 1;
            b->M[i + b->n * d] += 1;
            b->q[i] -= m->gamma;
            b->M[d + b->n * i] += 1;
        }
        b->q[d] -= 1;
        b->M[s + b->n * d] += 1;
        b->q[s] += m->bound - m->gamma;
    }
}

static void fill_groups(const build *b) {
    if (b->m->form == PP_DISJUNCTION_SLACKS) {
        fill_slacks(b);
        return;
    }
    for (int g = 0; g < b->d->ngroup; g++) {
        const pp_group *group = &b->d->group[g];
        for (int k = 1; k < group->count; k++) {
            int row = b->m->group_c[g] + k - 1;
            add_largest(b, row, g, k + 1, 1);
            add_gap(b, row, b->d->member[group->first + k], -1);
        }
        if (b->m->form == PP_DISJUNCTION_EXACT) add_largest(b, b->first_s + g, g, group->count, 1);
    }
}

perp_status pp_mixed_build(const perp_step_problem *p, const pp_disjunction *d, pp_disjunction_form form,
                           pp_arena *arena, pp_mixed *m) {
    *m = (pp_mixed){.d = d, .form = form};
    perp_status st = pp_convert(p, PERP_LCP, arena, &m->base);
    if (st) return st;
    build b = {.m = m, .d = d, .nb = m->base.n};
    for (int i = 0; i < d->ncontact; i++) m->bound = fmax(m->bound, fabs(m->base.q[i]));
    if (!(m->bound > 0)) m->bound = 1;
    m->gamma = d->gamma * m->bound;
    bool *able = pushers(d, arena);
    if (!able || !list_permits(m, able, arena) || !number(&b, able, arena)) return PERP_E_MEMORY;
    b.n = m->n;
    b.M = PP_ARENA_ZERO(arena, double, b.n *b.n);
    b.q = PP_ARENA_ZERO(arena, double, 3 * b.n);
    m->w = PP_ARENA_ARRAY(arena, double, m->base.n);
    if (!b.M || !b.q || !m->w) return PERP_E_MEMORY;
    double *zs = b.q + b.n, *ws = zs + b.n;
    for (ptrdiff_t v = 0; v < b.n; v++) {
        zs[v] = m->from[v] >= 0 ? m->base.z_scale[m->from[v]] : 1;
        ws[v] = m->from[v] >= 0 ? m->base.w_scale[m->from[v]] : 1;
    }
    fill_physical(&b);
    fill_impulses(&b);
    fill_groups(&b);
    m->problem = (perp_problem){.cls = PERP_LCP, .as.lcp = {m->n, b.M, b.q}, .z_scale = zs, .w_scale = ws};
    return PERP_OK;
}

perp_status pp_mixed_recover(const pp_mixed *m, const double *z, pp_arena *arena, perp_step_solution *out) {
    pp_arena_mark mark = pp_arena_here(arena);
    double *zb = PP_ARENA_ZERO(arena, double, m->base.n);
    if (!zb) return PERP_E_MEMORY;
    for (int v = 0; v < m->n; v++)
        if (m->from[v] >= 0) zb[m->from[v]] += z[v]; /* sum of the impulses of one contact */
    perp_status st = pp_recover(&m->base, zb, arena, out);
    pp_arena_release(arena, mark);
    return st;
}

/* Sets the c, d and g that belong to the gaps m->w. */
static void guess_slacks(const pp_mixed *m, double *z) {
    for (int g = 0; g < m->d->ngroup; g++) {
        const pp_group *group = &m->d->group[g];
        double least = INFINITY;
        int best = 0;
        for (int k = 0; k < group->count; k++) {
            double c = fmax(0, m->bound - m->w[m->d->member[group->first + k]]);
            z[m->group_c[g] + k] = c;
            if (c < least) least = c, best = k;
        }
        z[slack_d(m, g)] = fmax(0, m->gamma - least);
        z[slack_g(m, g, best)] = 1;
    }
}

void pp_mixed_guess(const pp_mixed *m, const double *zb, double *z) {
    const pp_converted *base = &m->base;
    ptrdiff_t nb = base->n;
    int nc = m->d->ncontact;
    for (int v = 0; v < m->n; v++) z[v] = 0;
    for (int i = 0; i < nc; i++) { /* gaps that belong to these impulses */
        double s = base->q[i];
        for (ptrdiff_t j = 0; j < nb; j++) s += base->M[i + nb * j] * zb[j];
        m->w[i] = s;
    }
    for (int v = m->npermit; v < m->n && m->from[v] >= 0; v++) z[v] = zb[m->from[v]];
    for (int k = m->npermit - 1; k >= 0; k--) { /* give the impulse to the first constraint that allows it */
        bool earlier = false;
        for (int e = 0; e < k && !earlier; e++) earlier = m->permit_contact[e] == m->permit_contact[k];
        if (!earlier) z[k] = zb[m->permit_contact[k]];
        double w = m->w[m->permit_contact[k]];
        if (m->permit_slack[k] >= 0 && w < 0) z[m->permit_slack[k]] = -w;
    }
    if (m->form == PP_DISJUNCTION_SLACKS) {
        guess_slacks(m, z);
        return;
    }
    for (int g = 0; g < m->d->ngroup; g++) {
        const pp_group *group = &m->d->group[g];
        double most = m->w[m->d->member[group->first]];
        for (int k = 1; k < group->count; k++) {
            double w = m->w[m->d->member[group->first + k]];
            if (w > most) {
                z[m->group_c[g] + k - 1] = w - most;
                most = w;
            }
        }
    }
}
