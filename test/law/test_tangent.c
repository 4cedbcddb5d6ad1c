/* tangents against closed forms, and against central differences of whole runs */
#include "../unit/world_help.h"

#include "scenes.h"

static perp_tangent *tangent_of(perp_world *w, int directions, perp_tangent_method method) {
    perp_tangent_def d = perp_tangent_def_default();
    d.directions = directions;
    d.method = method;
    perp_tangent *t;
    OK(w, perp_world_tangent(w, &d, &t));
    return t;
}

static void seed(perp_tangent *t, perp_world *w, int direction, perp_parameter p) {
    OK(w, perp_tangent_seed(t, w, direction, &p, 1));
}

static perp_vec3 moved(const perp_tangent *t, int d, perp_body_id b) {
    perp_vec3 x;
    assert_int_equal(perp_tangent_pose(t, d, b, &x, NULL), PERP_OK);
    return x;
}
static perp_vec3 turned(const perp_tangent *t, int d, perp_body_id b) {
    perp_vec3 x;
    assert_int_equal(perp_tangent_pose(t, d, b, NULL, &x), PERP_OK);
    return x;
}

/* A particle of mass 1 falls on a floor with friction 0.2 and slides, pulled by (5, -9.81). */
static perp_world *particle(perp_body_id *body) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.05;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    add_floor(w);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.particle = true;
    b.X_WB = perp_pose_at(0, 3, 0);
    *body = add_def(w, &b);
    add_shape(w, *body, perp_shape_particle(perp_v3(0, 0, 0)));
    OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.2}));
    OK(w, perp_body_set_force(w, *body, perp_v3(5, -9.81, 0), perp_v3(0, 0, 0)));
    return w;
}

static void particle_by_friction(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++) {
        perp_body_id b;
        perp_world *w = particle(&b);
        perp_tangent *t = tangent_of(w, 1, (perp_tangent_method)m);
        seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_MU, .material = {0, 0}});
        for (int i = 0; i < 100; i++) OK(w, perp_tangent_step(t, w, NULL));
        NEAR(moved(t, 0, b).x, -120.85125, m < 2 ? 1e-9 : 2e-6);
        NEAR(moved(t, 0, b).y, 0, 1e-9);
        perp_tangent_state r = perp_tangent_report(t);
        assert_int_equal(r.steps, 100);
        assert_int_equal(r.differenced, m < 2 ? 0 : 100);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* A block on three points, pushed beside its middle: studied by two other codes. */
static perp_world *block(perp_form form, perp_body_id *body) {
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.02;
    d.stepper = "planar-2.5d";
    d.form = form;
    d.gravity_W = perp_v3(0, 0, 0);
    perp_world *w = world_of(&d);
    perp_body_def b = perp_body_def_default(PERP_BODY_DYNAMIC);
    b.mass = 0.5;
    b.I_B = perp_m3_diag(8e-4, 8e-4, 8e-4);
    b.v_W = perp_v3(0.3, 0.1, 0);
    b.w_W = perp_v3(0, 0, 2);
    *body = add_def(w, &b);
    perp_support s = perp_support_circle(0.04, PI / 2, 0.33);
    OK(w, perp_body_set_support(w, *body, &s));
    perp_force_def f = perp_force_def_default(PERP_FORCE_CONSTANT);
    f.b = *body;
    f.point_B = perp_v3(0, 0.015, 0);
    f.wrench.force = perp_v3(2, 0, 0);
    (void)add_force(w, &f);
    return w;
}

static void block_by_friction(void **state) {
    (void)state;
    for (int m = 0; m < 4; m++) {
        perp_body_id b;
        perp_world *w = block(PERP_FORM_CONE, &b);
        perp_tangent *t = tangent_of(w, 1, (perp_tangent_method)m);
        seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_SUPPORT_MU, .body = b, .index = -1});
        for (int i = 0; i < 60; i++) OK(w, perp_tangent_step(t, w, NULL));
        perp_pose X = pose_of(w, b);
        NEAR(X.p.x, 0.96368107, 1e-8);
        NEAR(X.p.y, 0.01401871, 1e-8);
        NEAR(moved(t, 0, b).x, -6.8583215, 1e-6);
        NEAR(moved(t, 0, b).y, -0.0977572, 1e-6);
        NEAR(turned(t, 0, b).z, -4.8651926, 1e-6);
        perp_tangent_state r = perp_tangent_report(t);
        assert_int_equal(r.differenced, m < 2 ? 0 : 60);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* A direction that tests go along. */
typedef struct aim {
    bool is_parameter;
    perp_parameter parameter;
    perp_body_id body; /* else its pose and velocity change so: */
    perp_vec3 dp, turn, dv, dw;
} aim;

