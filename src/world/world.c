/* world.c - making and ending a world, its settings, and what it tells about itself */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/refuse.h"
#include "contact/contact_fill.h"
#include "contact/model.h"
#include "contact/peg.h"
#include "stepper/stepper.h"
#include "world/frame.h"
#include "world/lifetime.h"

perp_status pp_fail(perp_world *w, perp_status s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->why, sizeof w->why, format, args);
    va_end(args);
    return s;
}

void pp_logf(const perp_world *w, perp_log_level level, const char *format, ...) {
    if (!w->def.log.line) return;
    char text[PP_WHY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->def.log.line(level, text, w->def.log.ctx);
}

/* Names in a default definition. They are told by their addresses from names that the user gives: what was left as it
 * is follows the form of the problem. */
static const char default_solver[] = "lemke";
static const char default_fallback[][16] = {"pgs", "enumerate"};
enum { DIRECTIONS = 8 }; /* of pyramids, where the user names no number */

perp_world_def perp_world_def_default(int dim) {
    return (perp_world_def){.dim = dim,
                            .gravity_W = dim == 2 ? perp_v3(0, -9.81, 0) : perp_v3(0, 0, -9.81),
                            .press = 9.81,
                            .h = 1e-3,
                            .start = PERP_START_PLAIN,
                            .detector = "plain",
                            .contact_model = "peg",
                            .stepper = "stewart-trinkle",
                            .solver = default_solver,
                            .fallback = {default_fallback[0], default_fallback[1]},
                            .form = PERP_FORM_AUTO,
                            .friction_frame = PERP_FRICTION_SLIP,
                            .tolerance = 1e-8,
                            .max_halvings = 8,
                            .warm_start = true,
                            .correction_position = 1e-10,
                            .correction_velocity = 1e-10,
                            .cookie = PP_COOKIE_WORLD};
}

static perp_status check_def(const perp_world_def *d, char *why, size_t n) {
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
    if (d->start != PERP_START_PLAIN && d->start != PERP_START_STAGGERED)
        return pp_refuse(why, n, PERP_E_ARG, "start is %d; it must be plain or staggered", (int)d->start);
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
    if (!(d->correction_position > 0) || !(d->correction_velocity > 0) || !isfinite(d->correction_position) ||
        !isfinite(d->correction_velocity))
        return pp_refuse(why, n, PERP_E_ARG, "correction_position and correction_velocity must be positive and finite");
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

/* A solver that does not take what the stepper makes, with the names of those that do. */
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

/* The solver and its fallbacks, in order; what the user left as it was follows the form. @return how many */
static int solver_names(const perp_world_def *d, const char *out[1 + PERP_FALLBACK_MAX]) {
    bool cone = d->form == PERP_FORM_CONE;
    int n = 0;
    out[n++] = d->solver && d->solver != default_solver ? d->solver : cone ? "auto" : default_solver;
    for (int i = 0; i < PERP_FALLBACK_MAX && d->fallback[i]; i++) {
        bool left = d->fallback[i] == default_fallback[0] || d->fallback[i] == default_fallback[1];
        if (!cone || !left) out[n++] = d->fallback[i];
    }
    return n;
}

/* Do the solvers that the user named take cones? */
static bool named_take_cones(perp_world_def d) {
    const char *name[1 + PERP_FALLBACK_MAX];
    d.form = PERP_FORM_CONE;
    for (int i = solver_names(&d, name) - 1; i >= 0; i--) {
        const perp_solver_type *s = perp_solver_find(name[i]);
        if (s && !(s->takes & PERP_CONE)) return false;
    }
    return true;
}

/* The form where the user leaves it open: true cones in space, unless something else was named that goes with pyramids
 * only. In the plane cones and pyramids are the same, and pivoting is exact. */
static void choose_form(perp_world *w) {
    perp_world_def *d = &w->def;
    const pp_stepper_type *s = pp_stepper_find(d->stepper);
    const pp_contact_model_type *m = pp_model_find(d->contact_model);
    if (d->form == PERP_FORM_AUTO) {
        bool pyramids = d->dim == 2 || d->friction_directions || d->friction_frame != PERP_FRICTION_SLIP ||
                        (m && m->pyramids_only) || (s && !(s->makes & PERP_CONE)) || !named_take_cones(*d);
        d->form = !pyramids ? PERP_FORM_CONE : s && !(s->makes & PERP_LCP) ? PERP_FORM_MLCP : PERP_FORM_LCP;
    }
    if (!d->friction_directions) d->friction_directions = DIRECTIONS;
}

static perp_status choose_solvers(perp_world *w, char *why, size_t n) {
    perp_world_def *d = &w->def;
    perp_class cls = class_of(d->form);
    const char *names[1 + PERP_FALLBACK_MAX];
    int count = solver_names(d, names);
    w->nsolver = 0;
    for (int i = 0; i < count; i++) {
        const perp_solver_type *s = perp_solver_find(names[i]);
        if (!s) return pp_refuse(why, n, PERP_E_NAME, "no solver is called \"%s\"", names[i]);
        if (!(s->takes & (unsigned)cls)) return refuse_solver(s, cls, w->stepper->name, why, n);
        bool twice = false;
        for (int k = 0; k < w->nsolver; k++) twice |= w->solver[k] == s;
        if (twice) continue;
        perp_fields_default(s->fields, s->nfield, w->settings[w->nsolver].bytes);
        w->solver[w->nsolver++] = s;
    }
    d->solver = w->solver[0]->name;
    for (int i = 0; i < PERP_FALLBACK_MAX; i++) d->fallback[i] = i + 1 < w->nsolver ? w->solver[i + 1]->name : NULL;
    return PERP_OK;
}

static bool listed(const char *const *names, const char *name) {
    for (; *names; names++)
        if (!strcmp(*names, name)) return true;
    return false;
}

/* The stepper, if it goes with dimension, form and contact model. */
static perp_status choose_stepper(perp_world *w, char *why, size_t n) {
    const perp_world_def *d = &w->def;
    const pp_stepper_type *s = w->stepper = pp_stepper_find(d->stepper);
    char names[256];
    if (!s)
        return pp_refuse(why, n, PERP_E_NAME, "no stepper is called \"%s\"; there are: %s", d->stepper,
                         pp_stepper_names(names, sizeof names));
    if (!(s->dims & (d->dim == 2 ? PP_DIM_2 : PP_DIM_3)))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s is for %s only", s->name, s->dims == PP_DIM_2 ? "2D" : "3D");
    if (!(s->makes & (unsigned)class_of(d->form)))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s does not make problems of the form %s", s->name,
                         form_name(d->form));
    if (s->models && !listed(s->models, w->model->name))
        return pp_refuse(why, n, PERP_E_FIT, "stepper %s does not go with contact model %s; leave contact_model out",
                         s->name, w->model->name);
    if (d->geometry == PERP_GEOMETRY_END && !s->end_poses)
        return pp_refuse(
            why, n, PERP_E_FIT,
            "stepper %s does not go with geometry end: stewart-trinkle and anitescu-potra do; implicit has "
            "its geometry there anyway",
            s->name);
    perp_fields_default(s->fields, s->nfield, w->stepper_settings.bytes);
    return s->fits ? s->fits(d, why, n) : PERP_OK;
}

/* Looks up the stages and checks that they fit together. */
static perp_status choose_stages(perp_world *w, char *why, size_t n) {
    perp_world_def *d = &w->def;
    w->detector = !d->detector || !strcmp(d->detector, pp_detector_plain.name) ? &pp_detector_plain : NULL;
    if (!w->detector)
        return pp_refuse(why, n, PERP_E_NAME, "no detector is called \"%s\"; there is: plain", d->detector);
    w->model = pp_model_find(d->contact_model);
    char models[128];
    if (!w->model)
        return pp_refuse(why, n, PERP_E_NAME, "no contact model is called \"%s\"; there are: %s", d->contact_model,
                         pp_model_names(models, sizeof models));
    if (w->model->pyramids_only && d->form == PERP_FORM_CONE)
        return pp_refuse(why, n, PERP_E_FIT, "contact model %s takes friction pyramids only: form LCP or MLCP",
                         w->model->name);
    perp_status st = choose_stepper(w, why, n);
    if (!st) st = choose_solvers(w, why, n);
    if (st) return st;
    d->detector = w->detector->name;
    d->contact_model = w->model->name;
    d->stepper = w->stepper->name;
    return PERP_OK;
}

perp_status perp_world_create_why(const perp_world_def *def, perp_world **out, char *why, size_t why_size) {
    if (why && why_size) why[0] = 0;
    if (!out) return pp_refuse(why, why_size, PERP_E_ARG, "out is NULL");
    *out = NULL;
    if (!def) return pp_refuse(why, why_size, PERP_E_ARG, "def is NULL");
    perp_status st = check_def(def, why, why_size);
    if (st) return st;
    perp_world *w = pp_alloc(&def->alloc, sizeof *w);
    if (!w) return pp_refuse(why, why_size, PERP_E_MEMORY, "out of memory for the world");
    memset(w, 0, sizeof *w);
    w->def = *def;
    w->alloc = def->alloc;
    pp_arena_init(&w->arena, w->alloc);
    choose_form(w);
    st = choose_stages(w, why, why_size);
    if (!st) {
        w->nmaterial = 1;
        w->broad = pp_broad_create(&w->alloc);
        if (!w->broad || !PP_GROW(&w->alloc, w->law, w->cap_law, 0, 1))
            st = pp_refuse(why, why_size, PERP_E_MEMORY, "out of memory for the world");
    }
    if (st) {
        perp_world_destroy(w);
        return st;
    }
    *out = w;
    return PERP_OK;
}

perp_status perp_world_create(const perp_world_def *def, perp_world **out) {
    return perp_world_create_why(def, out, NULL, 0);
}

void perp_world_destroy(perp_world *w) {
    if (!w) return;
    const perp_allocator a = w->alloc;
    for (int i = 0; i < w->nbody; i++) {
        pp_motion_destroy(w->body[i].motion, &a);
        pp_free(&a, w->body[i].name);
        pp_free(&a, w->body[i].support);
    }
    for (int i = 0; i < w->nshape; i++) pp_geometry_destroy(w->shape[i].g, &a);
    for (int i = 0; i < w->njoint; i++) pp_free(&a, w->joint[i].name);
    pp_free(&a, w->body);
    pp_free(&a, w->shape);
    pp_free(&a, w->joint);
    pp_free(&a, w->force);
    pp_free(&a, w->law);
    pp_state_release(&w->state, &a);
    pp_peg_destroy(w->peg, &a);
    pp_free(&a, w->warm.contact);
    pp_free(&a, w->warm.joint);
    pp_free(&a, w->warm.joint_key);
    pp_free(&a, w->contact);
    pp_free(&a, w->joint_impulse);
    pp_free(&a, w->pairs.pair);
    pp_free(&a, w->couples.couple);
    pp_broad_destroy(w->broad, &a);
    pp_arena_free(&w->arena);
    pp_free(&a, w);
}

const char *perp_world_why(const perp_world *w) { return w->why; }
double perp_world_time(const perp_world *w) { return w->state.t; }
uint64_t perp_world_steps(const perp_world *w) { return w->state.step; }
int perp_world_dim(const perp_world *w) { return w->def.dim; }

const perp_step_problem *perp_world_failed_problem(const perp_world *w) {
    return w->failed && w->has_problem ? &w->problem : NULL;
}
const perp_step_problem *perp_world_problem(const perp_world *w) { return w->has_problem ? &w->problem : NULL; }

void perp_world_set_capture(perp_world *w, const perp_capture *capture) {
    w->capture = capture ? *capture : (perp_capture){0};
}

void perp_world_set_stop(perp_world *w, const perp_stop *stop) { w->stop = stop ? *stop : (perp_stop){0}; }

bool pp_told_to_stop(void *world) {
    perp_world *w = world;
    if (!w->stopped && w->stop.asked) w->stopped = w->stop.asked(w->stop.ctx);
    return w->stopped;
}

perp_status pp_stopped(perp_world *w) { return pp_fail(w, PERP_E_STOPPED, "told to stop at t = %g", w->state.t); }

perp_status perp_world_set_h(perp_world *w, double h) {
    if (!(h > 0) || !isfinite(h)) return pp_fail(w, PERP_E_ARG, "h is %g; it must be positive and finite", h);
    w->def.h = h;
    return PERP_OK;
}

/* Sets STAGE.FIELD; the name of the stage has len letters. */
static perp_status set_field(perp_world *w, const char *name, size_t len, const perp_field *field, int n,
                             void *settings, double value) {
    const char *word = name + len + 1;
    perp_status st = perp_fields_set(field, n, settings, word, value);
    if (st == PERP_E_NAME) return pp_fail(w, st, "%.*s has no setting \"%s\"", (int)len, name, word);
    for (int k = 0; st && k < n; k++)
        if (!strcmp(field[k].name, word))
            return pp_fail(w, st, "%s is %g; allowed are %s%g to %g", name, value,
                           field[k].type == PERP_FIELD_DOUBLE ? "" : "whole numbers ", field[k].min, field[k].max);
    return st;
}

perp_status perp_world_set(perp_world *w, const char *name, double value) {
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot) return pp_fail(w, PERP_E_NAME, "\"%s\" is not of the form solver.setting", name ? name : "(null)");
    size_t len = (size_t)(dot - name);
    for (int i = 0; i < w->nsolver; i++) {
        const perp_solver_type *s = w->solver[i];
        if (strlen(s->name) == len && !strncmp(s->name, name, len))
            return set_field(w, name, len, s->fields, s->nfield, w->settings[i].bytes, value);
    }
    const pp_stepper_type *s = w->stepper;
    if (strlen(s->name) == len && !strncmp(s->name, name, len))
        return set_field(w, name, len, s->fields, s->nfield, w->stepper_settings.bytes, value);
    return pp_fail(w, PERP_E_NAME, "no solver and no stepper of this world is called \"%.*s\"", (int)len, name);
}

