/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* judge.c - the verdict on a run: ratings of the figures of its certificate.
 *
 * Each figure is compared with two limits: up to the first it is good, up to the second fair, above poor. NaN is poor.
 * The limits are in viewer/src/data/verdict_limits.json, because the viewer uses them too. The figures:
 *
 *   laws         largest residual of any step, as a part of the speeds in that step. A step must reach 1e-8 to be accepted,
 *                unless the scene sets another tolerance: this is the limit of good.
 *   overlap      deepest penetration, as a part of the smallest body. A hundredth of a body can be seen: the limit of fair.
 *   joints       largest error, as a part of the smallest body
 *   energy       what the energy account leaves unexplained, as a part of the largest energy. The limit of good leaves room
 *                for the rounding errors of a million steps.
 *   energy_loss  the largest error of time integration; energy that contacts added; energy that rebounds lost beyond their
 *                restitution. Each as a part of the largest energy.
 *   creep        how far sticking contacts moved along the surface, as a part of the smallest body
 *   twist        error of the angular momentum of an island without obstacles and driven bodies, in a part of a step, as a fraction
 *                of the island's own
 *
 * The largest energy is the maximum of three: the largest kinetic energy, the range of the potential energy, and the energy
 * of one step of fall. */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "verdict_limits.h"

static const char *const words[] = {"good", "fair", "poor"};

typedef struct limits {
    double good, fair; /* the largest figures that are so */
} limits;
static const limits of_laws = VERDICT_LAWS, of_overlap = VERDICT_OVERLAP, of_joints = VERDICT_JOINTS,
                    of_energy = VERDICT_ENERGY, of_energy_loss = VERDICT_ENERGY_LOSS, of_creep = VERDICT_CREEP,
                    of_twist = VERDICT_TWIST;

/* Index of words. */
static int grade(double x, limits l) { return x <= l.good ? 0 : x <= l.fair ? 1 : 2; }

static void judge_laws(const simulate_result *r, verdict *out) {
    int g = grade(r->law, of_laws);
    out->laws_word = words[g];
    if (r->law == 0)
        snprintf(out->laws, sizeof out->laws, "hold exactly");
    else
        snprintf(out->laws, sizeof out->laws, "largest residual %.2g of the speeds, at t = %.6g", r->law, r->law_t);
}

/* A length with what it is compared with; no size: with 1. */
static void compare(const simulate_result *r, double x, char *out, size_t size) {
    if (r->size > 0)
        snprintf(out, size, "%.2g, which is %.2g of the smallest body (%.3g)", x, x / r->size, r->size);
    else
        snprintf(out, size, "%.2g (no body has a size to compare with)", x);
}

static void judge_overlap(const simulate_result *r, verdict *out) {
    double x = r->total.overlap;
    out->overlap_word = words[grade(x / (r->size > 0 ? r->size : 1), of_overlap)];
    char figure[96], who[112] = "", a[40], b[40], soft[64] = "";
    if (r->total.compression > 0) /* compression that a compliance law explains is not counted as penetration */
        snprintf(soft, sizeof soft, "; compliant contacts are compressed by up to %.3g", r->total.compression);
    if (x == 0) {
        snprintf(out->overlap, sizeof out->overlap, "none%s", soft);
        return;
    }
    compare(r, x, figure, sizeof figure);
    const char *driven = " (driven)"; /* a driven body does not yield to contact forces */
    if (*r->overlap_names[0])
        snprintf(who, sizeof who, ": %s%s and %s%s", cli_printable(a, sizeof a, r->overlap_names[0]),
                 r->overlap_driven[0] ? driven : "", cli_printable(b, sizeof b, r->overlap_names[1]),
                 r->overlap_driven[1] ? driven : "");
    snprintf(out->overlap, sizeof out->overlap, "deepest %s, at t = %.6g%s%s", figure, r->overlap_t, who, soft);
}

