/* plot_file.c - writes a product whole or not at all: to a temporary file beside its place, then renamed into it. A
 * recording is never written over, whatever its name. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"
#include "plot.h"

/* Is there something that must not be replaced? */
static perp_status check_place(const char *path, perp_refusal *why) {
    pp_place nowhere = {0};
    struct stat st;
    if (stat(path, &st)) return PERP_OK; /* what else is wrong, opening will tell */
    if (!S_ISREG(st.st_mode))
        return pp_complain_say(why, PERP_E_ARG, nowhere, "output", "%s exists and is not a file", path);
    FILE *in = fopen(path, "rb");
    if (!in) return PERP_OK;
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8] = {0};
    size_t n = fread(head, 1, sizeof head, in);
    fclose(in);
    if (n == sizeof head && !memcmp(head, hdf5, sizeof head))
        return pp_complain_say(why, PERP_E_ARG, nowhere, "output", "%s holds HDF5 data and is not written over", path);
    return PERP_OK;
}

perp_status plot_write_file(const char *path, const void *data, size_t size, perp_refusal *why) {
    pp_place nowhere = {0};
    perp_status status = check_place(path, why);
    if (status) return status;
    size_t room = strlen(path) + 40;
    char *part = malloc(room);
    if (!part) return pp_complain_say(why, PERP_E_MEMORY, nowhere, "output", "no memory to write %s", path);
    snprintf(part, room, "%s.%ld.part", path, (long)getpid());
    FILE *to = fopen(part, "wbx");
    int fault = to ? 0 : errno;
    if (to) {
        if (fwrite(data, 1, size, to) != size) fault = errno ? errno : EIO;
        if (fclose(to) && !fault) fault = errno;
        if (!fault && rename(part, path)) fault = errno;
        if (fault) remove(part);
    }
    free(part);
    if (fault)
        return pp_complain_say(why, PERP_E_IO, nowhere, "output", "%s cannot be written: %s", path, strerror(fault));
    return PERP_OK;
}