static void set(perp_tangent *t, perp_world *w, int d, const aim *a) {
    if (a->is_parameter) {
        seed(t, w, d, a->parameter);
        return;
    }
    OK(w, perp_tangent_set_pose(t, d, a->body, a->dp, a->turn));
    perp_body_def b;
    OK(w, perp_body_get(w, a->body, &b));
    if (b.kind == PERP_BODY_DYNAMIC) OK(w, perp_tangent_set_velocity(t, d, a->body, a->dv, a->dw));
}

/* Largest difference of two tangents along a direction, over the largest entry: of poses, or of velocities. */
static double unlike(const perp_world *w, const perp_tangent *a, const perp_tangent *b, int d, bool rates) {
    perp_body_id body[SCENE_MAX];
    int n = perp_world_bodies(w, body, SCENE_MAX);
    double most = 0, apart = 0;
    for (int i = 0; i < n; i++) {
        perp_vec3 x[2], y[2];
        if (rates) {
            (void)perp_tangent_velocity(a, d, body[i], &x[0], &x[1]);
            (void)perp_tangent_velocity(b, d, body[i], &y[0], &y[1]);
        } else {
            (void)perp_tangent_pose(a, d, body[i], &x[0], &x[1]);
            (void)perp_tangent_pose(b, d, body[i], &y[0], &y[1]);
        }
        for (int k = 0; k < 2; k++) {
            most = fmax(most, perp_v3_norm(x[k]));
            double gap = perp_v3_norm(perp_v3_sub(x[k], y[k]));
            apart = gap <= apart ? apart : gap; /* NaN counts */
        }
    }
    return apart / fmax(most, 0.01); /* what does not change at all has rounding only */
}

/* How far runs are moved: rounding falls with it, curvature grows with its square. */
static double witness = 1e-5;

/* Tangents at the modes and differences of the whole run, side by side; both worlds end. The world that has tangents goes
 * as one without. */
static int agree_by(perp_tangent_method method, const char *what, perp_world *w, const aim *aims, int n, int steps,
                    double tolerance) {
    perp_world *other, *plain;
    OK(w, perp_world_clone(w, &other));
    OK(w, perp_world_clone(w, &plain));
    perp_tangent *t = tangent_of(w, n, method), *r = NULL;
    perp_tangent_def rd = perp_tangent_def_default();
    rd.directions = n;
    rd.method = PERP_TANGENT_RUNS;
    rd.difference = witness;
    OK(other, perp_world_tangent(other, &rd, &r));
    for (int d = 0; d < n; d++) {
        set(t, w, d, &aims[d]);
        set(r, other, d, &aims[d]);
    }
    for (int i = 0; i < steps; i++) {
        perp_status st = perp_tangent_step(t, w, NULL);
        if (st) fail_msg("%s, step %d: %s: %s", what, i, perp_status_name(st), perp_world_why(w));
        OK(other, perp_tangent_step(r, other, NULL));
        OK(plain, perp_world_step(plain, NULL));
        if (perp_world_hash(w) != perp_world_hash(plain)) fail_msg("%s, step %d: another way", what, i);
    }
    if (getenv("TANGENT_PRINT")) {
        perp_tangent_state x = perp_tangent_report(t), y = perp_tangent_report(r);
        print_message("%s: least margin %.3g (%d of %d near, runs %d, %d by differences: %s), off by", what,
                      x.least_margin, (int)x.changes, steps, (int)y.changes, (int)x.differenced, x.why);
        for (int d = 0; d < n; d++) print_message(" %.2g %.2g", unlike(w, t, r, d, false), unlike(w, t, r, d, true));
        print_message("\n");
    }
    for (int d = 0; d < n; d++)
        for (int k = 0; k < 2; k++) {
            double off = unlike(w, t, r, d, k);
            if (!(off <= tolerance))
                fail_msg("%s, direction %d: %s differ by %g of the largest", what, d, k ? "velocities" : "poses", off);
        }
    int differenced = (int)perp_tangent_report(t).differenced;
    perp_tangent_free(t);
    perp_tangent_free(r);
    perp_world_destroy(w);
    perp_world_destroy(other);
    perp_world_destroy(plain);
    return differenced;
}

static void agree(const char *what, perp_world *w, const aim *aims, int n, int steps, double tolerance) {
    (void)agree_by(PERP_TANGENT_MODES, what, w, aims, n, steps, tolerance);
}

static aim along_parameter(perp_parameter p) { return (aim){.is_parameter = true, .parameter = p}; }

