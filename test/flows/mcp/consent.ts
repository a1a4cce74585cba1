import { parseClientIdUrl } from '../../../src/domain/clients/client-id-url.ts'
import { judgeDocument } from '../../../src/domain/clients/client-metadata.ts'
import { Visitor } from '../../support/browser-like.ts'
import type { TestSchool, World } from '../../support/world.ts'
import { DEMO_PASSWORD, demoPerson } from './tool-endpoint.ts'

/** Signs in and allows at the URL that a client opened. Returns the parameters of its callback. */
export async function consent(
  world: World,
  school: TestSchool,
  { pathname, search }: URL,
  email: string,
): Promise<URLSearchParams> {
  const person = await demoPerson(world, email)
  const visitor = new Visitor(world, school)
  const signIn = await visitor.follow(await visitor.get(pathname + search))
  const page = await visitor.follow(await visitor.signIn(signIn, person, DEMO_PASSWORD))
  const { location } = (await visitor.decide(page, 'allow')).headers
  return new URL(String(location)).searchParams
}

/** Makes every access token two hours older, so that it is expired. */
export async function expireAccessTokens(world: World): Promise<void> {
  await world.database.db
    .updateTable('token_pairs')
    .set({ access_expires_at: new Date(0) })
    .execute()
}

/**
 * Stores a client metadata document as if it had been fetched. The protocol accepts only https
 * URLs, and a test cannot serve a site with a trusted certificate.
 */
export async function storeDocument(world: World, document: { client_id: string }): Promise<void> {
  const address = parseClientIdUrl(document.client_id, { allowLoopbackHttp: false })
  const verdict = address?.ok === true ? judgeDocument(address.url, document) : undefined
  if (verdict?.ok !== true) throw new Error(`no document: ${JSON.stringify(verdict ?? address)}`)
  await world.database.pool.query(
    `insert into client_documents (url, document, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [document.client_id, JSON.stringify(verdict.document)],
  )
}
