/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
// To be imported before everything else: a worker starts, and the server is asked, while the rest of the page is being read.
import { Client } from '../data/client.ts';
import { findOffers } from '../data/source.ts';

performance.mark('perp script');
Client.prepare();

/** What there is to show. */
export const offered = findOffers();
// the page says what is wrong when it gets there
offered.catch(() => undefined);
