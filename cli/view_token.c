/* view_token.c - a text that a page of ours brings along with commands. Pages of other servers can send requests to ours
 * but cannot read what it says, so they do not know it. */
#include <string.h>

#include "view.h"

bool view_make_token(char out[33]) {
    unsigned char bytes[16];
    FILE *f = fopen("/dev/urandom", "rb");
    bool ok = f && fread(bytes, 1, sizeof bytes, f) == sizeof bytes;
    if (f) fclose(f);
    for (size_t i = 0; ok && i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return ok;
}

bool view_same_token(const char *text, size_t length, const char *token) {
    unsigned differ = 0;
    if (length != strlen(token) || length == 0) return false;
    for (size_t i = 0; i < length; i++) differ |= (unsigned)(text[i] ^ token[i]);
    return differ == 0;
}
