/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* choose.c - the definition of a world: its defaults, its checks, and the stages that its names stand for
 *
 * Choices that the user leaves open follow from those that are given: the form follows from dimension, stepper, contact model and
 * solvers; the solvers follow from the form. Stages that do not fit together are refused here, before the first step. */
#include <stdio.h>
#include <string.h>

#include "base/refuse.h"
#include "stage/contact_model.h"
#include "stage/stepper.h"
#include "world/lifetime.h"

/* Default solver (if the form is not cone) and default fallbacks. */
static const char default_solver[] = "lemke";
static const char *const default_fallback[] = {"pgs", "enumerate"};
enum { DIRECTIONS = 8 }; /* default number of directions of a pyramid */
/* Largest number of unknowns for which `enumerate` tries all bases as the last fallback, unless settings say otherwise: a few
 * milliseconds. A step without a solution calls it in each of its parts; with 20 unknowns this would take minutes. */
#define FEW_UNKNOWNS 12

perp_world_def perp_world_def_default(int dim) {
    return (perp_world_def){.dim = dim,
                            .gravity_W = dim == 2 ? perp_v3(0, -9.81, 0) : perp_v3(0, 0, -9.81),
                            .press = 9.81,
                            .h = 1e-3,
                            .start = PERP_START_AUTO,
                            .detector = "plain",
                            .contact_model = "peg",
                            .stepper = "stewart-trinkle",
                            .form = PERP_FORM_AUTO,
                            .friction_frame = PERP_FRICTION_SLIP,
                            .tolerance = 1e-8,
                            .max_halvings = 8,
                            .work_limit = 2.5e9,
                            .warm_start = true,
                            .correction_position = 1e-10,
                            .correction_velocity = 1e-10,
                            .cookie = PP_COOKIE_WORLD};
}

