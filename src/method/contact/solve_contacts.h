/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_contacts.h - the stages up to the impulses, as the contact model wants them. */
#ifndef PP_STAGE_SOLVE_CONTACTS_H
#define PP_STAGE_SOLVE_CONTACTS_H

#include "stage/frame.h"

/* pairs -> contacts. */
perp_status pp_contact(pp_frame *f);
/* All from pp_collide to pp_solve_step, as the contact model wants it. */
perp_status pp_solve_contacts(pp_frame *f);
/* The same for a model that only chooses contacts, with those of the start. */
perp_status pp_start_solve_contacts(pp_frame *f);
/* Forces and all up to the solution, for a frame without a stepper of its own. */
perp_status pp_solve_frame(pp_frame *f);

#endif
