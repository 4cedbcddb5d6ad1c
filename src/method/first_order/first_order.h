/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* first_order.h - parts of the stepper "first-order": constraints as implicit springs and dampers (Drumwright).
 *
 * Every softened row is  p = h lambda,  lambda = -K phi1 - B dphi1,  with phi1, dphi1 at the end of the step; solved for
 * the velocity of the row that is  J nu + b + compliance p = 0  (joints) or >= 0 complementary to p >= 0 (limits,
 * contacts), so every solver of the library and the judge take it as it is. See docs/theory.md, "First-order
 * constraints". */
#ifndef PP_FIRST_ORDER_H
#define PP_FIRST_ORDER_H

#include "stage/frame.h"

/* Which rule of Euler's advances the springs and dampers. Only the first is stable for all of them. */
typedef enum pp_euler { PP_EULER_IMPLICIT, PP_EULER_SEMI_IMPLICIT, PP_EULER_EXPLICIT } pp_euler;

typedef struct pp_first_order {
    double stiffness, damping;             /* of what joints lock along a line */
    double turn_stiffness, turn_damping;   /* of what they lock about an axis */
    double limit_stiffness, limit_damping; /* of limits of coordinates */
    double curvature;                      /* part of h dJ/dt nu that rows of joints foresee */
    int elements;                          /* of an elastic foundation, along each edge of a face */
    int euler;                             /* pp_euler */
    int printed;                           /* 1: the least-norm programme as printed */
} pp_first_order;

/* A contact's own law: the force F(d) of its depth d, and a damper. */
typedef struct pp_soft_contact {
    perp_compliance kind;
    double stiffness; /* linear, foundation: F = stiffness d [M/T^2]; Hertz: F = stiffness d^(3/2) [M/(L^(1/2) T^2)] */
    double damping;   /* [M/T] */
    double damping_t; /* along the surface; 0: rigid [M/T] */
    double gap;       /* at the start of the step, kinematic bodies at its end, as the row has it [L] */
    double depth0;    /* depth at the start of the step, all bodies there [L] */
    double closing;   /* (gap + depth0)/h: what the depth would lose by kinematic bodies alone [L/T] */
    double depth;     /* at which F is linearised [L] */
    double least;     /* Hertz: it is linearised no nearer to 0, where it has no slope [L] */
} pp_soft_contact;

/* pairs -> f->contacts: as the model one-plane has them; of pairs with an elastic foundation, its elements. *soft: their
 * laws, from the arena. PERP_E_FIT if two shapes meet that have no law of that kind. */
perp_status pp_first_order_contacts(pp_frame *f, const pp_first_order *set, pp_soft_contact **soft);
/* Has every pair of shapes that may touch a law that fits them? PERP_E_FIT with a sentence if not; PERP_E_MEMORY. */
perp_status pp_first_order_pairs(perp_world *w);

/* Force of a contact at depth d >= 0, without damper, and its derivative [M L/T^2, M/T^2]. */
double pp_soft_force(const pp_soft_contact *c, double d, double *slope);

/* The velocity of a problem whose rows all give way and whose contacts have no friction, or need none: M nu = momentum +
 * G p(nu), by Newton's method over the velocities instead of the rows. guess: impulses to start from; NULL: none. False
 * if it is not of that kind, too stiff for doubles, or memory is refused. */
bool pp_soft_newton(const perp_step_problem *p, const perp_step_solution *guess, pp_arena *arena,
                    perp_step_solution *out);

/* dJ/dt nu at the start of the step, for each joint row of f->pose.problem [L/T^2 or 1/T^2]. */
perp_status pp_row_curvature(const pp_frame *f, double *out);

/* The programme as printed, (69)-(71) and (83)-(85), for rows without friction: the impulses of least norm for which no
 * row moves slower than its spring lets it. */
perp_status pp_printed_programme(pp_frame *f);

#endif
