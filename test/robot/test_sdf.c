/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_sdf.c - SDF: the same model as in URDF, frames, includes, trees and loops, pairs that may touch, what the report says. */
#include <math.h>
#include <sys/stat.h>

#include "perp/joint_space.h"
#include "robot/model_help.h"

#define ROBOTS           PERP_TEST_DIR "/../scenes/robots/"
#define MASS             "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
#define BALL             "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
#define LINK(name, more) "<link name='" name "'>" more MASS "</link>"
#define JOINT(name, type, a, b, more) \
    "<joint name='" name "' type='" type "'><parent>" a "</parent><child>" b "</child>" more "</joint>"
#define AXIS(xyz)            "<axis><xyz>" xyz "</xyz></axis>"
#define MODEL(version, more) "<sdf version='" version "'><model name='m'>" more "</model></sdf>"

static perp_vec3 place_of(const perp_world *w, const char *body) { return body_of(w, body).X_WB.p; }

static perp_joint_space *space_of(perp_scene *s) {
    perp_joint_space *space;
    assert_int_equal(perp_world_joint_space(perp_scene_world(s), NULL, &space), PERP_OK);
    return space;
}

/* ---- beside URDF ---- */

/* Masses, kinematics at 20 configurations, mass matrices. */
static void the_arm_is_that_of_urdf(void **state) {
    (void)state;
    perp_scene *s[2];
    perp_joint_space *space[2];
    perp_refusal why;
    static const char *const path[] = {ROBOTS "arm.sdf", ROBOTS "arm.urdf"};
    static const char *const name[] = {"turret", "upper_arm",   "forearm",     "wrist",
                                       "palm",   "left_finger", "right_finger"};
    for (int i = 0; i < 2; i++) {
        if (perp_scene_open(path[i], NULL, &s[i], &why)) fail_msg("%s", why.text);
        space[i] = space_of(s[i]);
    }
    int nv = perp_joint_space_nv(space[0]);
    assert_int_equal(nv, 7);
    assert_int_equal(perp_joint_space_nv(space[1]), nv);
    unsigned seed = 1;
    for (int k = 0; k < 20; k++) {
        double q[7], M[2][49], X[2][7];
        for (int i = 0; i < nv; i++) {
            seed = seed * 1664525u + 1013904223u;
            q[i] = (double)(seed >> 8) / 0x1000000 * 4 - 2;
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(perp_joint_space_place(space[i], perp_scene_world(s[i]), q, NULL), PERP_OK);
            perp_joint_space_mass_matrix(space[i], M[i]);
        }
        for (int i = 0; i < nv * nv; i++) assert_near(M[0][i], M[1][i], 1e-12);
        for (int b = 0; b < 7; b++) {
            for (int i = 0; i < 2; i++) {
                perp_body_id id = perp_body_find(perp_scene_world(s[i]), name[b]);
                assert_int_equal(perp_joint_space_pose(space[i], id, X[i]), PERP_OK);
            }
            for (int i = 0; i < 7; i++) assert_near(X[0][i], X[1][i], 1e-12);
            assert_near(body_of(perp_scene_world(s[0]), name[b]).mass, body_of(perp_scene_world(s[1]), name[b]).mass,
                        0);
        }
    }
    for (int i = 0; i < 2; i++) {
        perp_joint_space_free(space[i]);
        perp_scene_close(s[i]);
    }
}

/* ---- frames ---- */

static void poses_are_relative_to_frames(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf", MODEL("1.9", "<pose>10 0 0 0 0 0</pose><frame name='up'><pose>0 0 1 0 0 0</pose></frame>"
                              "<frame name='turned' attached_to='up'><pose degrees='true'>1 0 0 0 0 90</pose></frame>"
                              "<frame name='on' attached_to='c'><pose>0 0 1 0 0 0</pose></frame>" LINK(
                                  "a", "<pose relative_to='turned'>1 0 0 0 0 0</pose>")
                                  LINK("b", "<pose rotation_format='quat_xyzw' relative_to='a'>0 2 0 0 0 1 1</pose>")
                                      LINK("c", "<pose relative_to='b'>1 0 0 0 0 0</pose>")
                                          LINK("d", "<pose relative_to='on'/>")));
    const perp_world *w = perp_scene_world(s);
    assert_at(place_of(w, "a"), 11, 1, 1, 1e-15);
    assert_at(place_of(w, "b"), 9, 1, 1, 1e-15);
    assert_at(place_of(w, "c"), 8, 1, 1, 1e-15); /* two quarter turns */
    assert_at(place_of(w, "d"), 8, 1, 2, 1e-15);
    perp_pose X;
    assert_int_equal(perp_site_read(w, perp_site_find(w, "on"), &X, NULL, NULL), PERP_OK);
    assert_at(X.p, 8, 1, 2, 1e-15);
    perp_scene_close(s);
}

