/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* chain.c - the joints of a link, which act one after the other, as one joint of perp.
 *
 *   one hinge, slide, ball                                    revolute, prismatic, spherical
 *   two hinges that cross at right angles                     universal
 *   a slide and a hinge along the same line                   cylindrical
 *   two slides and a hinge, all at right angles, hinge last   planar
 *   three hinges through one point that only let turn         spherical: it has no coordinates
 *   three slides and three hinges, none limited               moves freely
 * Others are split: an intermediate body at the place of the link connects two joints. It has PP_SPLIT_MASS of the link's mass and inertia; the link keeps the rest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/model/robot.h"

#define ALIGNED \
    1e-6 /* [1] sine of the angle up to which directions count as the same; also for lengths of unit vectors */

static perp_pose frame_of(perp_vec3 p, perp_vec3 x, perp_vec3 z) {
    perp_mat3 R = {{x, perp_v3_cross(z, x), z}};
    return (perp_pose){p, perp_q_unit(perp_q_from_matrix(R))};
}

static perp_pose frame_along(perp_vec3 p, perp_vec3 z) {
    perp_vec3 t, o;
    perp_v3_frame(z, &t, &o);
    return frame_of(p, t, z);
}

/* Whether the lines through p along a and through q along b intersect, and where. */
static bool meet(perp_vec3 p, perp_vec3 a, perp_vec3 q, perp_vec3 b, perp_vec3 *at) {
    perp_vec3 n = perp_v3_cross(a, b), r = perp_v3_sub(q, p);
    double nn = perp_v3_dot(n, n);
    if (!(nn > ALIGNED * ALIGNED)) return false;
    double s = perp_v3_dot(perp_v3_cross(r, b), n) / nn;
    *at = perp_v3_axpy(p, s, a);
    return fabs(perp_v3_dot(r, n)) / sqrt(nn) <= ALIGNED;
}

static bool square(perp_vec3 a, perp_vec3 b) { return fabs(perp_v3_dot(a, b)) <= ALIGNED; }

static bool bare(const pp_model_joint *j) {
    return !j->limited && j->stiffness == 0 && j->damping == 0 && j->friction == 0 && j->armature == 0;
}

