import { describe, expect, test } from 'vitest'
import { parseClientIdUrl } from '../../src/domain/clients/client-id-url.ts'
import { fetchClientMetadata } from '../../src/domain/clients/metadata-clients.ts'
import { verifies } from '../spec/verifies.ts'
import { plainServer } from './test-server.ts'

const demo = { allowLoopbackHttp: true }

async function fetchServed(changes: object, headers: Record<string, string> = {}, status = 200) {
  const port = await plainServer((request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(
      JSON.stringify({
        client_id: `http://${request.headers.host}${request.url}`,
        redirect_uris: ['http://127.0.0.1/callback'],
        ...changes,
      }),
    )
  })
  const verdict = parseClientIdUrl(`http://127.0.0.1:${port}/oauth/client.json`, demo)
  if (verdict?.ok !== true) throw new Error('the test server has no usable URL')
  return { url: verdict.url, fetched: await fetchClientMetadata(verdict.url, demo) }
}

describe('fetchClientMetadata', () => {
  test('returns the client and how long it may be cached', async () => {
    const { url, fetched } = await fetchServed(
      { client_name: 'Notes' },
      { 'cache-control': 'max-age=3600' },
    )
    expect(fetched).toEqual({
      ok: true,
      document: {
        clientId: url.href,
        name: 'Notes',
        host: '127.0.0.1',
        redirectUris: ['http://127.0.0.1/callback'],
        loopbackOnly: true,
      },
      lifetimeSeconds: 3600,
    })
  })

  test('caches a document for five minutes even if its host forbids caching', async () => {
    const { fetched } = await fetchServed({}, { 'cache-control': 'no-store' })
    expect(fetched).toMatchObject({ ok: true, lifetimeSeconds: 300 })
  })

  test('a failed fetch has no lifetime, whatever its headers say', async () => {
    const { fetched } = await fetchServed({}, { 'cache-control': 'max-age=86400' }, 500)
    expect(fetched).toMatchObject({ ok: false, reason: 'wrong_status' })
    expect(fetched).not.toHaveProperty('lifetimeSeconds')
  })

  test('nor has a refused document', async () => {
    const { fetched } = await fetchServed(
      { redirect_uris: ['https://evil.example/'] },
      { 'cache-control': 'max-age=86400' },
    )
    expect(fetched).toMatchObject({ ok: false, reason: 'redirect_uri_refused' })
    expect(fetched).not.toHaveProperty('lifetimeSeconds')
  })

  verifies('cimd.https-only', 'a URL without https or without a path is never fetched', () => {
    for (const clientId of ['http://app.example.com/c', 'https://app.example.com/']) {
      expect(parseClientIdUrl(clientId)).toMatchObject({ ok: false })
    }
  })

  verifies(
    'cimd.client-id.equals-url',
    'a document that names another URL is refused',
    async () => {
      for (const client_id of ['http://127.0.0.1/oauth/client.json', 'https://claude.ai/x', '']) {
        const { fetched } = await fetchServed({ client_id })
        expect(fetched).toMatchObject({ ok: false, reason: 'client_id_mismatch' })
      }
    },
  )

  verifies(
    'cimd.redirect-uris.required',
    'a document without redirect URIs is refused',
    async () => {
      for (const redirect_uris of [undefined, null, [], 'http://127.0.0.1/callback']) {
        const { fetched } = await fetchServed({ redirect_uris })
        expect(fetched).toMatchObject({ ok: false, reason: 'malformed' })
      }
    },
  )

  verifies(
    ['cimd.redirect-uris.host-or-loopback', 'cimd.redirect-uris.one-bad-refuses-all'],
    'a document with one redirect URI at another host is refused',
    async () => {
      for (const elsewhere of ['https://evil.example/', 'cursor://x.y/cb', 'http://10.0.0.1/cb']) {
        const { fetched } = await fetchServed({
          redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:3000/cb', elsewhere],
        })
        expect(fetched).toMatchObject({ ok: false, reason: 'redirect_uri_refused' })
      }
    },
  )

  verifies(
    'cimd.name.falls-back-to-host',
    'a client without a name gets its host as name',
    async () => {
      const { fetched } = await fetchServed({})
      expect(fetched).toMatchObject({ ok: true, document: { name: '127.0.0.1' } })
    },
  )

  verifies(
    'cimd.unknown-members.ignored',
    'unknown grants, methods and members are ignored',
    async () => {
      const { fetched } = await fetchServed({
        grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        jwks_uri: 'http://10.0.0.1/never-fetched',
        logo_uri: 7,
        scope: 'account:write',
      })
      expect(fetched).toMatchObject({ ok: true })
    },
  )
})