/* Far from the origin a pose that is given in another loses nothing. */
static void poses_in_each_other_are_exact(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf",
        MODEL("1.9", "<pose>1e6 1e6 1e6 0.1 0.2 0.3</pose>" LINK("a", "") LINK("b", "<pose relative_to='j'/>") JOINT(
                         "j", "revolute", "a", "b", "<pose relative_to='a'>0.1 0.2 0.3 0 0 0</pose>" AXIS("1 0 0"))));
    const perp_world *w = perp_scene_world(s);
    perp_joint_def d;
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "j"), &d), PERP_OK);
    assert_at(d.X_AJ.p, 0.1, 0.2, 0.3, 0);
    assert_at(d.X_BJ.p, 0, 0, 0, 0);
    perp_scene_close(s);
}

/* Up to 1.4 axes are in the frame of the model, then in that of the joint; expressed_in and use_parent_model_frame say otherwise. */
static void axes_are_in_the_frame_of_their_version(void **state) {
    (void)state;
    static const char *const turned = "<pose>0 0 0 0 0 1.5707963267948966</pose>";
    static const struct {
        const char *version, *axis;
        bool model;
    } list[] = {{"1.4", "<xyz>1 0 0</xyz>", true},
                {"1.5", "<xyz>1 0 0</xyz>", false},
                {"1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", true},
                {"1.7", "<xyz expressed_in='__model__'>1 0 0</xyz>", true},
                {"1.11", "<xyz expressed_in='b'>1 0 0</xyz>", false}};
    for (int i = 0; i < 5; i++) {
        char text[1000];
        (void)snprintf(
            text, sizeof text,
            "<sdf version='%s'><model name='m'>" LINK(
                "a", "") "<link name='b'>%s" MASS "</link><joint name='j' "
                         "type='revolute'><parent>a</parent><child>b</child><axis>%s</axis></joint></model></sdf>",
            list[i].version, turned, list[i].axis);
        perp_scene *s = world_of("m.sdf", text);
        const perp_world *w = perp_scene_world(s);
        perp_joint_def d;
        assert_int_equal(perp_joint_get(w, perp_joint_find(w, "j"), &d), PERP_OK);
        perp_vec3 axis = perp_q_rotate(d.X_AJ.q, perp_v3(0, 0, 1));
        assert_at(axis, list[i].model ? 1 : 0, list[i].model ? 0 : 1, 0, 1e-15);
        perp_scene_close(s);
    }
}