static const perp_parameter friction_of_all = {.kind = PERP_PARAMETER_MU, .material = {-1, -1}};

static void double_pendulum(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    scene s = scene_double_pendulum(d);
    aim a[] = {{.body = s.body[0], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
               {.body = s.body[1], .dv = {0.2, -1, 0}, .dw = {0, 0, 3}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[1]}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 2}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0})};
    agree("double pendulum", s.w, a, 5, 200, 1e-6);
}

static void rolling(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int slips = 0; slips < 2; slips++) {
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.01;
            d.gravity_W = dim == 2 ? perp_v3(3, -9, 0) : perp_v3(3, 0.5, -9);
            perp_world *w = world_of(&d);
            perp_body_id floor = add_floor(w);
            (void)floor;
            perp_body_id disc = add_mass(w, 2, 0.01, at_height(dim, 0, 0.1));
            add_shape(w, disc, perp_shape_sphere(0.1));
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = slips ? 0.05 : 0.6}));
            aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter(
                           (perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = disc, .index = dim == 2 ? 2 : 1}),
                       {.body = disc, .dp = {1, 0, 0}, .dv = {0.3, dim == 3, 0}, .dw = {0, 0, 1}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = disc, .index = 5}),
                       along_parameter(friction_of_all)};
            agree("rolling", w, a, 5, 60, 1e-6);
        }
}

static void incline(void **state) {
    (void)state;
    for (int form = 0; form < 3; form++)
        for (int slips = 0; slips < 2; slips++) {
            perp_world_def d = perp_world_def_default(3);
            d.h = 0.01;
            d.form = (perp_form[]){PERP_FORM_LCP, PERP_FORM_MLCP, PERP_FORM_CONE}[form];
            scene s = scene_incline(d, PI / 12, slips ? 0.125 : 0.375);
            aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter(friction_of_all),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[1]})};
            agree("incline", s.w, a, 3, 40, 1e-6);
        }
}

/* A box that slides on a plane with cone friction, straight on; and one on three feet, which spins too. */
static void sliding_in_space(void **state) {
    (void)state;
    for (int feet = 0; feet < 2; feet++)
        for (int form = 0; form < 2; form++) {
            perp_world_def d = perp_world_def_default(3);
            d.h = 0.01;
            d.form = form ? PERP_FORM_LCP : PERP_FORM_CONE;
            perp_world *w = world_of(&d);
            perp_body_id floor = add_floor(w);
            perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
            bd.mass = 1.5;
            bd.I_B = perp_m3_diag(0.01, 0.013, 0.02);
            bd.X_WB = perp_pose_at(0, 0, 0.05);
            bd.v_W = feet ? perp_v3(2, 0.3, 0) : perp_v3(2, 0, 0);
            bd.w_W = perp_v3(0, 0, feet ? 3 : 0);
            perp_body_id b = add_def(w, &bd);
            const perp_vec3 at[3] = {{0.1, 0, -0.04}, {-0.05, 0.08, -0.04}, {-0.05, -0.08, -0.04}};
            for (int i = 0; i < 3 && feet; i++) {
                perp_shape_def foot = perp_shape_sphere(0.01);
                foot.X_BS.p = at[i];
                add_shape(w, b, foot);
            }
            if (!feet) add_shape(w, b, perp_shape_box(0.1, 0.08, 0.05));
            OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
            aim a[] = {along_parameter(friction_of_all),
                       {.body = b, .dp = {1, 1, 0}, .dv = {1, feet, 0}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b}),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = b, .index = 0}),
                       {.body = floor, .turn = {0, 1, 0}}, /* the plane is tilted about the origin */
                       {.body = b, .turn = {0, 0, 1}, .dw = {0, 0, 1}}};
            agree("sliding in space", w, a, feet ? 6 : 4, 30, 1e-6);
        }
}

/* A body that turns freely, and a tumbling box that meets the floor with a corner, in the air and at the touch. */
static void turning(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(3);
    d.h = 0.02;
    scene s = scene_spinning_body(d);
    aim a[] = {{.body = s.body[0], .turn = {1, 0.2, -0.3}, .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 0}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_INERTIA, .body = s.body[0], .index = 3}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = s.body[0], .index = 4})};
    agree("spinning body", s.w, a, 4, 100, 1e-6);
    d.h = 0.005;
    s = scene_tumbling(d);
    aim b[] = {{.body = s.body[1], .turn = {1, 0.2, -0.3}, .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 2}),
               {.body = s.body[2], .dw = {0.3, -1, 0.5}, .dv = {1, 0, 0}}};
    agree("tumbling", s.w, b, 3, 60, 1e-6);
}