perp_status pp_check_world_def(const perp_world_def *d, char *why, size_t n) {
    if (d->cookie != PP_COOKIE_WORLD)
        return pp_refuse(why, n, PERP_E_ARG, "the definition was not made by perp_world_def_default()");
    if (d->dim != 2 && d->dim != 3) return pp_refuse(why, n, PERP_E_ARG, "dim is %d; it must be 2 or 3", d->dim);
    if (!perp_v3_finite(d->gravity_W)) return pp_refuse(why, n, PERP_E_ARG, "gravity_W is not finite");
    if (d->dim == 2 && d->gravity_W.z != 0)
        return pp_refuse(why, n, PERP_E_ARG, "gravity_W.z is %g; it must be 0 in 2D", d->gravity_W.z);
    if (!(d->press >= 0) || !isfinite(d->press))
        return pp_refuse(why, n, PERP_E_ARG, "press is %g; it must be finite and not negative", d->press);
    if (!(d->h > 0) || !isfinite(d->h))
        return pp_refuse(why, n, PERP_E_ARG, "h is %g; it must be positive and finite", d->h);
    if (d->start != PERP_START_PLAIN && d->start != PERP_START_STAGGERED && d->start != PERP_START_AUTO)
        return pp_refuse(why, n, PERP_E_ARG, "start is %d; it must be plain, staggered or auto", (int)d->start);
    if (d->form != PERP_FORM_LCP && d->form != PERP_FORM_MLCP && d->form != PERP_FORM_CONE && d->form != PERP_FORM_AUTO)
        return pp_refuse(why, n, PERP_E_ARG, "form is %d; it must be LCP, MLCP, cone or auto", (int)d->form);
    if (d->friction_frame != PERP_FRICTION_SLIP && d->friction_frame != PERP_FRICTION_FIXED)
        return pp_refuse(why, n, PERP_E_ARG, "friction_frame is %d; it must be slip or fixed", (int)d->friction_frame);
    if (d->geometry != PERP_GEOMETRY_ITERATED && d->geometry != PERP_GEOMETRY_ONCE && d->geometry != PERP_GEOMETRY_END)
        return pp_refuse(why, n, PERP_E_ARG, "geometry is %d; it must be iterated, once or end", (int)d->geometry);
    if (d->geometry == PERP_GEOMETRY_END && d->start == PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_FIT,
                         "geometry end does not go with a staggered start: its velocities belong to the ends of steps");
    if (d->driven != PERP_DRIVEN_MEAN && d->driven != PERP_DRIVEN_END)
        return pp_refuse(why, n, PERP_E_ARG, "driven is %d; it must be mean or end", (int)d->driven);
    if (d->impacts != PERP_IMPACTS_SEQUENCE && d->impacts != PERP_IMPACTS_NEWTON &&
        d->impacts != PERP_IMPACTS_POISSON && d->impacts != PERP_IMPACTS_STRONGE && d->impacts != PERP_IMPACTS_PLAIN)
        return pp_refuse(why, n, PERP_E_ARG, "impacts is %d; it must be sequence, newton, poisson, stronge or plain",
                         (int)d->impacts);
    if (d->friction_directions && (d->friction_directions < 3 || d->friction_directions > 1024))
        return pp_refuse(why, n, PERP_E_ARG, "friction_directions is %d; it must be 3 to 1024, or 0 for the default",
                         d->friction_directions);
    if (!(d->tolerance > 0) || !(d->tolerance < 1))
        return pp_refuse(why, n, PERP_E_ARG, "tolerance is %g; it must lie between 0 and 1", d->tolerance);
    if (!(d->error_tolerance >= 0) || !isfinite(d->error_tolerance))
        return pp_refuse(why, n, PERP_E_ARG, "error_tolerance is %g; it must be finite and not negative",
                         d->error_tolerance);
    if (d->error_tolerance > 0 && d->start == PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_FIT,
                         "error_tolerance does not go with a staggered start: its velocities lie half a step back, "
                         "whatever a part is long");
    if (d->max_halvings < 0 || d->max_halvings > 16)
        return pp_refuse(why, n, PERP_E_ARG, "max_halvings is %d; it must be 0 to 16", d->max_halvings);
    if (!(d->work_limit >= 0))
        return pp_refuse(why, n, PERP_E_ARG, "work_limit is %g; it must not be negative", d->work_limit);
    if (!(d->time_limit >= 0))
        return pp_refuse(why, n, PERP_E_ARG, "time_limit is %g; it must not be negative", d->time_limit);
    if (!(d->correction_position > 0) || !(d->correction_velocity > 0) || !isfinite(d->correction_position) ||
        !isfinite(d->correction_velocity))
        return pp_refuse(why, n, PERP_E_ARG, "correction_position and correction_velocity must be positive and finite");
    for (int i = 1; i < PERP_FALLBACK_MAX; i++)
        if (d->fallback[i] && !d->fallback[i - 1])
            return pp_refuse(why, n, PERP_E_ARG,
                             "fallback[%d] is \"%s\", but fallback[%d] is NULL, which ends the list", i, d->fallback[i],
                             i - 1);
    if (d->no_fallback && d->fallback[0])
        return pp_refuse(why, n, PERP_E_ARG, "no_fallback is true, but fallback[0] is \"%s\"; it must be NULL then",
                         d->fallback[0]);
    if (!d->alloc.alloc != !d->alloc.free)
        return pp_refuse(why, n, PERP_E_ARG, "the allocator has one function without the other");
    return PERP_OK;
}

static perp_class class_of(perp_form form) {
    return form == PERP_FORM_LCP ? PERP_LCP : form == PERP_FORM_MLCP ? PERP_MLCP : PERP_CONE;
}

static const char *form_name(perp_form form) {
    return form == PERP_FORM_LCP ? "lcp" : form == PERP_FORM_MLCP ? "mlcp" : "cone";
}

/* Refuses a solver that does not support the class of the stepper's problem, with the names of those that do. */
static perp_status refuse_solver(const perp_solver_type *s, perp_class cls, const char *stepper, char *why, size_t n) {
    const char *what = cls == PERP_LCP ? "LCP" : cls == PERP_MLCP ? "mixed LCP" : "true friction cones";
    char able[160] = "";
    size_t used = 0;
    for (int i = 0; i < perp_solver_count() && used < sizeof able; i++) {
        const perp_solver_type *other = perp_solver_at(i);
        if (!(other->takes & (unsigned)cls)) continue;
        int wrote = snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", other->name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return pp_refuse(why, n, PERP_E_FIT, "solver %s does not take the %s that stepper %s makes; these do: %s", s->name,
                     what, stepper, able[0] ? able : "none");
}

