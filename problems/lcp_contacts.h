/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* lcp_contacts.h - the LCPs that perp itself makes of its scenes, one after the other. */
#ifndef LCP_CONTACTS_H
#define LCP_CONTACTS_H

#include "lcp_families.h"

typedef struct lcp_contacts lcp_contacts;
lcp_contacts *lcp_contacts_new(unsigned seed); /* NULL: no memory */
/* Borrowed until the next call. False if there is no memory. */
bool lcp_contacts_next(lcp_contacts *c, lcp_instance *out);
void lcp_contacts_free(lcp_contacts *c); /* NULL is fine */

#endif