/* Boxes in the plane that tumble, meet and bounce. */
static void boxes_in_the_plane(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.geometry = k & 1 ? PERP_GEOMETRY_ONCE : PERP_GEOMETRY_ITERATED;
        perp_world *w = world_of(&d);
        add_floor(w);
        perp_body_id b[2];
        for (int i = 0; i < 2; i++) {
            b[i] = add_mass(w, 1 + i, 0.02, perp_pose_2d(0.05 * i, 0.3 + 0.4 * i, 0.3 + i));
            add_shape(w, b[i], perp_shape_box(0.15, 0.1, 1));
            OK(w, perp_body_set_velocity(w, b[i], perp_v3(0.5, -1, 0), perp_v3(0, 0, 1 - 3 * i)));
        }
        perp_parameter e = {.kind = PERP_PARAMETER_RESTITUTION, .material = {0, 0}};
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4, .restitution = k & 2 ? 0.3 : 0}));
        aim a[] = {{.body = b[0], .dp = {1, 1, 0}, .turn = {0, 0, 1}},
                   {.body = b[1], .dv = {1, 1, 0}, .dw = {0, 0, 1}},
                   along_parameter(k & 2 ? e : friction_of_all),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b[0]})};
        agree("boxes in the plane", w, a, 4, k & 1 ? 15 : 30, 1e-6); /* once: step 18 is divided */
    }
}

/* Motors, limits, springs and friction of joints; a controller; a spring between points. */
static void driven_joints(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int drive = SCENE_PLAIN; drive <= SCENE_SPRINGS; drive++) {
            perp_world_def d = perp_world_def_default(dim);
            d.h = 0.005;
            scene s = scene_linkage(d, 5, (scene_drive)drive, 0.3);
            aim a[] = {{.body = s.body[2], .dv = {1, 0, 0}, .dw = {0, 0, 0}},
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                       along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = s.body[3]})};
            /* a closed ring in space has rows too many, whose errors differ a little: a derivative has to be told by steps */
            int differenced = agree_by(PERP_TANGENT_AUTO, "linkage", s.w, a, 3, 20, dim == 2 ? 1e-6 : 1e-5);
            if (dim == 2) assert_int_equal(differenced, 0);
        }
}

static void push_by_hand(const perp_world *w, double t, perp_wrench *out, void *ctx) {
    perp_pose X;
    perp_vec3 v;
    perp_body_id b = *(const perp_body_id *)ctx;
    (void)perp_body_pose(w, b, &X);
    (void)perp_body_velocity(w, b, &v, NULL);
    out->force = perp_v3(-3 * X.p.x * X.p.x - 0.5 * v.x, -X.p.y * v.y, 0);
    out->torque = perp_v3(0, 0, sin(t) * X.p.x);
}

/* Forces that see the state: springs with dampers, a controller, a function of the user. */
static void forces(void **state) {
    (void)state;
    perp_world_def d = perp_world_def_default(2);
    d.h = 0.005;
    scene s = scene_double_pendulum(d);
    perp_force_def f = perp_force_def_default(PERP_FORCE_SPRING);
    f.b = s.body[1];
    f.point_A = perp_v3(2, 1, 0);
    f.point_B = perp_v3(0.5, 0, 0);
    f.stiffness = 20;
    f.rest_length = 0.5;
    f.damping = 0.3;
    f.drag = 0.1;
    perp_force_id spring = add_force(s.w, &f);
    f = perp_force_def_default(PERP_FORCE_PD);
    f.joint = s.joint[1];
    f.kp = 5;
    f.kd = 0.5;
    f.target = 0.3;
    perp_force_id pd = add_force(s.w, &f);
    f = perp_force_def_default(PERP_FORCE_USER);
    f.b = s.body[0];
    f.user = push_by_hand;
    f.ctx = &s.body[0];
    (void)add_force(s.w, &f);
    aim a[] = {{.body = s.body[0], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_STIFFNESS, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_REST, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_DAMPING, .force = spring}),
               along_parameter((perp_parameter){.kind = PERP_PARAMETER_TARGET, .force = pd})};
    agree("forces", s.w, a, 5, 100, 1e-6);
}

