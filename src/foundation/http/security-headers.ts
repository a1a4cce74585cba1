import type { FastifyReply } from 'fastify'
import { visibleText } from '../text/visible-text.ts'

/**
 * `site` is for ordinary pages. `authorization` is for everything between a client and its
 * callback (sign-in, consent, their errors and redirects), where two headers do harm: in Chromium,
 * `form-action` blocks the redirect from consent to the client, and `Cross-Origin-Opener-Policy`
 * cuts a popup's connection to the client's page that opened it, so the callback cannot report
 * back.
 */
export type PageKind = 'site' | 'authorization'

/**
 * No scripts: an attacker who places a script on this origin, for example as a file, cannot run it
 * on a page.
 */
const AUTHORIZATION_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SITE_POLICY = `${AUTHORIZATION_POLICY}; form-action 'self'`

const POLICIES: Readonly<Record<PageKind, string>> = {
  site: SITE_POLICY,
  authorization: AUTHORIZATION_POLICY,
}

/**
 * The policy of a page that runs one script of ours. The script is named by its whole address, so
 * any other file of this origin still cannot run.
 */
export function policyWithScript(origin: string, path: string, kind: PageKind = 'site'): string {
  return `${POLICIES[kind]}; script-src ${origin}${path}`
}

/**
 * The policy of a page that may also use these addresses; each is an origin, or the whole address
 * of a file or a form.
 */
export function policyWith(
  addresses: Partial<
    Readonly<Record<'script-src' | 'connect-src' | 'frame-src' | 'media-src', string>>
  >,
): string {
  const parts = Object.entries(addresses).map(([directive, address]) => `${directive} ${address}`)
  return [SITE_POLICY, ...parts].join('; ')
}

/**
 * A browser must never guess that an answer is a page or a script. `createHttpServer` adds it to
 * every answer.
 */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const

const PAGE_HEADERS = {
  ...NO_SNIFFING,
  // RFC 9700 §4.16: frame-ancestors, and X-Frame-Options for browsers that do not know it.
  'content-security-policy': AUTHORIZATION_POLICY,
  'x-frame-options': 'DENY',
  // Not no-referrer: with it, browsers send `Origin: null` with our own form posts.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()',
  'cache-control': 'no-store',
} as const

const SITE_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': SITE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
} as const

// One year, without includeSubDomains: we do not run the other subdomains of a school's domain.
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' } as const

const HEADERS_BY_KIND = {
  http: { site: SITE_HEADERS, authorization: PAGE_HEADERS },
  https: {
    site: { ...SITE_HEADERS, ...STRICT_TRANSPORT },
    authorization: { ...PAGE_HEADERS, ...STRICT_TRANSPORT },
  },
}

/** Headers of every page, redirect and page error at an origin. */
export function pageHeaders(origin: string, kind: PageKind): Readonly<Record<string, string>> {
  return HEADERS_BY_KIND[origin.startsWith('https://') ? 'https' : 'http'][kind]
}

export function setPageHeaders(reply: FastifyReply, origin: string, kind: PageKind): FastifyReply {
  return reply.headers(pageHeaders(origin, kind))
}

const UNCACHED_API_HEADERS = { ...NO_SNIFFING, 'cache-control': 'no-store' } as const

/**
 * Headers of machine-readable answers. Those with tokens or personal data are never stored.
 *
 * @see RFC 6749 §5.1
 */
export function apiHeaders(cache: 'no-store' | 'cacheable'): Readonly<Record<string, string>> {
  return cache === 'no-store' ? UNCACHED_API_HEADERS : NO_SNIFFING
}

/**
 * Uploads share the origin with sign-in, so no upload may ever run as a script there. Each is
 * served as a download, and a browser that shows it uses a sandbox.
 */
const DOWNLOAD_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const

interface Download {
  readonly name: string
  readonly sizeBytes: number
  /** A type that cannot run as a script. */
  readonly servedType: string
}

/** Headers of an upload. A file that not everyone may have is stored by no cache. */
export function downloadHeaders(
  { name, sizeBytes, servedType }: Download,
  cache: 'public' | 'private',
): Readonly<Record<string, string | number>> {
  return {
    ...DOWNLOAD_HEADERS,
    // The content of a file id never changes.
    'cache-control': cache === 'public' ? 'public, max-age=86400, immutable' : 'private, no-store',
    'content-type': servedType,
    'content-length': sizeBytes,
    'content-disposition': attachment(name),
  }
}

/** @see RFC 6266 §4.3 */
function attachment(name: string): string {
  const encoded = encodeURIComponent(visibleText(name)).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
