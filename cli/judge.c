/* judge.c - the certificate of a run in plain words.
 *
 *              good        fair       poor
 *   laws       <= 1e-8     <= 1e-4    above    largest residual of any step, as a part of the speeds in that step
 *   overlap    <= 1e-6     <= 1e-2    above    deepest, as a part of the smallest body
 *   joints     <= 1e-6     <= 1e-2    above    largest error, as a part of the smallest body
 *   energy     <= 1e-9     <= 1e-6    above    what the account leaves open, as a part of the largest energy in it
 *
 * 1e-8 is what a step must reach to be taken unless the scene asks otherwise; a hundredth of a body can be seen; 1e-9
 * leaves room for the rounding of a million steps. NaN is poor. */
#include <math.h>
#include <string.h>

#include "cli.h"

static const char *const words[] = {"good", "fair", "poor"};

static int grade(double x, double good, double fair) { return x <= good ? 0 : x <= fair ? 1 : 2; }

static void judge_laws(const simulate_result *r, verdict *out) {
    int g = grade(r->law, 1e-8, 1e-4);
    out->laws_word = words[g];
    if (r->law == 0)
        snprintf(out->laws, sizeof out->laws, "hold exactly");
    else
        snprintf(out->laws, sizeof out->laws, "hold to %.2g of the speeds; worst at t = %.6g", r->law, r->law_t);
}

/* A length with what it is compared with; no size: with 1. */
static void compare(const simulate_result *r, double x, char *out, size_t size) {
    if (r->size > 0)
        snprintf(out, size, "%.2g, %.2g of the smallest body (%.3g)", x, x / r->size, r->size);
    else
        snprintf(out, size, "%.2g (nothing here has a size to compare it with)", x);
}

static void judge_overlap(const simulate_result *r, verdict *out) {
    double x = r->total.overlap;
    out->overlap_word = words[grade(x / (r->size > 0 ? r->size : 1), 1e-6, 1e-2)];
    char figure[96], who[112] = "", a[40], b[40], soft[64] = "";
    if (r->total.compression > 0) /* what a law explains is no fault */
        snprintf(soft, sizeof soft, "; surfaces that give way: by up to %.3g", r->total.compression);
    if (x == 0) {
        snprintf(out->overlap, sizeof out->overlap, "none%s", soft);
        return;
    }
    compare(r, x, figure, sizeof figure);
    const char *driven = " (driven)"; /* it does not give way, whatever is in its way */
    if (*r->overlap_names[0])
        snprintf(who, sizeof who, ", %s%s and %s%s", cli_printable(a, sizeof a, r->overlap_names[0]),
                 r->overlap_driven[0] ? driven : "", cli_printable(b, sizeof b, r->overlap_names[1]),
                 r->overlap_driven[1] ? driven : "");
    snprintf(out->overlap, sizeof out->overlap, "deepest %s; at t = %.6g%s%s", figure, r->overlap_t, who, soft);
}

static void judge_joints(const simulate_result *r, verdict *out) {
    double x = r->total.joint_error;
    out->joints_word = words[grade(x / (r->size > 0 ? r->size : 1), 1e-6, 1e-2)];
    if (r->joints == 0) {
        snprintf(out->joints, sizeof out->joints, "there are none");
    } else if (x == 0) {
        snprintf(out->joints, sizeof out->joints, "hold exactly");
    } else {
        char figure[96];
        compare(r, x, figure, sizeof figure);
        snprintf(out->joints, sizeof out->joints, "part by %s; at t = %.6g", figure, r->joint_t);
    }
}

static void judge_energy(const simulate_result *r, verdict *out) {
    const perp_ledger *l = &r->total.ledger;
    double most = fmax(fmax(fabs(l->kinetic_before), fabs(l->kinetic_after)), r->kinetic_most);
    for (int i = 0; summary_ledger(i); i++)
        most = fmax(most, fabs(*(const double *)(const void *)((const char *)l + summary_ledger(i)->offset)));
    double part = l->remainder == 0 ? 0 : fabs(l->remainder) / most;
    out->energy_word = words[grade(part, 1e-9, 1e-6)];
    if (part == 0)
        snprintf(out->energy, sizeof out->energy, "the account closes exactly");
    else if (part <= 1e-9)
        snprintf(out->energy, sizeof out->energy, "the account closes to rounding, %.2g of the largest energy", part);
    else
        snprintf(out->energy, sizeof out->energy, "the account leaves %.2g open, %.2g of the largest energy",
                 l->remainder, part);
}

void judge(const simulate_result *r, verdict *out) {
    memset(out, 0, sizeof *out);
    judge_laws(r, out);
    judge_overlap(r, out);
    judge_joints(r, out);
    judge_energy(r, out);
    const char *const part[] = {out->laws_word, out->overlap_word, out->joints_word, out->energy_word};
    int worst = 0;
    for (int i = 0; i < 4; i++)
        for (int k = worst + 1; k < 3; k++)
            if (part[i] == words[k]) worst = k;
    out->word = words[worst];
}
