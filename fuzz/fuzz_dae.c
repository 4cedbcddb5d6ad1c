/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dae.c - any bytes as a COLLADA mesh, read strictly and leniently. */
#include "limited.h"
#include "mesh/mesh.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const perp_allocator a = {limited, give_back, NULL};
    for (int k = 0; k < 2; k++) {
        pp_mesh m;
        perp_refusal why = {0};
        perp_status s = k ? pp_mesh_read_lenient(&a, "m.dae", (const char *)data, size, &m, &why)
                          : pp_mesh_read(&a, "m.dae", (const char *)data, size, &m, &why);
        if (s) {
            if (why.text[0] == 0 || strchr(why.text, '\n')) abort();
        } else {
            for (int f = 0; f < m.nface; f++)
                if (m.face_start[f + 1] - m.face_start[f] < 3) abort();
            for (int i = 0; i < m.nface_index; i++)
                if (m.face[i] < 0 || m.face[i] >= m.nvertex) abort();
            for (int i = 0; i < m.nvertex; i++)
                if (!perp_v3_finite(m.vertex[i])) abort();
            pp_mesh_free(&m);
        }
        if (given != 0) abort();
    }
    return 0;
}