static void judge_joints(const simulate_result *r, verdict *out) {
    double x = r->total.joint_error;
    out->joints_word = words[grade(x / (r->size > 0 ? r->size : 1), of_joints)];
    if (r->joints == 0) {
        snprintf(out->joints, sizeof out->joints, "the scene has none");
    } else if (x == 0) {
        snprintf(out->joints, sizeof out->joints, "hold exactly");
    } else {
        char figure[96];
        compare(r, x, figure, sizeof figure);
        snprintf(out->joints, sizeof out->joints, "largest error %s, at t = %.6g", figure, r->joint_t);
    }
    size_t n = strlen(out->joints);
    if (r->total.ledger.start < 0 && grade(-r->total.ledger.start / r->total.extent.kinetic, of_energy) > 0)
        snprintf(out->joints + n, sizeof out->joints - n, "; they took %.2g of energy from given velocities",
                 -r->total.ledger.start);
}

/* Figures of the energy account, the first that is worst counts. */
static void judge_energy(const simulate_result *r, verdict *out) {
    const perp_certificate *c = &r->total;
    const perp_energy_extent *e = &c->extent;
    double most = fmax(fmax(e->kinetic, e->high - e->low), e->fall), ref = most > 0 ? most : 1;
    double figure[] = {fabs(c->ledger.remainder) / ref, e->drift / ref, c->gain / ref, c->rebound_lost / ref};
    int worst = 0, g = grade(figure[0], of_energy);
    for (int i = 1; i < 4; i++)
        if (grade(figure[i], of_energy_loss) > g) worst = i, g = grade(figure[i], of_energy_loss);
    out->energy_word = words[g];
    char who[112] = "", a[40], b[40];
    if (*r->gain_names[0])
        snprintf(who, sizeof who, "; most at t = %.6g, %s and %s", r->gain_t,
                 cli_printable(a, sizeof a, r->gain_names[0]), cli_printable(b, sizeof b, r->gain_names[1]));
    if (g == 0 && figure[0] == 0)
        snprintf(out->energy, sizeof out->energy,
                 "the account closes exactly; time integration errs by %.2g of the largest energy", figure[1]);
    else if (g == 0)
        snprintf(out->energy, sizeof out->energy,
                 "the account closes to %.2g of the largest energy; time integration errs by %.2g of it", figure[0],
                 figure[1]);
    else if (worst == 0)
        snprintf(out->energy, sizeof out->energy,
                 "the account leaves %.2g unexplained, which is %.2g of the largest energy", c->ledger.remainder,
                 figure[0]);
    else if (worst == 1)
        snprintf(out->energy, sizeof out->energy,
                 "time integration errs by %.2g, which is %.2g of the largest energy, at t = %.6g; try a smaller h",
                 e->drift, figure[1], e->drift_t);
    else if (worst == 2)
        snprintf(out->energy, sizeof out->energy, "contacts added %.2g, which is %.2g of the largest energy%s", c->gain,
                 figure[2], who);
    else
        snprintf(out->energy, sizeof out->energy,
                 "impacts lost %.2g more than their restitution explains, which is %.2g of the largest energy",
                 c->rebound_lost, figure[3]);
}

static void judge_creep(const simulate_result *r, verdict *out) {
    double x = r->total.creep;
    out->creep_word = words[grade(x / (r->size > 0 ? r->size : 1), of_creep)];
    if (x == 0) {
        snprintf(out->creep, sizeof out->creep, "sticking contacts did not move");
        return;
    }
    char figure[96];
    compare(r, x, figure, sizeof figure);
    snprintf(out->creep, sizeof out->creep, "sticking contacts moved by at most %s", figure);
}

static void judge_twist(const simulate_result *r, verdict *out) {
    double x = r->total.twist;
    out->twist_word = words[grade(x, of_twist)];
    if (x == 0)
        snprintf(out->twist, sizeof out->twist, "free bodies keep their angular momentum");
    else
        snprintf(out->twist, sizeof out->twist,
                 "the angular momentum of free bodies changed by up to %.2g of itself in a step", x);
}

void judge(const simulate_result *r, verdict *out) {
    memset(out, 0, sizeof *out);
    judge_laws(r, out);
    judge_overlap(r, out);
    judge_joints(r, out);
    judge_energy(r, out);
    judge_creep(r, out);
    judge_twist(r, out);
    const char *const part[] = {out->laws_word,   out->overlap_word, out->joints_word,
                                out->energy_word, out->creep_word,   out->twist_word};
    int worst = 0;
    for (int i = 0; i < 6; i++)
        for (int k = worst + 1; k < 3; k++)
            if (part[i] == words[k]) worst = k;
    out->word = words[worst];
}
