/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_xml.c - any bytes as XML: a tree whose parents, children and places fit together, or one line of complaint. */
#include "input/xml.h"
#include "limited.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const perp_allocator a = {limited, give_back, NULL};
    pp_pool pool;
    pp_xml *root;
    perp_refusal why = {0};
    pp_pool_init(&pool, &a);
    if (pp_xml_parse(&pool, "m.xml", (const char *)data, size, &root, &why)) {
        if (root || why.text[0] == 0 || strchr(why.text, '\n')) abort();
    } else {
        for (const pp_xml *e = root; e;) {
            double v[4];
            if (e->line < 1 || e->column < 1 || !e->name[0]) abort();
            if (pp_xml_numbers(e->text, v, 4) > 4) abort();
            for (const pp_xml *c = e->first; c; c = c->next)
                if (c->parent != e || (!c->next && c != e->last)) abort();
            if (e->first) {
                e = e->first;
                continue;
            }
            while (e && !e->next) e = e->parent;
            if (e) e = e->next;
        }
    }
    pp_pool_free(&pool);
    if (given != 0) abort();
    return 0;
}