int perp_world_contacts(const perp_world *w, const perp_contact **out) {
    *out = w->contact;
    return w->ncontact;
}

/* What the springs of contacts hold, by the deflections that are remembered. */
static double contact_energy(const perp_world *w) {
    double e = 0;
    for (int i = 0; i < w->warm.ncontact; i++) {
        const pp_memory_contact *m = &w->warm.contact[i];
        if (m->slot_a >= (uint32_t)w->nshape || m->slot_b >= (uint32_t)w->nshape) continue; /* removed since */
        if (!pp_alive(w->shape[m->slot_a].gen) || !pp_alive(w->shape[m->slot_b].gen)) continue;
        perp_pair_law law = pp_contact_law(w, (int)m->slot_a, (int)m->slot_b);
        double n = m->depth, all = m->layer[0] * m->layer[0] + m->layer[1] * m->layer[1] + m->layer[2] * m->layer[2];
        e += 0.5 * (law.stiffness * n * n + law.stiffness_t * (all - n * n));
    }
    return e;
}

void perp_world_energy(const perp_world *w, double *kinetic, double *gravity, double *spring) {
    double k = 0, g = 0, e = 0;
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        k += 0.5 * b->mass * perp_v3_dot(w->state.v[i], w->state.v[i]);
        if (!b->particle) {
            perp_vec3 om = perp_q_unrotate(w->state.X[i].q, w->state.w[i]);
            k += 0.5 * perp_v3_dot(om, perp_m3_mul_v(b->I_B, om));
        }
        if (!b->no_gravity) g -= b->mass * perp_v3_dot(w->def.gravity_W, w->state.X[i].p);
    }
    for (int i = 0; i < w->nforce; i++) {
        const pp_force *f = &w->force[i];
        if (!pp_alive(f->gen) || f->def.kind != PERP_FORCE_SPRING) continue;
        pp_joint_side a = pp_side(w, &w->state, f->a, NULL), b = pp_side(w, &w->state, f->b, NULL);
        double x = perp_v3_norm(
                       perp_v3_sub(perp_pose_apply(b.X_WB, f->def.point_B), perp_pose_apply(a.X_WB, f->def.point_A))) -
                   f->def.rest_length;
        e += 0.5 * f->def.stiffness * x * x;
    }
    if (w->stepper->stores) e += contact_energy(w);
    if (kinetic) *kinetic = k;
    if (gravity) *gravity = g;
    if (spring) *spring = e;
}

