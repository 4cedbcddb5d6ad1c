/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_contacts.h - output of stage 3 (the contact model, src/method): the contacts whose laws must hold. */
#ifndef PP_FRAME_CONTACTS_H
#define PP_FRAME_CONTACTS_H

#include "model/world_data.h"

typedef struct pp_frame_contacts {
    perp_contact *at;
    int *shape; /* 2 per contact: shape slots */
    int n;
    uint64_t *plane; /* by contact: separating plane; NULL: none */
    /* Shape slots of the contacts that the model chose at the start pose, 2 per contact. Set when the model chooses again at
     * the end pose (method/contact/end_pose.c); NULL at the start pose. */
    const int *begun;
    int nbegun;
} pp_frame_contacts;

#endif
