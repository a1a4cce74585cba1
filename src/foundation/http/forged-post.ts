import type { IncomingHttpHeaders } from 'node:http'
import { RequestRefusedError } from './client-fault.ts'

/** A form post that a page of another site may have caused. */
export class ForgedPostError extends RequestRefusedError {
  constructor(description: string) {
    super(403, description)
    this.name = 'ForgedPostError'
  }
}

/**
 * Refuses form posts that come from another site according to the browser's headers. Programs and
 * old browsers send neither header; for them only the form token decides. The token is checked after
 * this in every case.
 *
 * Sandboxed frames and cross-site redirects send `Origin: null`, so it counts as foreign.
 * `Sec-Fetch-Site: none` means that the person started the request; a site cannot fake it.
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
