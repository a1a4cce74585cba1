import type { Random } from './random.ts'

/** A request as `inject` sends it. */
export interface FuzzedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string | Buffer | undefined
}

/** Texts that are difficult for parsers, databases, headers, pages and people. */
const NASTY = [
  '',
  ' ',
  '\0',
  '\r\nSet-Cookie: a=b',
  '\u2028',
  '\u202e',
  '\ud800',
  '💥',
  '%',
  '%00',
  '%ff',
  '%c0%80',
  '..',
  '../../etc/passwd',
  '//evil.example',
  'https://evil.example/',
  'http://127.0.0.1:1/callback',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; drop table clients; --",
  '$' + '{7*7}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '-1',
  '0',
  '1e999',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '275760-09-13T00:00:00Z',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
  '00000000-0000-0000-0000-000000000000',
  'sg_at_',
  'Bearer ',
  '*',
  '[]',
  '{}',
  'x'.repeat(300),
  'x'.repeat(9000),
  '日'.repeat(3000),
]

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [null],
  [[[[[[[[]]]]]]]],
  { a: { b: { c: {} } } },
  { id: null },
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
  'application/x-ndjson',
  'text/csv',
  'text/plain',
  'multipart/form-data; boundary=b',
  'application/graphql',
  'nonsense',
  '',
]

const HEADERS = [
  'accept',
  'accept-language',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'range',
  'referer',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
]

/** A request with one to four changes. */
export function mutate(request: FuzzedRequest, random: Random): FuzzedRequest {
  let mutated = request
  for (let left = 1 + random.below(4); left > 0; left--) mutated = changed(mutated, random)
  return sendable(mutated)
}

function changed(request: FuzzedRequest, random: Random): FuzzedRequest {
  const kind = random.next()
  if (kind < 0.05) return { ...request, method: random.pick(METHODS) }
  if (kind < 0.3) return { ...request, url: mutateUrl(request.url, random) }
  if (kind < 0.45 || request.payload === undefined) return mutateHeader(request, random)
  return { ...request, payload: mutatePayload(request, random) }
}

function mutateUrl(url: string, random: Random): string {
  const [path = '/', query] = url.split('?', 2)
  if (query === undefined || random.chance(0.3)) {
    const steps = path.split('/')
    const place = random.below(steps.length)
    steps[place] = encodeURIComponent(wellFormed(mutateText(steps[place] ?? '', random)))
    const name = random.chance(0.2) ? `?${encodeURIComponent(random.pick(QUERY_NAMES))}=1` : ''
    return steps.join('/') + (query === undefined ? name : `?${query}`)
  }
  return `${path}?${mutateForm(query, random)}`
}

const QUERY_NAMES = ['limit', 'after', 'sort', 'search', 'expand', 'request', 'state', 'prompt']

function mutateHeader(request: FuzzedRequest, random: Random): FuzzedRequest {
  const headers = { ...request.headers }
  const name = random.chance(0.5)
    ? random.pick(Object.keys(headers).length > 0 ? Object.keys(headers) : HEADERS)
    : random.pick(HEADERS)
  if (random.chance(0.15)) delete headers[name]
  else if (name === 'content-type' && random.chance(0.7)) headers[name] = random.pick(TYPES)
  else headers[name] = mutateText(headers[name] ?? '', random)
  return { ...request, headers }
}

function mutatePayload({ payload = '', headers }: FuzzedRequest, random: Random): string | Buffer {
  if (typeof payload !== 'string') {
    const bytes = Buffer.from(payload)
    if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256)
    return random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
  }
  const type = headers['content-type'] ?? ''
  if (type.includes('urlencoded') && random.chance(0.8)) return mutateForm(payload, random)
  if (type.includes('json') && random.chance(0.8)) return mutateJson(payload, random)
  return mutateText(payload, random)
}

function mutateForm(form: string, random: Random): string {
  const pairs = form.split('&')
  const place = random.below(pairs.length)
  const [name = '', value = ''] = (pairs[place] ?? '').split('=', 2)
  const kind = random.next()
  if (kind < 0.15) pairs.splice(place, 1)
  else if (kind < 0.3) pairs.push(pairs[place] ?? '')
  else if (kind < 0.4) pairs[place] = `${encoded(mutateText(name, random))}=${value}`
  else if (kind < 0.5) pairs.push(`${encoded(random.pick(NASTY))}=${encoded(random.pick(NASTY))}`)
  else if (kind < 0.6) pairs[place] = `${name}=${mutateText(value, random)}`
  else pairs[place] = `${name}=${encoded(mutateText(decoded(value), random))}`
  return pairs.join('&')
}

function mutateJson(text: string, random: Random): string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return mutateText(text, random)
  }
  return JSON.stringify(mutateValue(body, random)) ?? 'null'
}

function mutateValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.08)) {
    if (typeof value === 'string' && random.chance(0.7)) return mutateText(value, random)
    return random.chance(0.5) ? random.pick(VALUES) : random.pick(NASTY)
  }
  if (Array.isArray(value)) {
    const copy = [...value]
    const kind = random.next()
    if (copy.length === 0 || kind < 0.2) copy.push(random.pick(VALUES))
    else if (kind < 0.35) copy.push(...copy.slice(0, 50))
    else {
      const place = random.below(copy.length)
      copy[place] = mutateValue(copy[place], random)
    }
    return copy
  }
  const entries = Object.entries(value)
  const kind = random.next()
  if (entries.length === 0 || kind < 0.1) {
    entries.push([random.pick(NASTY), random.pick(VALUES)])
    return Object.fromEntries(entries)
  }
  const place = random.below(entries.length)
  const [name, inner] = entries[place] ?? ['', null]
  if (kind < 0.2) entries.splice(place, 1)
  else if (kind < 0.28) entries[place] = [mutateText(name, random), inner]
  else entries[place] = [name, mutateValue(inner, random)]
  return Object.fromEntries(entries)
}

export function mutateText(text: string, random: Random): string {
  const from = random.below(text.length + 1)
  const until = Math.min(text.length, from + 1 + random.below(12))
  switch (random.below(8)) {
    case 0:
      return random.pick(NASTY)
    case 1:
      return text.slice(0, from) + random.pick(NASTY) + text.slice(from)
    case 2:
      return text.slice(0, from) + text.slice(until)
    case 3:
      return text.slice(0, until) + text.slice(from)
    case 4:
      return text.slice(0, from)
    case 5:
      return text.slice(0, from) + String.fromCharCode(random.below(0x250)) + text.slice(from + 1)
    case 6:
      return text.slice(0, from) + text.slice(from, until).repeat(1 + random.below(200))
    default:
      return text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase()
  }
}

const encoded = (text: string): string => encodeURIComponent(wellFormed(text))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Half a surrogate pair cannot be sent. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

/** What an HTTP parser lets through: no control characters in the request line and in headers. */
function sendable({ method, url, headers, payload }: FuzzedRequest): FuzzedRequest {
  const path = `/${url.replace(/[^\x21-\x7e]|#/g, '').replace(/^\/+/, '')}`
  return {
    method,
    url: path.slice(0, 9000),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace(/[^\x20-\x7e\x80-\xff]/g, '').slice(0, 9000),
      ]),
    ),
    payload: method === 'GET' || method === 'HEAD' ? undefined : payload,
  }
}
