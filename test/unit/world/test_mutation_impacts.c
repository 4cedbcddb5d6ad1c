/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Ways to break impacts on purpose, where they are met in their order (the default): each must be seen by some figure of the certificate
 * and turn the verdict, small (1e-3) as well as large, under every law of impact that knows what is broken. Without tampering the verdict
 * is good. See test_mutation.c for what can be broken in a step. */
#include "unit/mutation_help.h"
#include "thorough.h"

/* Bodies by their slots, in the order of the scene. */
enum { FLOOR, BALL, ROLLER, FIRST, MIDDLE, LAST, RESTING };
static const char yard[] = "perp: 1\n"
                           "dim: 2\n"
                           "h: 0.005\n"
                           "stages: {max_halvings: 1, impacts: %s, stepper: %s}\n"
                           "duration: 1\n"
                           "materials: [smooth, rough, elastic]\n"
                           "law: {mu: 0.4}\n"
                           "laws:\n"
                           "  - {pair: [smooth, default], restitution: 0.6}\n"
                           "  - {pair: [rough, default], mu: 0.2, restitution: 0.5}\n"
                           "  - {pair: [elastic, elastic], restitution: 1}\n"
                           "bodies:\n"
                           "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 1]}}\n"
                           "  - {name: ball, at: [0, 0.4], density: 100, material: smooth,\n"
                           "     shape: {type: sphere, radius: 0.1}}\n"
                           "  - {name: roller, at: [2, 0.5], velocity: [3, 0], density: 100, material: rough,\n"
                           "     shape: {type: sphere, radius: 0.1}}\n"
                           "  - {name: first, at: [-5.43, 5], velocity: [1, 0], density: 100, gravity: false,\n"
                           "     material: elastic, shape: {type: sphere, radius: 0.1}}\n"
                           "  - {name: middle, at: [-5, 5], density: 200, gravity: false, material: elastic,\n"
                           "     shape: {type: sphere, radius: 0.1}}\n"
                           "  - {name: last, at: [-4.8, 5], density: 100, gravity: false, material: elastic,\n"
                           "     shape: {type: sphere, radius: 0.1}}\n"
                           "  - {name: resting, at: [-2, 0.1], density: 100, shape: {type: box, size: [0.4, 0.2]}}\n";

typedef struct sabotage {
    int kind;
    double size;
    bool done; /* it found what to break */
} sabotage;

/* Contact of a body that is struck in this frame, or -1. */
static int struck(pp_frame *f, int body) {
    int i = contact_of(f, body);
    return i >= 0 && *impulse(f, i, 0) > 0 ? i : -1;
}

/* ---- the breaks; each tells whether it could act ---- */

static bool rebound_by(pp_frame *f, int body, double factor) {
    int i = contact_of(f, body);
    if (i < 0) return false;
    perp_contact_row *r = own_contact(f, i);
    if (r->b_n == r->b_n_kin) return false;
    r->b_n = r->b_n_kin + factor * (r->b_n - r->b_n_kin);
    return true;
}
static bool rebound_lost(pp_frame *f, double e) { return rebound_by(f, BALL, 1 - e); }
static bool rebound_strong(pp_frame *f, double e) { return rebound_by(f, BALL, 1 + e); }
static bool chain_lost(pp_frame *f, double e) { return rebound_by(f, FIRST, 1 - e); }
static bool chain_strong(pp_frame *f, double e) { return rebound_by(f, FIRST, 1 + e); }

