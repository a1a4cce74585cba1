import { describe, expect, test } from 'vitest'
import { parseClientIdUrl } from '../../src/domain/clients/document/client-id-url.ts'
import { fetchClientDocument } from '../../src/domain/clients/document/fetch-client-document.ts'
import { plainServer } from './stand-in-server.ts'

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
  if (verdict?.ok !== true) throw new Error('the stand-in server has no usable URL')
  return { url: verdict.url, fetched: await fetchClientDocument(verdict.url, demo) }
}

describe('fetchClientDocument', () => {
  test('gives the client and how long it may be remembered', async () => {
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

  test('keeps a document for five minutes even if its host forbids it', async () => {
    const { fetched } = await fetchServed({}, { 'cache-control': 'no-store' })
    expect(fetched).toMatchObject({ ok: true, lifetimeSeconds: 300 })
  })

  test('a document that cannot be fetched is asked for again after a minute', async () => {
    const { fetched } = await fetchServed({}, { 'cache-control': 'max-age=86400' }, 500)
    expect(fetched).toMatchObject({ ok: false, reason: 'wrong_status', lifetimeSeconds: 60 })
  })

  test('a document that is refused is asked for again after a minute', async () => {
    const { fetched } = await fetchServed(
      { redirect_uris: ['https://evil.example/'] },
      { 'cache-control': 'max-age=86400' },
    )
    expect(fetched).toMatchObject({
      ok: false,
      reason: 'redirect_uri_refused',
      lifetimeSeconds: 60,
    })
  })
})