/* A motor that is too weak for its load, and one that is not; a pendulum on its stop. */
static void motors(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.005;
        scene s = scene_double_pendulum(d);
        perp_joint_axis axis = {
            .motor = k < 2, .motor_speed = 2, .motor_force = k ? 1 : 100, .friction = k == 2 ? 0.5 : 0};
        axis.limited = k == 2;
        axis.lo = -0.1;
        axis.hi = 1;
        OK(s.w, perp_joint_set_axis(s.w, s.joint[0], 0, &axis));
        perp_parameter p = {.kind = k == 0   ? PERP_PARAMETER_MOTOR_SPEED
                                    : k == 1 ? PERP_PARAMETER_MOTOR_FORCE
                                             : PERP_PARAMETER_JOINT_FRICTION,
                            .joint = s.joint[0]};
        aim a[] = {{.body = s.body[1], .dv = {0, 0.5, 0}, .dw = {0, 0, 1}},
                   along_parameter(p),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 1})};
        agree("motors", s.w, a, 3, 60, 1e-6);
    }
}

/* Contacts of other shapes: edges that cross, ellipsoids, capsules, a disc on a disc, in motion. */
static void shapes(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 0.005;
        perp_world *w = world_of(&d);
        perp_body_def od = perp_body_def_default(PERP_BODY_OBSTACLE);
        od.X_WB.q = perp_q_axis_angle(perp_v3(0, 1, 0), PI / 4 + 0.05);
        perp_body_id ground = add_def(w, &od);
        add_shape(w, ground, k == 2 ? perp_shape_sphere(0.5) : perp_shape_box(0.5, 1, 0.5));
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.I_B = perp_m3_diag(0.01, 0.013, 0.017);
        double top = k == 2 ? 0.5 : 0.5 * sqrt(2) * cos(0.05);
        bd.X_WB = perp_pose_at(0.02, 0.01, top + 0.1);
        bd.v_W = perp_v3(0.1, 0.3, -0.5);
        bd.w_W = perp_v3(0.3, 0.2, 1);
        if (k == 0)
            bd.X_WB.q = perp_q_mul(perp_q_axis_angle(perp_v3(0, 0, 1), 1.3), perp_q_axis_angle(perp_v3(0, 1, 0), 0.8));
        if (k == 0) bd.X_WB.p.z = top + 0.16;
        perp_body_id b = add_def(w, &bd);
        if (k == 0) add_shape(w, b, perp_shape_box(0.1, 0.3, 0.1));
        if (k == 1) add_shape(w, b, perp_shape_sphere(0.09));
        if (k == 2) add_shape(w, b, perp_shape_capsule(0.09, 0.1));
        if (k == 3) add_shape(w, b, perp_shape_capsule(0.09, 0.2));
        if (k == 4) add_shape(w, b, perp_shape_box(0.05, 0.05, 0.095));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.4, .e_t = k == 1 ? 0.5 : 0, .e_r = k == 1 ? 0.02 : 0}));
        aim a[] = {{.body = b, .dp = {1, 1, 0}, .turn = {1, 0.3, 0.4}},
                   {.body = b, .dv = {1, 1, 0}, .dw = {0, 0.3, 1}},
                   {.body = ground, .dp = {0, 0, 1}, .turn = {0, 0.1, 0.2}},
                   along_parameter(friction_of_all)};
        witness = 3e-6; /* a floor that is tilted is curved in what it does */
        agree("shapes", w, a, 4, 40, 1e-6);
        witness = 1e-5;
    }
}

/* A floor that is driven, and a block on it. */
static void driven_floor(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.driven = k ? PERP_DRIVEN_END : PERP_DRIVEN_MEAN;
        perp_world *w = world_of(&d);
        perp_body_def fd = perp_body_def_default(PERP_BODY_KINEMATIC);
        perp_body_id floor = add_def(w, &fd);
        add_shape(w, floor, perp_shape_box(5, 0.5, 1));
        perp_motion_def m = perp_motion_def_default(PERP_MOTION_SINUSOID);
        const perp_sinusoid term[2] = {{.axis = 0, .amplitude = 8, .omega = 9},
                                       {.axis = 1, .amplitude = 3, .omega = 7}};
        m.terms = term;
        m.nterm = 2;
        OK(w, perp_body_set_motion(w, floor, &m));
        perp_pose X = pose_of(w, floor);
        perp_body_id b = add_mass(w, 1, 0.02, perp_pose_2d(X.p.x, X.p.y + 0.6, 0));
        add_shape(w, b, perp_shape_box(0.2, 0.1, 1));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        aim a[] = {along_parameter(friction_of_all),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                   {.body = b, .dp = {1, 0, 0}, .dv = {1, 0, 0}}};
        agree("driven floor", w, a, 3, 50, 1e-6);
    }
}

