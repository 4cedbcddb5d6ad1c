/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* frame_contacts.h - what stage 3 gives (the contact model, src/method): the contacts whose laws must hold. */
#ifndef PP_FRAME_CONTACTS_H
#define PP_FRAME_CONTACTS_H

#include "model/world_data.h"

typedef struct pp_frame_contacts {
    perp_contact *at;
    int *shape; /* 2 per contact: shape slots */
    int n;
    uint64_t *plane; /* by contact: separating plane; NULL: none */
    /* 2 per contact that the model had at the start, shape slots: it is asked again, at the end poses
     * (method/contact/end_pose.c). NULL: it is asked for the first time. */
    const int *begun;
    int nbegun;
} pp_frame_contacts;

#endif