static bool same_name(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* Whether anything refers to the coordinate of a joint: an actuator, a tendon, a coupling, a sensor. */
static bool used(const pp_import *m, int joint) {
    const pp_model *model = &m->model;
    const char *name = model->joint[joint].name;
    bool found = model->joint[joint].mimic != NULL;
    for (int i = 0; i < model->nactuator; i++) found |= model->actuator[i].joint == joint;
    for (int i = 0; i < model->nsensor; i++) found |= same_name(model->sensor[i].target, name);
    for (int i = 0; i < model->njoint; i++) found |= same_name(model->joint[i].mimic, name);
    for (int i = 0; i < model->nequality; i++)
        found |= same_name(model->equality[i].a, name) || same_name(model->equality[i].b, name);
    for (int i = 0; i < model->ntendon; i++)
        for (int k = 0; k < model->tendon[i].nterm; k++) found |= same_name(model->tendon[i].term[k].joint, name);
    return found;
}

/* Both frames coincide with all coordinates at their reference. */
static void same_frames(const pp_import *m, int link, perp_pose X_B, pp_chain *out) {
    const pp_link *l = &m->link[link];
    const pp_model_body *b = &m->model.body[l->body];
    out->X_B = X_B;
    out->X_A = perp_pose_mul(perp_pose_mul(m->X_link[b->parent], b->X_P), X_B);
}

static void one(const pp_import *m, int link, int joint, pp_chain *out) {
    const pp_model_joint *j = &m->model.joint[joint];
    same_frames(m, link, frame_along(j->p_B, j->axis_B), out);
    if (joint > m->link[link].joint) out->X_A = out->X_B; /* on the body of the joint before it */
    if (j->kind == PP_HINGE) {
        out->type = "revolute";
        out->X_B.q = perp_q_mul(out->X_B.q, perp_q_axis_angle(perp_v3(0, 0, 1), j->ref));
    } else if (j->kind == PP_SLIDE) {
        out->type = "prismatic";
        out->X_B.p = perp_v3_axpy(out->X_B.p, j->ref, j->axis_B);
    } else {
        out->type = "spherical";
        return;
    }
    out->ncoordinate = 1;
    out->coordinate[0] = joint;
    out->sign[0] = 1;
}

static void coordinates(pp_import *m, pp_chain *out, int n, const int *joint, const double *sign) {
    out->ncoordinate = n;
    for (int i = 0; i < n; i++) {
        out->coordinate[i] = joint[i];
        out->sign[i] = sign[i];
        out->offset[i] = -sign[i] * m->model.joint[joint[i]].ref;
    }
}

static bool two(pp_import *m, int link, pp_chain *out) {
    int i = m->link[link].joint;
    const pp_model_joint *a = &m->model.joint[i], *b = a + 1;
    perp_vec3 at;
    if (a->kind == PP_HINGE && b->kind == PP_HINGE) {
        if (!square(a->axis_B, b->axis_B) || !meet(a->p_B, a->axis_B, b->p_B, b->axis_B, &at)) return false;
        perp_vec3 x = perp_v3_unit(perp_v3_axpy(b->axis_B, -perp_v3_dot(a->axis_B, b->axis_B), a->axis_B));
        same_frames(m, link, frame_of(at, x, a->axis_B), out);
        out->type = "universal";
        coordinates(m, out, 2, (const int[]){i, i + 1}, (const double[]){1, 1});
        return true;
    }
    bool first = a->kind == PP_SLIDE;
    const pp_model_joint *slide = first ? a : b, *hinge = first ? b : a;
    if (slide->kind != PP_SLIDE || hinge->kind != PP_HINGE) return false;
    if (perp_v3_norm(perp_v3_cross(slide->axis_B, hinge->axis_B)) > ALIGNED) return false;
    same_frames(m, link, frame_along(hinge->p_B, slide->axis_B), out);
    out->type = "cylindrical";
    double turn = perp_v3_dot(slide->axis_B, hinge->axis_B) > 0 ? 1 : -1;
    coordinates(m, out, 2, (const int[]){first ? i : i + 1, first ? i + 1 : i}, (const double[]){1, turn});
    return true;
}

static bool three(pp_import *m, int link, pp_chain *out) {
    int i = m->link[link].joint;
    const pp_model_joint *j = &m->model.joint[i];
    perp_vec3 a = j[0].axis_B, b = j[1].axis_B, c = j[2].axis_B, at, other;
    if (j[0].kind == PP_SLIDE && j[1].kind == PP_SLIDE && j[2].kind == PP_HINGE) {
        if (!square(a, b) || !square(a, c) || !square(b, c)) return false;
        perp_vec3 z = perp_v3_unit(perp_v3_cross(a, b));
        same_frames(m, link, frame_of(j[2].p_B, perp_v3_unit(perp_v3_cross(b, z)), z), out);
        out->type = "planar";
        coordinates(m, out, 3, (const int[]){i, i + 1, i + 2}, (const double[]){1, 1, perp_v3_dot(c, z) > 0 ? 1 : -1});
        return true;
    }
    for (int k = 0; k < 3; k++) /* a ball joint has no coordinates: nothing may act on those of the hinges */
        if (j[k].kind != PP_HINGE || !bare(&j[k]) || used(m, i + k)) return false;
    if (!meet(j[0].p_B, a, j[1].p_B, b, &at)) return false;
    perp_vec3 r = perp_v3_sub(at, j[2].p_B);
    other = perp_v3_axpy(r, -perp_v3_dot(r, c), c);
    if (perp_v3_norm(other) > ALIGNED || fabs(perp_v3_dot(perp_v3_cross(a, b), c)) < 1e-3) return false;
    out->type = "spherical";
    same_frames(m, link, (perp_pose){at, {1, 0, 0, 0}}, out);
    return true;
}

static bool six(const pp_import *m, int link) {
    const pp_link *l = &m->link[link];
    const pp_model_joint *j = &m->model.joint[l->joint];
    int slides = 0, hinges = 0;
    if (l->parent != 0) return false;
    for (int k = 0; k < 6; k++) {
        slides += j[k].kind == PP_SLIDE;
        hinges += j[k].kind == PP_HINGE;
        if (!bare(&j[k])) return false;
    }
    return slides == 3 && hinges == 3;
}

perp_status pp_robot_chain(pp_import *m, int link, pp_chain *out) {
    const pp_link *l = &m->link[link];
    const pp_model_joint *j = &m->model.joint[l->joint];
    const char *name = m->model.body[l->body].name;
    *out = (pp_chain){.X_A = perp_pose_identity(), .X_B = perp_pose_identity()};
    if (l->njoint == 1 && j->kind == PP_FREE) {
        if (l->parent == 0) return PERP_OK;
        return pp_robot_say(m, PERP_E_ARG, j->at,
                            "found a free joint on a body that hangs on a moving one; allowed: on "
                            "bodies of the world");
    }
    if (l->njoint == 1) {
        one(m, link, l->joint, out);
        if (j->kind == PP_BALL && !bare(j))
            return pp_robot_note(m, PERP_IMPORT_IGNORED, j->at,
                                 "joint %s: limits, springs, damping, friction and armature of a ball joint", j->name);
        return PERP_OK;
    }
    bool fits = (l->njoint == 2 && two(m, link, out)) || (l->njoint == 3 && three(m, link, out));
    if (fits && strcmp(out->type, "spherical") != 0) return PERP_OK;
    if (fits)
        return pp_robot_note(m, PERP_IMPORT_APPROXIMATED, j->at,
                             "%s: three hinges through one point are a ball joint, whose coordinates are a quaternion",
                             name);
    if (l->njoint == 6 && six(m, link))
        return pp_robot_note(m, PERP_IMPORT_APPROXIMATED, j->at, "%s: three slides and three hinges are free motion",
                             name);
    for (int i = 1; i < l->njoint; i++)
        if (j[i].kind == PP_FREE)
            return pp_robot_say(m, PERP_E_ARG, j->at, "found a free joint among others; allowed: alone");
    *out = (pp_chain){.split = true};
    return pp_robot_note(m, PERP_IMPORT_APPROXIMATED, j->at,
                         "%s: between its %d joints in a row are bodies, each with %g of its mass", name, l->njoint,
                         PP_SPLIT_MASS);
}

void pp_robot_chain_part(const pp_import *m, int link, int i, pp_chain *out) {
    *out = (pp_chain){.X_A = perp_pose_identity(), .X_B = perp_pose_identity()};
    one(m, link, m->link[link].joint + i, out);
}
