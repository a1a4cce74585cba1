import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/**
 * Whether an operator's list permits a host. An entry is a host (`app.example.com`) or all hosts
 * below one (`*.example.com`, which does not include `example.com` itself). An entry that is
 * neither permits nothing.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §8.9
 */
export function isPermittedHost(host: string, allowlist: readonly string[]): boolean {
  const name = normalizeHost(host)
  if (name === undefined) return false
  return allowlist.some((entry) => {
    const pattern = parseHostPattern(entry)
    if (pattern === undefined) return false
    return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
  })
}

/** The canonical form of a list entry: lower case, punycode, no last dot; undefined if it is not valid. */
export function parseHostPattern(entry: string): string | undefined {
  const text = entry.trim()
  if (!text.startsWith('*.')) return normalizeHost(text)
  const parent = normalizeHost(text.slice(2))
  // `*.com` would permit half the internet by mistake, and `*.0.0.1` would match IP addresses.
  if (parent === undefined || !parent.includes('.') || isIP(parent) !== 0) return undefined
  return `*.${parent}`
}

function normalizeHost(host: string): string | undefined {
  if (host === '[::1]') return host
  // The conversion below stops at the first of these characters and would return the text before it.
  if (/[\s/\\?#@:%*[\]]/.test(host)) return undefined
  const ascii = domainToASCII(host).replace(/\.$/, '')
  // It also lets a semicolon and quotes through, which no host has.
  if (!/^[a-z0-9._-]+$/.test(ascii)) return undefined
  return ascii.split('.').includes('') ? undefined : ascii
}
