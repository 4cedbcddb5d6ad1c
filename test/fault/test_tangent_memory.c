/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_tangent_memory.c - tangents when memory is refused, and that they take none once warm
 * Method   Every allocation of a run with tangents is refused once, in turn. Whatever fails says PERP_E_MEMORY and leaves
 *          world and directions as they were; the same call again goes on as if nothing had happened; nothing leaks. */
#include "unit/world_help.h"

#include "fault/allocator.h"
#include "scenes.h"

enum { STEPS = 2 };

/* A box that slides, or spins as it slides: steps at the modes, and by differences. */
static scene make(perp_world_def d, bool spins) {
    scene s = scene_flat_slide(d, 2, 0.3);
    if (spins) OK(s.w, perp_body_set_velocity(s.w, s.body[1], perp_v3(2, 0.1, 0), perp_v3(0, 0, 2)));
    return s;
}

static perp_world_def def_with(counter *c) {
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.01;
    if (c) d.alloc = counting(c);
    return d;
}

/* Goes on until it succeeds; refused calls must say so. */
#define AGAIN(w, call)                                \
    for (perp_status st_; (st_ = (call)) != PERP_OK;) \
        if (st_ != PERP_E_MEMORY || refused++ > 0)    \
            fail_msg("refusal %ld: %s: %s", at, perp_status_name(st_), perp_world_why(w));

typedef struct result {
    uint64_t hash;
    perp_vec3 dp, dv;
} result;

static result go_with(scene *s, perp_tangent_method method, counter *c, long at) {
    int refused = 0;
    perp_tangent_def td = perp_tangent_def_default();
    td.directions = 2;
    td.method = method;
    perp_tangent *t;
    if (c) *c = (counter){.live = c->live, .refuse = at};
    AGAIN(s->w, perp_world_tangent(s->w, &td, &t));
    perp_parameter mu = {.kind = PERP_PARAMETER_MU, .material = {-1, -1}};
    AGAIN(s->w, perp_tangent_seed(t, s->w, 0, &mu, 1));
    OK(s->w, perp_tangent_set_velocity(t, 1, s->body[1], perp_v3(0, 1, 0), perp_v3(0, 0, 0)));
    for (int i = 0; i < STEPS; i++) AGAIN(s->w, perp_tangent_step(t, s->w, NULL));
    result r = {.hash = perp_world_hash(s->w)};
    OK(s->w, perp_tangent_pose(t, 0, s->body[1], &r.dp, NULL));
    OK(s->w, perp_tangent_velocity(t, 0, s->body[1], &r.dv, NULL));
    perp_tangent_free(t);
    return r;
}

static void refused(void **state) {
    (void)state;
    for (int spins = 0; spins < 2; spins++)
        for (int m = 0; m < 4; m++) {
            if (spins && m == PERP_TANGENT_MODES) continue; /* has no equations */
            scene s = make(def_with(NULL), spins);
            result good = go_with(&s, (perp_tangent_method)m, NULL, -1);
            scene_end(&s);
            bool any = true;
            for (long at = 0; any;
                 at += at < 60 ? 1 : 7) { /* copies of the world allocate much, and are tested by themselves */
                counter c = {.refuse = -1};
                s = make(def_with(&c), spins);
                result r = go_with(&s, (perp_tangent_method)m, &c, at);
                any = c.refused > 0;
                assert_true(r.hash == good.hash);
                /* runs that are broken off begin anew from the directions as they are: with other rounding */
                NEAR(perp_v3_norm(perp_v3_sub(r.dp, good.dp)), 0, m == PERP_TANGENT_RUNS ? 1e-8 : 0);
                NEAR(perp_v3_norm(perp_v3_sub(r.dv, good.dv)), 0, m == PERP_TANGENT_RUNS ? 1e-6 : 0);
                scene_end(&s);
                assert_int_equal(c.live, 0);
            }
        }
}

static void no_allocation(void **state) {
    (void)state;
    counter c = {.refuse = -1};
    scene s = make(def_with(&c), false);
    perp_tangent_def td = perp_tangent_def_default();
    td.method = PERP_TANGENT_MODES;
    perp_tangent *t;
    OK(s.w, perp_world_tangent(s.w, &td, &t));
    perp_parameter mu = {.kind = PERP_PARAMETER_MU, .material = {-1, -1}};
    OK(s.w, perp_tangent_seed(t, s.w, 0, &mu, 1));
    for (int i = 0; i < 10; i++) OK(s.w, perp_tangent_step(t, s.w, NULL));
    long before = c.calls;
    for (int i = 0; i < 30; i++) OK(s.w, perp_tangent_step(t, s.w, NULL));
    assert_int_equal(c.calls, before);
    perp_tangent_free(t);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(no_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