/* Pyramids: turned to the slip or fixed, where friction may lie between two of their directions. */
static void pyramids(void **state) {
    (void)state;
    perp_body_id b;
    perp_world *w = block(PERP_FORM_LCP, &b);
    aim by[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_SUPPORT_MU, .body = b, .index = -1}),
                along_parameter((perp_parameter){.kind = PERP_PARAMETER_MASS, .body = b}),
                {.body = b, .turn = {0, 0, 1}, .dv = {1, 0, 0}}};
    agree("block, pyramids", w, by, 3, 60, 1e-6);
    for (int nd = 3; nd <= 6; nd++) {
        perp_world_def d = perp_world_def_default(3);
        d.h = 0.01;
        d.friction_directions = nd;
        d.friction_frame = PERP_FRICTION_FIXED;
        w = world_of(&d);
        add_floor(w);
        perp_body_def bd = perp_body_def_default(PERP_BODY_DYNAMIC);
        bd.particle = true;
        bd.v_W = perp_v3(2, 0.8, 0);
        b = add_def(w, &bd);
        add_shape(w, b, perp_shape_particle(perp_v3(0, 0, 0)));
        OK(w, perp_pair_set_all(w, (perp_pair_law){.mu = 0.3}));
        aim a[] = {along_parameter(friction_of_all), {.body = b, .dp = {1, 0, 0}, .dv = {0.3, 1, 0}}};
        agree("fixed pyramid", w, a, 2, 40, 1e-6);
    }
}

/* Random scenes: every step by itself, at its modes and by differences, from the same direction. Where the two differ a
 * mode is near a change, and the flag is up. */
static int one_by_one(perp_world *w, perp_body_id body, int steps, int *flagged, int *differenced) {
    int compared = 0;
    perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_AUTO);
    perp_vec3 dv = perp_world_dim(w) == 2 ? perp_v3(1, 0.3, 0) : perp_v3(1, 0.3, 0.2);
    OK(w, perp_tangent_set_velocity(t, 0, body, dv, perp_v3(0, 0, 0.5)));
    seed(t, w, 0, (perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0});
    for (int i = 0; i < steps; i++) {
        perp_world *other;
        perp_body_id id[SCENE_MAX];
        OK(w, perp_world_clone(w, &other));
        perp_tangent *r = tangent_of(other, 1, PERP_TANGENT_STEPS);
        seed(r, other, 0, (perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0});
        int n = perp_world_bodies(w, id, SCENE_MAX);
        for (int k = 0; k < n; k++) {
            perp_vec3 x[4];
            perp_body_def d;
            OK(w, perp_body_get(w, id[k], &d));
            if (d.kind != PERP_BODY_DYNAMIC) continue;
            OK(w, perp_tangent_pose(t, 0, id[k], &x[0], &x[1]));
            OK(w, perp_tangent_velocity(t, 0, id[k], &x[2], &x[3]));
            OK(w, perp_tangent_set_pose(r, 0, id[k], x[0], x[1]));
            OK(w, perp_tangent_set_velocity(r, 0, id[k], x[2], x[3]));
        }
        OK(w, perp_tangent_step(t, w, NULL));
        OK(other, perp_tangent_step(r, other, NULL));
        perp_tangent_state s = perp_tangent_report(t), o = perp_tangent_report(r);
        double off = fmax(unlike(w, t, r, 0, false), unlike(w, t, r, 0, true));
        bool near = s.near_change || o.near_change || s.margin < 1e-3; /* differences reach farther */
        *flagged += near;
        *differenced += s.differences;
        compared += !near && !s.differences;
        if (!near && !(off <= 1e-5)) fail_msg("step %d: off by %g, margin %g", i, off, s.margin);
        perp_tangent_free(r);
        perp_world_destroy(other);
    }
    perp_tangent_free(t);
    return compared;
}

static void random_scenes(void **state) {
    (void)state;
    const char *count = getenv("TANGENT_SEEDS");
    int compared = 0, flagged = 0, differenced = 0, steps = 0;
    for (unsigned k = 0; k < (count ? (unsigned)atoi(count) : 6); k++) {
        perp_world_def d = perp_world_def_default(k % 2 ? 3 : 2);
        d.h = 0.01;
        scene s = scene_random(d, k / 2, scene_view_plain(), false);
        perp_body_id b = {0, 0};
        for (int i = 0; i < s.nbody; i++) {
            perp_body_def bd;
            OK(s.w, perp_body_get(s.w, s.body[i], &bd));
            if (bd.kind == PERP_BODY_DYNAMIC && !bd.particle) b = s.body[i];
        }
        compared += one_by_one(s.w, b, 40, &flagged, &differenced);
        steps += 40;
        scene_end(&s);
    }
    if (count)
        print_message("%d steps: %d compared, %d near, %d by differences\n", steps, compared, flagged, differenced);
    BELOW(0.5 * steps, compared);
}

