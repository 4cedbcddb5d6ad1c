/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_token.c - random secrets: the secret in the address of the server, which every request must contain, and the tokens that
 * commands must contain in addition. The secret protects against other users of this machine. The tokens protect against pages of
 * other servers: these can send requests to this server, but cannot read its answers. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "view/view.h"

bool view_make_token(char out[VIEW_TOKEN + 1]) {
    unsigned char bytes[VIEW_TOKEN / 2];
    ssize_t got; /* up to 256 bytes come at once, or none */
    do got = getrandom(bytes, sizeof bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool view_same_token(const char *text, size_t length, const char *token) {
    unsigned differ = 0;
    if (length != strlen(token) || length == 0) return false;
    for (size_t i = 0; i < length; i++) differ |= (unsigned)(text[i] ^ token[i]);
    return differ == 0;
}