/* The world of scenes/robots: includes twice, placement_frame, models in models, a loop. */
static void a_world_has_its_models(void **state) {
    (void)state;
    perp_scene *s;
    perp_refusal why;
    if (perp_scene_open(ROBOTS "yard.sdf", NULL, &s, &why)) fail_msg("%s", why.text);
    perp_world *w = perp_scene_world(s);
    assert_at(place_of(w, "right-body"), 0.25, -1, 0.2, 1e-15); /* its hook is at 0, -1, 0.1 */
    assert_at(place_of(w, "left-body"), 0, 1, 0.2, 1e-15);
    assert_at(place_of(w, "left-trailer-body"), -0.65 * cos(0.5235987755982988), 1 - 0.65 * 0.5, 0.15, 1e-15);
    assert_at(place_of(w, "crate-box"), -1, 0, 0.3, 1e-15);
    assert_near(perp_world_h(w), 0.002, 0);
    assert_false(may_touch(w, "left-front", "left-rear")); /* of one model */
    assert_true(may_touch(w, "left-front", "right-rear"));
    assert_true(may_touch(w, "left-front", "base"));
    assert_true(may_touch(w, "left-front", "crate-box"));
    perp_joint_space *space = space_of(s);
    assert_int_equal(perp_joint_space_nloop(space), 1);
    perp_joint_space_free(space);
    perp_pair_law law;
    assert_int_equal(perp_pair_get(w, shape_of(w, "crate-box", 0).material, shape_of(w, "base", 0).material, &law),
                     PERP_OK);
    assert_near(law.mu, 0.6, 0); /* the smaller one */
    assert_below(perp_world_joint_error(w), 1e-14);
    for (int i = 0; i < 100; i++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    assert_below(perp_world_joint_error(w), 1e-14);
    perp_scene_close(s);
}

/* Names of a merged model are those of the model around it. */
static void a_merged_model_is_part_of_its_parent(void **state) {
    (void)state;
    put("part.sdf",
        MODEL("1.9", "<pose>0 0 1 0 0 0</pose>" LINK(
                         "tip", "<pose>1 0 0 0 0 0</pose>") "<frame name='f'><pose>0 1 0 0 0 0</pose></frame>"));
    perp_scene *s = world_of(
        "m.sdf", MODEL("1.9", LINK("base", "") "<include merge='true'><uri>part.sdf</uri></include>" JOINT(
                                  "j", "revolute", "base", "tip", AXIS("0 0 1")) LINK("c", "<pose relative_to='f'/>")));
    const perp_world *w = perp_scene_world(s);
    assert_at(place_of(w, "tip"), 1, 0, 1, 0);
    assert_at(place_of(w, "c"), 0, 1, 1, 0);
    perp_scene_close(s);
    (void)unlink("part.sdf");
}

/* ---- trees, loops, joints ---- */

/* Two parents of one child: the second one hangs on the child, with the same coordinate. */
static void a_second_parent_hangs_on_its_child(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf",
        MODEL("1.9", LINK("a", "") LINK("b", "") LINK("c", "<pose>1 0 0 0 0 0</pose>")
                         JOINT("j", "revolute", "a", "b", AXIS("0 0 1"))
                             JOINT("k", "revolute", "c", "b",
                                   "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>0.5</upper></limit></axis>")));
    perp_world *w = perp_scene_world(s);
    perp_joint_space *space = space_of(s);
    assert_int_equal(perp_joint_space_nloop(space), 0);
    int link = perp_joint_space_find(space, "k");
    perp_joint_link l;
    assert_int_equal(perp_joint_space_link(space, link, &l), PERP_OK);
    double q[16], v[16];
    assert_int_equal(perp_joint_space_get(space, w, q, v), PERP_OK);
    q[l.q] = 0.5; /* the child turned by 0.5 against its parent: the parent by -0.5 against the child */
    assert_int_equal(perp_joint_space_set(space, w, q, v, 1e-12), PERP_OK);
    perp_pose X = body_of(w, "c").X_WB;
    perp_vec3 x = perp_q_rotate(X.q, perp_v3(1, 0, 0));
    assert_at(x, cos(0.5), -sin(0.5), 0, 1e-14);
    perp_joint_space_free(space);
    perp_scene_close(s);
}

static void joints_have_their_kinds(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf",
        MODEL("1.10",
              LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "") LINK("e", "") LINK("f", "") JOINT(
                  "fix", "fixed", "world", "a",
                  "") JOINT("cross", "universal", "a", "b", AXIS("1 0 0") "<axis2><xyz>0 1 0</xyz></axis2>")
                  JOINT("skew", "revolute2", "a", "c", AXIS("1 0 0") "<axis2><xyz>1 1 0</xyz></axis2>")
                      JOINT("screw", "screw", "a", "d", "<screw_thread_pitch>0.02</screw_thread_pitch>" AXIS("0 0 1"))
                          JOINT("thread", "screw", "a", "f",
                                "<thread_pitch>-314.1592653589793</thread_pitch>" AXIS("0 0 1"))
                              JOINT("spring", "prismatic", "a", "e",
                                    "<axis><xyz>0 0 2</xyz><limit><lower>-inf</lower><upper>1e16</upper></limit>"
                                    "<dynamics><damping>2</damping><friction>3</friction><spring_stiffness>4</"
                                    "spring_stiffness><spring_reference>0.1</spring_reference></dynamics></axis>")));
    perp_world *w = perp_scene_world(s);
    perp_joint_def d;
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "cross"), &d), PERP_OK);
    assert_int_equal(d.kind, PERP_JOINT_UNIVERSAL);
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "skew"), &d), PERP_OK); /* two hinges with a body between */
    assert_int_equal(d.kind, PERP_JOINT_REVOLUTE);
    assert_int_equal(perp_joint_get(w, perp_joint_find(w, "spring"), &d), PERP_OK);
    assert_near(d.axis[0].damping, 2, 0);
    assert_near(d.axis[0].friction, 3, 0);
    assert_near(d.axis[0].stiffness, 4, 0);
    assert_near(d.axis[0].rest, 0.1, 0);
    assert_false(d.axis[0].limited);
    for (int i = 0; i < 200; i++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    assert_below(perp_world_joint_error(w), 1e-13);
    static const char *const screw[] = {"d", "f"}; /* they fell and turned: right-handed, 0.02 a turn */
    for (int i = 0; i < 2; i++) {
        perp_vec3 p = place_of(w, screw[i]);
        perp_quat q = body_of(w, screw[i]).X_WB.q;
        double turns = 2 * atan2(q.z, q.w) / 6.283185307179586;
        assert_true(p.z < -1e-8);
        assert_near(turns - p.z / 0.02, round(turns - p.z / 0.02), 1e-9);
    }
    perp_scene_close(s);
}