/* Stacks have loads that are not determined, but move nothing; a box that spins on four corners has some that do. */
static void open_loads(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        perp_world_def d = perp_world_def_default(k == 0 ? 2 : 3);
        d.h = 0.01;
        scene s = k < 2 ? scene_stack(d, 3, 2, 0.5) : scene_flat_slide(d, 2, 0.3);
        if (k == 2) OK(s.w, perp_body_set_velocity(s.w, s.body[1], perp_v3(2, 0.1, 0), perp_v3(0, 0, 2)));
        int b = k < 2 ? 3 : 1;
        aim a[] = {along_parameter((perp_parameter){.kind = PERP_PARAMETER_GRAVITY, .index = 0}),
                   along_parameter((perp_parameter){.kind = PERP_PARAMETER_FORCE, .body = s.body[b], .index = 0}),
                   {.body = s.body[b], .dp = {1, 0, 0}}};
        int differenced = agree_by(PERP_TANGENT_AUTO, k < 2 ? "stack" : "spinning slide", s.w, a, 3, 20, 1e-6);
        assert_int_equal(differenced, k == 2 ? 20 : 0);
    }
}

/* Steppers and models without equations that are known: by differences of steps, with the reason. */
static void by_steps(void **state) {
    (void)state;
    static const struct {
        const char *stepper, *model, *why;
        perp_geometry geometry;
        bool modes;
    } way[] = {{"stewart-trinkle", NULL, "geometry end", PERP_GEOMETRY_END, false},
               {"stewart-trinkle", "standard", "contact model standard", PERP_GEOMETRY_ITERATED, false},
               {"implicit", NULL, "stepper implicit", PERP_GEOMETRY_ITERATED, false},
               {"second-order", NULL, "stepper second-order", PERP_GEOMETRY_ITERATED, false},
               {"anitescu-potra", NULL, NULL, PERP_GEOMETRY_ITERATED, true}};
    for (int k = 0; k < 5; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.stepper = way[k].stepper;
        d.contact_model = way[k].model;
        d.geometry = way[k].geometry;
        scene s = scene_sliding_stop(d, 2, 0.3);
        perp_world *w;
        OK(s.w, perp_world_clone(s.w, &w));
        aim a[] = {along_parameter(friction_of_all), {.body = s.body[1], .dp = {1, 0, 0}, .dv = {1, 0, 0}}};
        int n = agree_by(PERP_TANGENT_AUTO, way[k].stepper, s.w, a, 2, 30, 1e-6);
        assert_int_equal(n, way[k].modes ? 0 : 30);
        perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_MODES);
        uint64_t before = perp_world_hash(w);
        perp_status st = perp_tangent_step(t, w, NULL);
        assert_int_equal(st, way[k].modes ? PERP_OK : PERP_E_FIT);
        if (!way[k].modes) {
            assert_true(perp_world_hash(w) == before); /* neither has moved */
            if (!strstr(perp_world_why(w), way[k].why)) fail_msg("said: %s", perp_world_why(w));
            assert_int_equal(perp_tangent_report(t).steps, 0);
        }
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* A box on a plane whose slope is the friction: the limit of sticking. */
static void limit_of_sticking(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++)
        for (int k = -1; k <= 1; k++) {
            perp_world_def d = perp_world_def_default(3);
            d.h = 0.01;
            d.form = form ? PERP_FORM_CONE : PERP_FORM_LCP;
            scene s = scene_incline(d, PI / 12, tan(PI / 12) * (1 + 0.1 * k));
            perp_tangent *t = tangent_of(s.w, 1, PERP_TANGENT_AUTO);
            seed(t, s.w, 0, friction_of_all);
            for (int i = 0; i < 5; i++) OK(s.w, perp_tangent_step(t, s.w, NULL));
            perp_tangent_state r = perp_tangent_report(t);
            if (r.near_change != (k == 0)) fail_msg("form %d, %d: margin %g", form, k, r.margin);
            if (k == 0) BELOW(r.margin, 1e-9);
            if (k == 0) assert_int_equal(r.what, PERP_MARGIN_FRICTION);
            if (k != 0) BELOW(0.005, r.margin);
            assert_int_equal(r.changes, k == 0 ? 5 : 0);
            perp_tangent_free(t);
            scene_end(&s);
        }
}

