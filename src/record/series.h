/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* series.h - quantities over all frames by their names. */
#ifndef PP_SERIES_H
#define PP_SERIES_H

#include "record/reader.h"

/* How a series is computed from the datasets. */
typedef enum pp_series_kind {
    PP_SERIES_NONE,
    PP_SERIES_TIME,
    PP_SERIES_COLUMN,   /* one number of each row */
    PP_SERIES_FORCE,    /* the same, an impulse, divided by the time step */
    PP_SERIES_RUNNING,  /* the same, summed from the first frame on */
    PP_SERIES_FIRST,    /* constant: that of the first frame with steps */
    PP_SERIES_NORM,     /* of three numbers of each row */
    PP_SERIES_KINETIC,  /* energy of a body */
    PP_SERIES_TURNED,   /* angular velocity in axes of the body */
    PP_SERIES_TOTAL,    /* energy of all kinds */
    PP_SERIES_MOMENTUM, /* of all dynamic bodies */
    PP_SERIES_ANGULAR,
    PP_SERIES_CONTACTS /* over the contacts of each frame */
} pp_series_kind;

typedef enum pp_contact_figure {
    PP_CONTACTS_COUNT,
    PP_CONTACTS_SEPARATING,
    PP_CONTACTS_STICKING,
    PP_CONTACTS_SLIDING,
    PP_CONTACTS_NORMAL,
    PP_CONTACTS_TANGENT,
    PP_CONTACTS_FRICTION,
    PP_CONTACTS_SPIN,
    PP_CONTACTS_ROLL,
    PP_CONTACTS_FX,
    PP_CONTACTS_FY,
    PP_CONTACTS_FZ,
    PP_CONTACTS_GAP,
    PP_CONTACTS_GAP_END,
    PP_CONTACTS_STATE
} pp_contact_figure;

typedef struct pp_series {
    pp_series_kind kind;
    pp_dataset d;   /* read from here; for the last kinds: a dataset that must exist */
    pp_dataset too; /* and this one */
    int col, component;
    int a, b; /* contacts: between these bodies; -1: of any */
    const char *unit;
} pp_series;

/* ---- values of one frame: shared by files and traces, so that both give the same bits ---- */

/* Motion of a body at a frame; what a series does not use may be left zero. */
typedef struct pp_body_state {
    perp_vec3 x, v, w; /* centre of mass [L], its velocity [L/T], angular velocity [rad/T], in W */
    perp_quat q;
} pp_body_state;
double pp_series_norm(const double *x); /* of three numbers */
/* PP_SERIES_KINETIC or PP_SERIES_TURNED. */
double pp_series_body(pp_series_kind kind, int component, int dim, const perp_recorded_body *b,
                      const pp_body_state *at);
/* Adds the momentum of a body, or its moment of momentum about the origin. */
void pp_series_add_momentum(bool angular, int dim, const perp_recorded_body *b, const pp_body_state *at,
                            perp_vec3 *sum);
/* Initial value of a series of contacts, before any contact is added. */
double pp_series_no_contact(const pp_series *s);
/* Adds a contact to the value if the series is about its bodies. h: time step [T]. */
void pp_series_add_contact(const pp_series *s, const perp_recorded_contact *c, double h, double *sum);

/* ---- names ---- */

/* Unit of the numbers of a sensor, in L, M, T and rad; joint: of the kinds that are on one. */
const char *pp_sensor_unit(perp_sensor_kind kind, perp_joint_kind joint, int coord);

/* The series of a name; kind PP_SERIES_NONE if there is none. The recording need not have its data. */
pp_series pp_series_find(const perp_recording *r, const char *name);
/* Error report about an unknown name, with the allowed names and the nearest one. */
perp_status pp_series_unknown(const perp_recording *r, const char *name, perp_refusal *why);
/* Whether the recording has the data of the series. */
bool pp_recording_has_series(const perp_recording *r, const pp_series *s);

#endif