/* ---- what is static, massless, not drawn by gravity ---- */

static void static_models_and_links_without_gravity_stay(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf",
        "<sdf version='1.9'><world name='w'><model name='wall'><static>1</static>" LINK(
            "a",
            BALL) "<model name='door'>" LINK("b",
                                             BALL) "</model>" JOINT("j", "revolute", "a", "door::b",
                                                                    AXIS("0 0 1")) "</model>"
                                                                                   "<model name='m'><pose>0 0 3 "
                                                                                   "0 0 0</pose>" LINK(
                                                                                       "l",
                                                                                       "<gravity>false</"
                                                                                       "gravity>") "</model>"
                                                                                                   "<model "
                                                                                                   "name='k'"
                                                                                                   ">" LINK("l",
                                                                                                            "<kinemat"
                                                                                                            "ic>true<"
                                                                                                            "/kinemat"
                                                                                                            "ic>") "<"
                                                                                                                   "/"
                                                                                                                   "m"
                                                                                                                   "o"
                                                                                                                   "d"
                                                                                                                   "e"
                                                                                                                   "l"
                                                                                                                   ">"
                                                                                                                   "<"
                                                                                                                   "/"
                                                                                                                   "w"
                                                                                                                   "o"
                                                                                                                   "r"
                                                                                                                   "l"
                                                                                                                   "d"
                                                                                                                   ">"
                                                                                                                   "<"
                                                                                                                   "/"
                                                                                                                   "s"
                                                                                                                   "d"
                                                                                                                   "f"
                                                                                                                   ">");
    perp_world *w = perp_scene_world(s);
    assert_int_equal(perp_world_joints(w, NULL, 0), 0);
    perp_shape_id id[4];
    assert_int_equal(perp_world_shapes(w, id, 4), 2); /* both of the base */
    for (int i = 0; i < 10; i++) assert_int_equal(perp_world_step(w, NULL), PERP_OK);
    assert_at(place_of(w, "m-l"), 0, 0, 3, 1e-15);
    assert_int_equal(body_of(w, "k-l").kind, PERP_BODY_KINEMATIC);
    perp_scene_close(s);
}

static void self_collide_lets_links_touch(void **state) {
    (void)state;
    static const char *const self[] = {"", "<self_collide>true</self_collide>"};
    for (int model = 0; model < 2; model++)
        for (int link = 0; link < 2; link++) {
            char text[2000];
            (void)snprintf(text, sizeof text,
                           "<sdf version='1.9'><model name='m'>%s<link name='a'>" MASS BALL "</link>"
                           "<link name='b'>" MASS BALL "</link><link name='c'>%s" MASS BALL
                           "</link>" JOINT("j", "revolute", "a", "b", AXIS("0 0 1"))
                               JOINT("k", "revolute", "b", "c", AXIS("0 0 1")) "</model></sdf>",
                           self[model], self[link]);
            perp_scene *s = world_of("m.sdf", text);
            assert_int_equal(may_touch(perp_scene_world(s), "a", "c"), model || link);
            perp_scene_close(s);
        }
}

/* One of the two masks of one shape has a bit of the other mask of the other shape. Those that are not given have all bits. */
static void masks_decide_which_models_touch(void **state) {
    (void)state;
#define MASKED(name, masks)                                                                                  \
    "<model name='" name "'><link name='l'>" MASS                                                            \
    "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry><surface><contact>" masks \
    "</contact></surface></collision></link></model>"
    perp_scene *s = world_of(
        "m.sdf",
        "<sdf version='1.10'><world name='w'>" MASKED("all", "") MASKED("a", "<collide_bitmask>0x02</collide_bitmask>")
            MASKED("b", "<collide_bitmask>5</collide_bitmask>")
                MASKED("c", "<collide_bitmask>0x8</collide_bitmask><category_bitmask>2</category_bitmask>")
                    MASKED("ghost", "<collide_without_contact>true</collide_without_contact>") "</world></sdf>");
    const perp_world *w = perp_scene_world(s);
    assert_true(may_touch(w, "all-l", "a-l") && may_touch(w, "all-l", "b-l") && may_touch(w, "all-l", "c-l"));
    assert_false(may_touch(w, "a-l", "b-l"));
    assert_true(may_touch(w, "a-l", "c-l"));
    assert_false(may_touch(w, "b-l", "c-l"));
    assert_false(may_touch(w, "ghost-l", "all-l"));
    perp_scene_close(s);
}