/* The solver and its fallbacks, in order, with defaults that depend on the form. @return how many */
static int solver_names(const perp_world_def *d, const char *out[1 + PERP_FALLBACK_MAX]) {
    bool cone = d->form == PERP_FORM_CONE;
    int n = 0;
    out[n++] = d->solver ? d->solver : cone ? "auto" : default_solver;
    for (int i = 0; i < PERP_FALLBACK_MAX && d->fallback[i]; i++) out[n++] = d->fallback[i];
    if (d->fallback[0] || d->no_fallback || cone) return n; /* with cones, "auto" has fallbacks of its own */
    out[n++] = default_fallback[0];
    out[n++] = default_fallback[1];
    if (d->dim == 2 && !d->solver) out[n++] = "auto"; /* for large islands, see stage/solve/solver_chain.c */
    return n;
}

/* Whether all solvers that the user named support cones. */
static bool named_take_cones(perp_world_def d) {
    const char *name[1 + PERP_FALLBACK_MAX];
    d.form = PERP_FORM_CONE;
    for (int i = solver_names(&d, name) - 1; i >= 0; i--) {
        const perp_solver_type *s = perp_solver_find(name[i]);
        if (s && !(s->takes & PERP_CONE)) return false;
    }
    return true;
}

/* Chooses the form if the user leaves it open. In 3D, and in 2D with steppers that have supports (whose friction has two tangents),
 * it is the true cone, unless the user named a stage that works with pyramids only. Otherwise in 2D it is the LCP: cones and
 * pyramids are the same there, and pivoting is exact. */
static void choose_form(perp_world *w) {
    perp_world_def *d = &w->def;
    const pp_stepper_type *s = pp_stepper_find(d->stepper);
    const pp_contact_model_type *m = pp_model_find(d->contact_model);
    if (d->form == PERP_FORM_AUTO) {
        bool pyramids = (d->dim == 2 && !(s && s->supports)) || d->friction_directions ||
                        d->friction_frame != PERP_FRICTION_SLIP || (m && (m->pyramids || m->pyramids_only)) ||
                        (s && !(s->makes & PERP_CONE)) || !named_take_cones(*d);
        d->form = !pyramids ? PERP_FORM_CONE : s && !(s->makes & PERP_LCP) ? PERP_FORM_MLCP : PERP_FORM_LCP;
    }
    if (!d->friction_directions) d->friction_directions = DIRECTIONS;
}

/* Chooses the start if the user leaves it open: staggered, if the stepper applies its kick at the start pose and then moves with the
 * new velocity, in parts of equal length. Other steppers have velocities at the ends of their steps. Loads of supports are not
 * forces, so worlds with supports start plain. */
static void choose_start(perp_world *w) {
    perp_world_def *d = &w->def;
    if (d->start != PERP_START_AUTO) return;
    bool suits = !w->chosen.stepper->step && !w->chosen.stepper->supports && d->geometry != PERP_GEOMETRY_END &&
                 !(d->error_tolerance > 0) && !d->joint_correction;
    d->start = suits ? PERP_START_STAGGERED : PERP_START_PLAIN;
    w->chosen.start_automatic = true;
}

/* Are the chosen solvers those that a definition without any gets? */
static bool usual_solvers(const perp_world *w) {
    const char *names[1 + PERP_FALLBACK_MAX];
    perp_world_def d = w->def;
    d.solver = d.fallback[0] = NULL;
    d.no_fallback = false;
    if (solver_names(&d, names) != w->chosen.nsolver) return false;
    for (int i = 0; i < w->chosen.nsolver; i++)
        if (strcmp(names[i], w->chosen.solver[i]->name) != 0) return false;
    return true;
}

