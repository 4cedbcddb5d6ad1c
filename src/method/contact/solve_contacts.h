/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* solve_contacts.h - the stages up to the impulses, in the order that the contact model needs. */
#ifndef PP_STAGE_SOLVE_CONTACTS_H
#define PP_STAGE_SOLVE_CONTACTS_H

#include "stage/frame.h"

/* pairs -> contacts. */
perp_status pp_contact(pp_frame *f);
/* All stages from pp_collide to pp_solve_step, or those of the contact model in their place. */
perp_status pp_solve_contacts(pp_frame *f);
/* The same for a model that only chooses contacts, with the contacts of the start. */
perp_status pp_start_solve_contacts(pp_frame *f);
/* Forces and all stages up to the solution, for a stepper without its own step equations. */
perp_status pp_solve_frame(pp_frame *f);

#endif