/* Masses that come from shapes: auto, with the density of each. */
static void masses_may_come_from_shapes(void **state) {
    (void)state;
    perp_scene *s = world_of(
        "m.sdf", MODEL("1.11", "<link name='a'><inertial auto='true'/><collision name='c'><density>500</density>"
                               "<geometry><box><size>1 2 3</size></box></geometry></collision></link>"
                               "<link name='b'/>"));
    const perp_world *w = perp_scene_world(s);
    assert_near(body_of(w, "a").mass, 3000, 1e-9);
    assert_near(body_of(w, "a").I_B.c[2].z, 3000 * 5 / 12., 1e-9);
    assert_near(body_of(w, "b").mass, 1, 0); /* the default of the format */
    perp_scene_close(s);
}

/* ---- files ---- */

/* model:// in a folder of that name, its model.config, a mesh beside it; the report names what is left out. */
static void models_are_found_and_the_report_tells(void **state) {
    (void)state;
    static const char *const folder[] = {"models", "models/ball", "models/ball/meshes", "models/world"};
    static const char *const file[] = {"models/ball/model.config", "models/ball/meshes/a.obj", "models/ball/new.sdf",
                                       "models/world/w.sdf"};
    for (int i = 0; i < 4; i++) (void)mkdir(folder[i], 0777);
    put("models/ball/model.config",
        "<model><name>Ball</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.10'>new.sdf</sdf></model>");
    put("models/ball/meshes/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    put("models/ball/new.sdf",
        MODEL("1.10", "<plugin name='p' filename='f'/><enable_wind>true</enable_wind><link name='l'>" MASS
                      "<sensor name='s' type='imu'/><collision "
                      "name='c'><geometry><mesh><uri>model://ball/meshes/a.obj</uri></mesh></geometry>"
                      "<surface><friction><ode><mu>0.5</mu><mu2>0.25</mu2></ode></friction><bounce/></surface></"
                      "collision></link>"));
    put("models/world/w.sdf", "<sdf version='1.9'><world name='w'><include><uri>model://ball</uri></include><include>"
                              "<uri>https://fuel.gazebosim.org/1.0/someone/models/ball/2</uri><name>other</name></"
                              "include><light name='sun'/></world></sdf>");
    perp_import *m = opened("models/world/w.sdf", NULL);
    perp_import_counts c = perp_import_count(m);
    assert_string_equal(c.format, "SDF");
    assert_int_equal(c.bodies, 2);
    assert_true(noted(m, PERP_IMPORT_IGNORED, "elements <plugin> of <model>"));
    assert_true(noted(m, PERP_IMPORT_IGNORED, "elements <sensor> of <link>"));
    assert_true(noted(m, PERP_IMPORT_IGNORED, "elements <bounce> of <surface>"));
    assert_true(noted(m, PERP_IMPORT_IGNORED, "elements <light> of <world>"));
    assert_true(noted(m, PERP_IMPORT_APPROXIMATED, "mu2 other than mu"));
    assert_true(strstr(perp_import_scene(m), "name: m-l") != NULL);
    assert_true(strstr(perp_import_scene(m), "name: other-l") != NULL);
    perp_import_close(m);
    for (int i = 0; i < 4; i++) (void)unlink(file[i]);
    for (int i = 3; i >= 0; i--) (void)rmdir(folder[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_is_that_of_urdf),
        cmocka_unit_test(poses_are_relative_to_frames),
        cmocka_unit_test(poses_in_each_other_are_exact),
        cmocka_unit_test(axes_are_in_the_frame_of_their_version),
        cmocka_unit_test(a_world_has_its_models),
        cmocka_unit_test(a_merged_model_is_part_of_its_parent),
        cmocka_unit_test(a_second_parent_hangs_on_its_child),
        cmocka_unit_test(joints_have_their_kinds),
        cmocka_unit_test(static_models_and_links_without_gravity_stay),
        cmocka_unit_test(self_collide_lets_links_touch),
        cmocka_unit_test(masks_decide_which_models_touch),
        cmocka_unit_test(masses_may_come_from_shapes),
        cmocka_unit_test(models_are_found_and_the_report_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
