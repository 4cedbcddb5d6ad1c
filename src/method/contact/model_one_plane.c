/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* model_one_plane.c - contact model of most engines: contacts of each pair on its plane of largest separation, all unilateral (U)
 * Source   Williams 2.3, 4.1. Known fault: the free space near a corner is treated as convex (Williams 4.1). So a contact
 *          with a face forbids motion beyond the plane of that face, even where the face has ended. */
#include "stage/collide/contact_fill.h"
#include "stage/contact_model.h"

const pp_contact_model_type pp_model_one_plane = {
    .name = "one-plane",
    .source = "Williams 2.3",
    .contacts = pp_contacts_of_pairs,
};