static bool scaled(pp_frame *f, int body, double factor, bool told, bool felt) {
    int i = struck(f, body);
    if (i < 0) return false;
    double p = *impulse(f, i, 0);
    if (felt) push(f, &f->pose.problem.contact[i].n, (factor - 1) * p);
    if (told) *impulse(f, i, 0) = factor * p;
    return true;
}
static bool impulse_wrong(pp_frame *f, double e) { return scaled(f, BALL, 1 + e, true, true); }
static bool impulse_weak(pp_frame *f, double e) { return scaled(f, ROLLER, 1 - e, true, true); }
static bool impulse_untold(pp_frame *f, double e) { return scaled(f, BALL, 1 + e, false, true); }
static bool impulse_unfelt(pp_frame *f, double e) { return scaled(f, BALL, 1 + e, true, false); }
static bool chain_wrong(pp_frame *f, double e) { return scaled(f, LAST, 1 - e, true, true); }
static bool pulls(pp_frame *f, double e) { return scaled(f, BALL, -e, true, true); }
static bool skipped(pp_frame *f, double e) {
    (void)e;
    return scaled(f, BALL, 0, true, true);
}
static bool twice(pp_frame *f, double e) {
    (void)e;
    return scaled(f, ROLLER, 2, true, true);
}
static bool twice_untold(pp_frame *f, double e) {
    (void)e;
    return scaled(f, FIRST, 2, false, true);
}
static bool velocity_wrong(pp_frame *f, double e) {
    if (struck(f, BALL) < 0) return false;
    velocity_of(f, BALL)[1] *= 1 + e;
    return true;
}
static bool spin_wrong(pp_frame *f, double e) {
    if (struck(f, ROLLER) < 0) return false;
    velocity_of(f, ROLLER)[2] *= 1 + e;
    return true;
}
static bool bystander(pp_frame *f, double e) { /* momentum of two bodies, so that their sum stays */
    if (struck(f, FIRST) < 0) return false;
    velocity_of(f, MIDDLE)[1] += e / 2;
    velocity_of(f, FIRST)[1] -= e;
    return true;
}
static bool friction_by(pp_frame *f, double factor) {
    int i = struck(f, ROLLER);
    if (i < 0 || *impulse(f, i, 1) == 0) return false;
    push(f, &f->pose.problem.contact[i].t, (factor - 1) * *impulse(f, i, 1));
    *impulse(f, i, 1) *= factor;
    return true;
}
static bool friction_reversed(pp_frame *f, double e) { return friction_by(f, 1 - 2 * e); }
static bool friction_beyond(pp_frame *f, double e) { return friction_by(f, 1 + e); }
static bool looked(pp_frame *f, int body, double restitution, double mu, double restitution_t) {
    int i = contact_of(f, body);
    if (i < 0) return false;
    f->contacts.at[i].restitution *= restitution;
    f->contacts.at[i].mu *= mu;
    f->contacts.at[i].restitution_t += restitution_t;
    return true;
}
static bool other_restitution(pp_frame *f, double e) { return looked(f, BALL, 1 - e, 1, 0); }
static bool more_restitution(pp_frame *f, double e) { return looked(f, ROLLER, 1 + e, 1, 0); }
static bool less_friction(pp_frame *f, double e) { return looked(f, ROLLER, 1, 1 - e, 0); }
static bool more_friction(pp_frame *f, double e) { return looked(f, ROLLER, 1, 1 + e, 0); }
static bool sideways(pp_frame *f, double e) { return looked(f, ROLLER, 1, 1, e); }
static bool overlooked(pp_frame *f, double e) {
    (void)e;
    bool found = contact_of(f, BALL) >= 0;
    if (found) f->contacts.n = 0;
    return found;
}
static bool shifted(pp_frame *f, double e) { /* moved in time by more than the time */
    if (f->control.block[BALL] < 0) return false;
    perp_vec3 *v = &f->s1->v[BALL], v0 = f->s0->v[BALL];
    *v = perp_v3_axpy(*v, e, perp_v3_sub(*v, v0));
    return true;
}
static bool flight_light(pp_frame *f, double e) {
    if (f->purpose != PP_STEP || f->control.block[BALL] < 0) return false;
    int at = f->control.block_offset[f->control.block[BALL]] + 1;
    f->control.momentum[at] -= e * f->control.i_gravity[at];
    f->control.i_gravity[at] *= 1 - e;
    return true;
}
static bool flight_moved(pp_frame *f, double e) {
    if (f->purpose != PP_STEP || f->control.block[BALL] < 0 || f->h > 0.0049) return false; /* parts of steps alone */
    f->s1->X[BALL].p.x += 0.2 * e * f->h;
    return true;
}

