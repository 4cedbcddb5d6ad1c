/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order.h - parts of the stepper "first-order": constraints as implicit springs and dampers (Drumwright).
 *
 * Every softened row is  p = h lambda,  lambda = -K phi1 - B dphi1,  with phi1, dphi1 at the end of the step. Solved for the velocity of
 * the row this is  J nu + b + compliance p = 0  (joints), or >= 0 and complementary to p >= 0 (limits, contacts). So every solver of the
 * library and the judge can handle it without changes. See docs/theory.md, "First-order constraints". */
#ifndef PP_FIRST_ORDER_H
#define PP_FIRST_ORDER_H

#include "stage/frame.h"

/* Euler rule that advances the springs and dampers. Only the first is stable for all of them. */
typedef enum pp_euler { PP_EULER_IMPLICIT, PP_EULER_SEMI_IMPLICIT, PP_EULER_EXPLICIT } pp_euler;

typedef struct pp_first_order {
    double stiffness, damping;             /* of locked translations of joints */
    double turn_stiffness, turn_damping;   /* of locked rotations of joints */
    double limit_stiffness, limit_damping; /* of limits of coordinates */
    double curvature;                      /* fraction of h dJ/dt nu that joint rows anticipate */
    int elements;                          /* elements of an elastic foundation along each edge of a face */
    int euler;                             /* pp_euler */
    int printed;                           /* 1: the least-norm programme as printed */
} pp_first_order;

/* Force law of one contact: the force F(d) of its depth d, and a damper. */
typedef struct pp_soft_contact {
    perp_compliance kind;
    double stiffness; /* linear, foundation: F = stiffness d [M/T^2]; Hertz: F = stiffness d^(3/2) [M/(L^(1/2) T^2)] */
    double damping;   /* [M/T] */
    double damping_t; /* along the surface; 0: rigid [M/T] */
    double gap;       /* at the start of the step, kinematic bodies at its end, as the row has it [L] */
    double depth0;    /* depth at the start of the step, all bodies there [L] */
    double closing;   /* (gap + depth0)/h: loss of depth by kinematic bodies alone [L/T] */
    double depth;     /* at which F is linearised [L] */
    double least;     /* Hertz: smallest depth at which F is linearised, because it has no slope at 0 [L] */
} pp_soft_contact;

/* Makes f->contacts from the pairs, as the model one-plane does. A pair with an elastic foundation gets its elements.
 * *soft: the laws, in the arena. Returns PERP_E_FIT if there is no such law for the shapes of a pair. */
perp_status pp_first_order_contacts(pp_frame *f, const pp_first_order *set, pp_soft_contact **soft);
/* Checks that every pair of shapes that may touch has a law that fits the shapes. Returns PERP_E_FIT with a sentence if
 * not, or PERP_E_MEMORY. */
perp_status pp_first_order_pairs(perp_world *w);

/* Force of a contact at depth d >= 0 without its damper, and the derivative [M L/T^2, M/T^2]. */
double pp_soft_force(const pp_soft_contact *c, double d, double *slope);

/* Solves a problem whose rows are all compliant and whose contacts have no friction, or do not need it: M nu = momentum
 * + G p(nu), by Newton's method in the velocities instead of the rows. guess: impulses to start from, or NULL. Returns
 * false if the problem is not of this kind or too stiff for double precision, or if out of memory. */
bool pp_soft_newton(const perp_step_problem *p, const perp_step_solution *guess, pp_arena *arena,
                    perp_step_solution *out);

/* dJ/dt nu at the start of the step, for each joint row of f->pose.problem [L/T^2 or 1/T^2]. */
perp_status pp_row_curvature(const pp_frame *f, double *out);

/* The programme as printed, (69)-(71) and (83)-(85), for rows without friction: the impulses of least norm for which no
 * row moves more slowly than its spring allows. */
perp_status pp_printed_programme(pp_frame *f);

#endif
