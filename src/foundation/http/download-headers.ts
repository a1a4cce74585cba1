import { visibleText } from '../text/visible-text.ts'

/**
 * Uploads share the origin with sign-in, so no upload may ever run as a script there. Each is served as
 * a download, and a browser that shows it uses a sandbox.
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
