import { RpcRefusal } from './rpc-refusal.ts'

/** RFC 6454 §6.2: scheme, host and perhaps a port, of web pages and of native shells alike. */
const SERIALIZED = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+$/i

/**
 * Refuses an `Origin` that names no site: `null`, lists and garbage. Every site that does name
 * itself may call, because nothing here is decided by a cookie or by where a request comes from: a
 * page reads public tools, or brings a token of its own. Against DNS rebinding stands the Host
 * header, which must be a school's.
 */
export function checkWebOrigin(origin: string | undefined): void {
  if (origin === undefined || SERIALIZED.test(origin)) return
  throw new RpcRefusal(403, '403', 'The Origin header does not name an origin.')
}