void perp_world_momentum(const perp_world *w, perp_vec3 *linear, perp_vec3 *angular) {
    perp_vec3 p = {0, 0, 0}, L = {0, 0, 0};
    for (int i = 0; i < w->nbody; i++) {
        const pp_body *b = &w->body[i];
        if (!pp_alive(b->gen) || b->kind != PERP_BODY_DYNAMIC) continue;
        perp_vec3 mv = perp_v3_scale(b->mass, w->state.v[i]);
        p = perp_v3_add(p, mv);
        L = perp_v3_add(L, perp_v3_cross(w->state.X[i].p, mv));
        if (b->particle) continue;
        perp_quat q = w->state.X[i].q;
        L = perp_v3_add(L, perp_q_rotate(q, perp_m3_mul_v(b->I_B, perp_q_unrotate(q, w->state.w[i]))));
    }
    if (linear) *linear = p;
    if (angular) *angular = L;
}

pp_joint_side pp_side(const perp_world *w, const pp_state *s, int slot, const int *block) {
    pp_joint_side side = {.X_WB = perp_pose_identity(), .block = -1};
    if (slot < 0) return side;
    side.X_WB = s->X[slot];
    side.theta = s->theta[slot];
    side.v = s->v[slot];
    side.w = s->w[slot];
    side.ndof = pp_ndof(w, &w->body[slot]);
    if (block) side.block = block[slot];
    return side;
}