/* A ball just above the floor at the end of a step, and one that lies on it without weight. */
static void limit_of_touching(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        perp_world_def d = perp_world_def_default(2);
        d.h = 0.01;
        d.gravity_W = perp_v3(0, k == 3 ? 0 : -10, 0);
        perp_world *w = world_of(&d);
        add_floor(w);
        /* it falls by 1e-3 in the first step */
        double gap = k == 0 ? 1e-3 : k == 1 ? 2e-3 : k == 2 ? 0.5e-3 : 0;
        perp_body_id b = add_mass(w, 1, 0.01, perp_pose_at(0, 0.1 + gap, 0));
        add_shape(w, b, perp_shape_sphere(0.1));
        perp_tangent *t = tangent_of(w, 1, PERP_TANGENT_MODES);
        OK(w, perp_tangent_step(t, w, NULL));
        perp_tangent_state r = perp_tangent_report(t);
        bool near = k == 0 || k == 3;
        if (r.near_change != near) fail_msg("case %d: margin %g", k, r.margin);
        assert_int_equal(r.what, PERP_MARGIN_CONTACT);
        perp_tangent_free(t);
        perp_world_destroy(w);
    }
}

/* What is not a parameter, or has no two sides, and what a tangent refuses. */
static void refusals(void **state) {
    (void)state;
    perp_body_id b;
    perp_world *w = particle(&b);
    perp_tangent_def td = perp_tangent_def_default();
    perp_tangent *t = NULL;
    td.directions = 0;
    assert_int_equal(perp_world_tangent(w, &td, &t), PERP_E_ARG);
    assert_null(t);
    td = (perp_tangent_def){.directions = 1};
    assert_int_equal(perp_world_tangent(w, &td, &t), PERP_E_ARG);
    t = tangent_of(w, 2, PERP_TANGENT_RUNS);
    const perp_parameter bad[] = {{.kind = PERP_PARAMETER_MU, .material = {0, 7}},
                                  {.kind = PERP_PARAMETER_RESTITUTION, .material = {0, 0}}, /* 0: one side only */
                                  {.kind = PERP_PARAMETER_SUPPORT_MU, .body = b},
                                  {.kind = PERP_PARAMETER_INERTIA, .body = b, .index = 2},
                                  {.kind = PERP_PARAMETER_MASS},
                                  {.kind = PERP_PARAMETER_GRAVITY, .index = 3},
                                  {.kind = PERP_PARAMETER_MOTOR_SPEED},
                                  {.kind = PERP_PARAMETER_ELEMENT},
                                  {.kind = PERP_PARAMETER_KIND_COUNT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(perp_tangent_seed(t, w, 0, &bad[i], 1), PERP_E_ARG);
        assert_true(strncmp(perp_world_why(w), "parameter: ", 11) == 0);
    }
    perp_parameter mass = {.kind = PERP_PARAMETER_MASS, .body = b};
    double value;
    OK(w, perp_parameter_get(w, &mass, &value));
    NEAR(value, 1, 0);
    assert_int_equal(perp_tangent_seed(t, w, 2, &mass, 1), PERP_E_ARG);
    assert_int_equal(perp_tangent_seed(t, w, 0, &mass, NAN), PERP_E_ARG);
    assert_int_equal(perp_tangent_set_pose(t, 0, b, perp_v3(0, 0, 1), perp_v3(0, 0, 0)), PERP_E_ARG); /* not planar */
    assert_int_equal(perp_tangent_set_pose(t, 0, b, perp_v3(0, 0, 0), perp_v3(0, 0, 1)), PERP_E_ARG); /* a particle */
    OK(w, perp_tangent_step(t, w, NULL));
    assert_int_equal(perp_tangent_seed(t, w, 0, &mass, 1), PERP_E_ARG); /* runs have begun */
    perp_body_id more = add_mass(w, 1, 1, perp_pose_at(5, 5, 0));
    assert_int_equal(perp_tangent_step(t, w, NULL), PERP_E_ARG); /* other bodies */
    assert_int_equal(perp_tangent_pose(t, 0, more, NULL, NULL), PERP_E_ARG);
    perp_tangent_free(t);
    perp_tangent_free(NULL);
    perp_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_by_friction),
        cmocka_unit_test(block_by_friction),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(rolling),
        cmocka_unit_test(incline),
        cmocka_unit_test(sliding_in_space),
        cmocka_unit_test(turning),
        cmocka_unit_test(boxes_in_the_plane),
        cmocka_unit_test(driven_joints),
        cmocka_unit_test(forces),
        cmocka_unit_test(motors),
        cmocka_unit_test(shapes),
        cmocka_unit_test(driven_floor),
        cmocka_unit_test(open_loads),
        cmocka_unit_test(by_steps),
        cmocka_unit_test(limit_of_sticking),
        cmocka_unit_test(limit_of_touching),
        cmocka_unit_test(refusals),
        cmocka_unit_test(pyramids),
        cmocka_unit_test(random_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
