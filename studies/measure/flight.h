/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* flight.h - what the free flight of a cube says: gravity, centre of mass, ratios of inertia. */
#ifndef STUDY_FLIGHT_H
#define STUDY_FLIGHT_H

#include "robust.h"
#include "tosses.h"

enum { FLIGHT_G, FLIGHT_LEFT, FLIGHT_BACK, FLIGHT_COM, FLIGHT_UNKNOWNS };

/* Fits gravity (down, and across: to the left of the throw and against it) and com_z to the paths of all flights. Position and
 * velocity of each flight are its own. c gives the lengths by which flights are found. *flights: their number. */
bool flight_fit_path(const toss_set *s, const cube *c, robust_fit *fit, int *flights);

enum { SPIN_X, SPIN_Y, SPIN_UNKNOWNS };

/* Fits Ixx/Izz and Iyy/Izz to the turning of all flights. Orientation and spin of each flight are its own. */
bool flight_fit_spin(const toss_set *s, const cube *c, robust_fit *fit, int *flights);

#endif
