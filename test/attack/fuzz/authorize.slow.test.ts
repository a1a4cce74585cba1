import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { aSetup, queryOf, signedIn, writtenRows } from '../../support/authorization.ts'
import { hiddenFields } from '../../support/browser-like.ts'
import { aWorld } from '../../support/world.ts'

const world = await aWorld()
const setup = await aSetup(world)
const { origin } = setup.school
const headers = { host: new URL(origin).host }
const good = [...new URLSearchParams(queryOf(setup))]

/** Texts that are difficult for parsers, databases, headers and URLs. */
const nasty = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '\r\nSet-Cookie: a=b',
    '%',
    '%00',
    '%ff',
    '../..',
    '/',
    '//evil.example',
    'https://evil.example/',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    '__proto__',
    'constructor',
    "'; drop table clients; --",
    '<script>',
    '\ud800',
    '\u202e',
    'none',
    'login',
    'code',
    'token',
    'plain',
    '-1',
    '1e999',
    'null',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ minLength: 500, maxLength: 3000 }),
)

/** Half a surrogate pair cannot be sent, so it is replaced first. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

const name = fc.oneof(
  fc.constantFrom(...good.map(([key]) => key), 'prompt', 'max_age', 'request', 'login_hint'),
  nasty,
)

/** As it arrives on a socket: encoded, partly encoded or not encoded. */
const written = fc.tuple(nasty, fc.constantFrom('encoded', 'raw')).map(([text, how]) => {
  const sent = wellFormed(text)
  if (how === 'encoded') return encodeURIComponent(sent)
  return sent.replace(/[^\x21-\x7e]|[#&]/g, '')
})

const requests = fc
  .tuple(
    fc.subarray(good, { minLength: good.length - 3 }),
    fc.array(fc.tuple(name, written), { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([kept, added, addedFirst]) => {
    const right = kept.map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    const wrong = added.map(([key, value]) => `${encodeURIComponent(wellFormed(key))}=${value}`)
    return (addedFirst ? [...wrong, ...right] : [...right, ...wrong]).join('&')
  })

const leavesTheFlow = (location: string) =>
  !/^\/(sign-in|consent)\?request=[A-Za-z0-9_-]+$/.test(location) &&
  !/^http:\/\/127\.0\.0\.1(:\d+)?\/callback\?error=/.test(location)

verifies(
  ['authorize.bad-input', 'rfc9700.no-open-redirector'],
  'any request to the authorization endpoint ends with a page, at sign-in or at the redirect URI',
  async () => {
    const before = await writtenRows(setup)
    await fc.assert(
      fc.asyncProperty(requests, async (query) => {
        const answer = await world.app.inject({ url: `/oauth/authorize?${query}`, headers })
        const { location } = answer.headers
        if (answer.statusCode === 303) expect(leavesTheFlow(String(location))).toBe(false)
        else expect([400, 414]).toContain(answer.statusCode)
        expect(answer.headers['set-cookie']).toBeUndefined()
      }),
      { numRuns: 400 },
    )
    expect(await writtenRows(setup)).toBe(before)
  },
)

verifies(
  ['authorize.bad-input', 'pages.security.form-token'],
  'any form that is posted to sign-in, sign-out and consent without a session does nothing',
  async () => {
    const before = await writtenRows(setup)
    const paths = fc.constantFrom('/sign-in', '/sign-out', '/consent')
    await fc.assert(
      fc.asyncProperty(paths, requests, async (url, payload) => {
        const type = { 'content-type': 'application/x-www-form-urlencoded' }
        const post = { method: 'POST', url, payload, headers: { ...headers, ...type } } as const
        const answer = await world.app.inject(post)
        expect(answer.statusCode).toBe({ '/sign-in': 403, '/sign-out': 303, '/consent': 400 }[url])
        expect(answer.headers['set-cookie']).toBeUndefined()
        if (url === '/sign-out') expect(answer.headers.location).toBe('/')
      }),
      { numRuns: 100 },
    )
    expect(await writtenRows(setup)).toBe(before)
  },
)

verifies(
  'authorize.bad-input',
  'any change of the form of a signed-in person gives a page or the answer they gave',
  async () => {
    const { visitor, page } = await signedIn(setup)
    const genuine = hiddenFields(page.body, '/consent')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('request', 'decision', 'email', 'password', 'return_to'),
        nasty,
        fc.constantFrom('/consent', '/sign-in'),
        async (field, value, path) => {
          const fields = { ...genuine, decision: 'deny', [field]: wellFormed(value) }
          const answer = await visitor.post(path, fields)
          if (answer.statusCode === 303) {
            expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1\/callback\?error=/)
          } else {
            expect([400, 401, 429]).toContain(answer.statusCode)
          }
        },
      ),
      { numRuns: 150 },
    )
  },
)
