/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mesh.c - any bytes as a mesh, by a name that leaves its format open, or that names one. */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name[] = {"mesh.obj", "mesh.stl", "mesh"};
    const perp_allocator a = {0};
    for (int k = 0; k < 3; k++) {
        pp_mesh m;
        perp_refusal why = {0};
        if (pp_mesh_read(&a, name[k], (const char *)data, size, &m, &why)) {
            if (why.text[0] == 0 || strchr(why.text, '\n')) abort(); /* one line, and never none */
            continue;
        }
        if (m.nface < 1 || m.face_start[m.nface] != m.nface_index) abort();
        for (int f = 0; f < m.nface; f++)
            if (m.face_start[f + 1] - m.face_start[f] < 3) abort();
        for (int i = 0; i < m.nface_index; i++)
            if (m.face[i] < 0 || m.face[i] >= m.nvertex) abort();
        for (int i = 0; i < m.nvertex; i++)
            if (!perp_v3_finite(m.vertex[i])) abort();
        pp_mesh_free(&m);
    }
    return 0;
}