static perp_status choose_solvers(perp_world *w, char *why, size_t n) {
    perp_world_def *d = &w->def;
    perp_class cls = class_of(d->form);
    const char *names[1 + PERP_FALLBACK_MAX];
    int count = solver_names(d, names);
    w->chosen.nsolver = 0;
    for (int i = 0; i < count; i++) {
        const perp_solver_type *s = perp_solver_find(names[i]);
        if (!s) return pp_refuse(why, n, PERP_E_NAME, "no solver is called \"%s\"", names[i]);
        if (!(s->takes & (unsigned)cls)) return refuse_solver(s, cls, w->chosen.stepper->name, why, n);
        bool twice = false;
        for (int k = 0; k < w->chosen.nsolver; k++) twice |= w->chosen.solver[k] == s;
        if (twice) continue;
        perp_fields_default(s->fields, s->nfield, w->chosen.settings[w->chosen.nsolver].bytes);
        if (w->chosen.nsolver > 0 && !strcmp(s->name, default_fallback[1]))
            (void)perp_fields_set(s->fields, s->nfield, w->chosen.settings[w->chosen.nsolver].bytes, "max_n",
                                  FEW_UNKNOWNS);
        w->chosen.solver[w->chosen.nsolver++] = s;
    }
    d->solver = w->chosen.solver[0]->name;
    for (int i = 0; i < PERP_FALLBACK_MAX; i++)
        d->fallback[i] = i + 1 < w->chosen.nsolver ? w->chosen.solver[i + 1]->name : NULL;
    d->no_fallback = !d->fallback[0];
    w->chosen.usual_solvers = usual_solvers(w);
    return PERP_OK;
}

static bool listed(const char *const *names, const char *name) {
    for (; *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

/* Chooses the stepper and checks that it fits dimension, form and contact model. */
static perp_status choose_stepper(perp_world *w, char *why, size_t n) {
    const perp_world_def *d = &w->def;
    const pp_stepper_type *s = w->chosen.stepper = pp_stepper_find(d->stepper);
    char names[256];
    if (!s)
        return pp_refuse(why, n, PERP_E_NAME, "no stepper is called \"%s\"; there are: %s", d->stepper,
                         pp_stepper_names(names, sizeof names));
    if (!(s->dims & (d->dim == 2 ? PP_DIM_2 : PP_DIM_3)))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s is for %s only", s->name, s->dims == PP_DIM_2 ? "2D" : "3D");
    if (!(s->makes & (unsigned)class_of(d->form)))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s does not make problems of the form %s", s->name,
                         form_name(d->form));
    if (s->models && !listed(s->models, w->chosen.model->name))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s does not go with contact model %s; leave contact_model out",
                         s->name, w->chosen.model->name);
    if (d->geometry == PERP_GEOMETRY_END && !s->end_poses)
        return pp_refuse(
            why, n, PERP_E_FIT,
            "stepper %s does not go with geometry end: stewart-trinkle and anitescu-potra do; implicit has "
            "its geometry there anyway",
            s->name);
    perp_fields_default(s->fields, s->nfield, w->chosen.stepper_settings.bytes);
    choose_start(w);
    return s->fits ? s->fits(d, why, n) : PERP_OK;
}

perp_status pp_choose_stages(perp_world *w, char *why, size_t n) {
    perp_world_def *d = &w->def;
    choose_form(w);
    w->chosen.detector = !d->detector || !strcmp(d->detector, pp_detector_plain.name) ? &pp_detector_plain : NULL;
    if (!w->chosen.detector)
        return pp_refuse(why, n, PERP_E_NAME, "no detector is called \"%s\"; there is: plain", d->detector);
    w->chosen.model = pp_model_find(d->contact_model);
    char models[128];
    if (!w->chosen.model)
        return pp_refuse(why, n, PERP_E_NAME, "no contact model is called \"%s\"; there are: %s", d->contact_model,
                         pp_model_names(models, sizeof models));
    if (w->chosen.model->pyramids_only && d->form == PERP_FORM_CONE)
        return pp_refuse(why, n, PERP_E_FIT, "contact model %s takes friction pyramids only: form LCP or MLCP",
                         w->chosen.model->name);
    perp_status st = choose_stepper(w, why, n);
    if (!st) st = choose_solvers(w, why, n);
    if (st) return st;
    d->detector = w->chosen.detector->name;
    d->contact_model = w->chosen.model->name;
    d->stepper = w->chosen.stepper->name;
    return PERP_OK;
}