enum { PHASES = 1, OWN = 2 }; /* not for: a law of phases with friction; steppers that step by themselves */
typedef struct way {
    const char *name;
    pp_tamper_at at;
    bool (*act)(pp_frame *f, double size);
    int not_for;
} way;
static const way ways[] = {
    {"a rebound lost in an impact", PP_REFLECTED, rebound_lost, PHASES},
    {"a rebound too strong", PP_REFLECTED, rebound_strong, PHASES},
    {"a rebound lost in a chain", PP_REFLECTED, chain_lost, PHASES},
    {"a rebound too strong in a chain", PP_REFLECTED, chain_strong, PHASES},
    {"a wrong impulse", PP_STRUCK, impulse_wrong, 0},
    {"a weak impulse with friction", PP_STRUCK, impulse_weak, PHASES},
    {"an impulse that is not told", PP_STRUCK, impulse_untold, 0},
    {"an impulse that is not felt", PP_STRUCK, impulse_unfelt, 0},
    {"a wrong impulse in a chain", PP_STRUCK, chain_wrong, 0},
    {"an impact that pulls", PP_STRUCK, pulls, 0},
    {"an impact skipped", PP_STRUCK, skipped, 0},
    {"an impact applied twice", PP_STRUCK, twice, 0},
    {"an impact applied twice, told once", PP_STRUCK, twice_untold, 0},
    {"a wrong velocity after an impact", PP_STRUCK, velocity_wrong, 0},
    {"a wrong spin after an impact", PP_STRUCK, spin_wrong, 0},
    {"momentum across, of two bodies in opposite ways", PP_STRUCK, bystander, 0},
    {"friction reversed in an impact", PP_STRUCK, friction_reversed, PHASES},
    {"friction beyond its cone in an impact", PP_STRUCK, friction_beyond, 0},
    {"less restitution than the pair has", PP_LOOKED, other_restitution, 0},
    {"more restitution than the pair has", PP_LOOKED, more_restitution, PHASES},
    {"less friction than the pair has", PP_LOOKED, less_friction, PHASES},
    {"more friction than the pair has", PP_LOOKED, more_friction, 0},
    {"tangential restitution that the pair has not", PP_LOOKED, sideways, PHASES},
    {"a contact overlooked", PP_LOOKED, overlooked, 0},
    {"velocities moved too far in time", PP_SHIFTED, shifted, OWN},
    {"gravity left out between impacts", PP_CONTROLLED, flight_light, OWN},
    {"a body moved between impacts", PP_MOVED, flight_moved, OWN},
};
enum { WAYS = (int)(sizeof ways / sizeof *ways), STEPS = 130 };

static void tamper(pp_frame *f, int at, void *ctx) {
    sabotage *s = ctx;
    if ((pp_tamper_at)at == ways[s->kind].at) s->done |= ways[s->kind].act(f, s->size);
}

/* ---- runs ---- */

typedef struct setting {
    const char *impacts, *stepper;
    int kind;
} setting;
static const setting settings[] = {
    {"sequence", "stewart-trinkle", 0},     {"newton", "stewart-trinkle", 0},  {"poisson", "stewart-trinkle", PHASES},
    {"stronge", "stewart-trinkle", PHASES}, {"sequence", "second-order", OWN},
};
enum { SETTINGS = (int)(sizeof settings / sizeof *settings) };

/* Runs the world; s NULL: untouched. */
static bool run_world(const setting *as, sabotage *s, simulate_result *r) {
    char text[sizeof yard + 64];
    snprintf(text, sizeof text, yard, as->impacts, as->stepper);
    return run_scene(scene_of("yard.yaml", text), s ? tamper : NULL, s, STEPS, 0.2, r);
}

static void untouched_is_good(void **state) {
    (void)state;
    static simulate_result r;
    for (int k = 0; k < SETTINGS; k++) {
        verdict v;
        assert_true(run_world(&settings[k], NULL, &r));
        judge(&r, &v);
        if (strcmp(v.word, "good") != 0)
            fail_msg("%s, %s: laws %s; overlap %s; energy %s; creep %s", settings[k].impacts, settings[k].stepper,
                     v.laws, v.overlap, v.energy, v.creep);
    }
}

static void every_break_is_seen(void **state) {
    (void)state;
    static simulate_result r;
    int missed = 0;
    for (int k = 0; k < SETTINGS; k++)
        for (int i = 0; i < 2 * WAYS; i++) {
            const way *x = &ways[i / 2];
            sabotage s = {.kind = i / 2, .size = i % 2 ? 1e-3 : 0.3};
            if (x->not_for & settings[k].kind) continue;
            if (i % 2 == 0 && k > 0 && !thorough()) continue; /* large ones: with one law of impact */
            verdict v;
            bool solved = run_world(&settings[k], &s, &r);
            judge(&r, &v);
            bool seen = s.done && (!solved || strcmp(v.word, "good") != 0);
            if (!seen)
                print_error("%s, %s: %s, %g: %s\n", settings[k].impacts, settings[k].stepper, x->name, s.size,
                            s.done ? "not seen" : "nothing to break");
            else
                print_message("%-8s %-48s %-5g %s: laws %s, overlap %s, energy %s\n", settings[k].impacts, x->name,
                              s.size, solved ? v.word : "not solved", v.laws_word, v.overlap_word, v.energy_word);
            missed += !seen;
        }
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(untouched_is_good), cmocka_unit_test(every_break_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
