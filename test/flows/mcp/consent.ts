import { parseClientIdUrl } from '../../../src/domain/clients/metadata/client-id-url.ts'
import { judgeDocument } from '../../../src/domain/clients/metadata/client-metadata.ts'
import { Visitor } from '../../support/browser-like.ts'
import type { TestSchool, World } from '../../support/world.ts'
import { DEMO_PASSWORD, demoPerson } from './tool-endpoint.ts'

/** The person signs in and allows at the address that a client opened; what its callback gets. */
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

/** Two hours later, as far as every access token is concerned. */
export async function expireAccessTokens(world: World): Promise<void> {
  await world.database.db
    .updateTable('token_pairs')
    .set({ access_expires_at: new Date(0) })
    .execute()
}

/**
 * A client metadata document as the installation keeps it once it was fetched. Only https will do for
 * the protocol's clients, and nothing here can serve a site that the server would believe.
 */
export async function keepDocument(world: World, document: { client_id: string }): Promise<void> {
  const address = parseClientIdUrl(document.client_id, { allowLoopbackHttp: false })
  const verdict = address?.ok === true ? judgeDocument(address.url, document) : undefined
  if (verdict?.ok !== true) throw new Error(`no document: ${JSON.stringify(verdict ?? address)}`)
  await world.database.pool.query(
    `insert into client_documents (url, document, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [document.client_id, JSON.stringify(verdict.document)],
  )
}
