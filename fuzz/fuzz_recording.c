/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_recording.c - any bytes as a recording. The seal has to refuse what perp did not write; fuzz_layout.c goes on
 * beneath it. */
#include "perp/perp.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    perp_recording *r;
    perp_refusal why = {0};
    if (perp_recording_open_memory("fuzz.h5", data, size, &r, &why)) {
        if (why.text[0] == 0 || strchr(why.text, '\n') || r) abort();
        return 0;
    }
    perp_recording_worst worst;
    (void)!perp_recording_total(r, &worst, &why);
    perp_recording_close(r);
    return 0;
}
