import type { IncomingHttpHeaders } from 'node:http'
import { RequestRefusedError } from './client-fault.ts'

/** A form post that somebody else's page may have caused. */
export class ForgedPostError extends RequestRefusedError {
  constructor(description: string) {
    super(403, description)
    this.name = 'ForgedPostError'
  }
}

/**
 * Refuses form posts that a browser says come from elsewhere. Programs and old browsers send
 * neither header; for them the form token alone decides, as it does for everybody afterwards.
 *
 * `Origin: null` is what sandboxed frames and cross-site redirects send, so it counts as foreign;
 * `Sec-Fetch-Site: none` means the person themselves started it, which no site can fake.
 *
 * @see RFC 6454 §7.3
 * @see RFC 9700 §4.7
 */
export function checkSameOriginPost(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site']
  const isForeignOrigin = headers.origin !== undefined && headers.origin !== origin
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeignOrigin || isForeignSite) {
    throw new ForgedPostError(
      'This form was sent from another site. Open the page here and send it again.',
    )
  }
}
