import { describe, expect } from 'vitest'
import { reviewClient, withdrawReview } from '../../src/domain/clients/client-operations.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from '../../src/domain/clients/scope-catalogue.ts'
import { plainServer } from '../net/test-server.ts'
import { verifies } from '../spec/verifies.ts'
import { expectPage, locationOf, type Setup, signedIn } from '../support/authorization.ts'
import { type Answer, aPkce, type Visitor } from '../support/browser-like.ts'
import { aPair, exchange, refresh } from '../support/client-like.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { aWorld, CALLBACK } from '../support/world.ts'

/** Pressing Allow makes the server fetch the client's metadata; its host decides how long that takes. */
const world = await aWorld({ loopbackDocuments: true, documentHosts: ['127.0.0.1'] })
const READ = 'openid courses:read'

interface Stage extends Setup {
  /** Holds the answers to all later fetches until `release`; `asked` resolves at the first of them. */
  readonly hold: () => { readonly asked: Promise<void>; readonly release: () => void }
}

/** A client with its metadata on this machine, and an admin who connected it before. */
async function aStage(): Promise<Stage> {
  let asked = () => {}
  let released = Promise.resolve()
  const port = await plainServer(async (_request, response) => {
    asked()
    await released
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document))
  })
  const clientId = `http://127.0.0.1:${port}/client.json`
  const document = { client_id: clientId, client_name: 'Slow', redirect_uris: [CALLBACK] }
  const school = await world.aSchool()
  await world.aMember(school, ['owner'])
  const person = await world.aMember(school, ['admin', 'student'])
  const client = { clientId, secret: undefined, redirectUri: CALLBACK }
  await aPair(world, school, client, person, { scope: READ })
  const hold = () => {
    let release = () => {}
    const first = new Promise<void>((resolve) => {
      asked = resolve
    })
    released = new Promise((resolve) => {
      release = resolve
    })
    return { asked: first, release }
  }
  return { world, school, client, person, hold }
}

interface InFlight {
  readonly visitor: Visitor
  readonly page: Answer
  readonly answer: Answer
  readonly verifier: string
}

/** The person presses Allow, and `meanwhile` happens while the server waits for the metadata. */
async function whileAllowing(
  stage: Stage,
  scope: string,
  meanwhile: () => Promise<unknown>,
): Promise<InFlight> {
  const { challenge, verifier } = aPkce()
  const { visitor, page } = await signedIn(stage, { scope, code_challenge: challenge })
  expectPage(page, 200)
  await world.database.pool.query('update client_documents set expires_at = now() where url = $1', [
    stage.client.clientId,
  ])
  const fetch = stage.hold()
  const allowing = visitor.decide(page, 'allow')
  await fetch.asked
  await meanwhile()
  fetch.release()
  return { visitor, page, answer: await allowing, verifier }
}

const codeIn = (answer: Answer) => new URL(locationOf(answer)).searchParams.get('code') ?? ''

const rowOf = ({ school, client }: Stage) =>
  school.at
    .from('clients')
    .select(['reviewed_at', 'scopes'])
    .where('client_id', '=', client.clientId)
    .executeTakeFirst()

type ClientOperation = typeof reviewClient

const perform = async ({ school, client }: Stage, operation: ClientOperation) =>
  outputOf(await performByCommandLine(school, operation, { client_id: client.clientId }))

describe('a review that changes while a person presses Allow', () => {
  verifies(
    'client.review.withdrawn',
    'withdrawn: the Allow does not bring the write scopes back, at the exchange and at every refresh',
    async () => {
      const stage = await aStage()
      const { school, client } = stage
      await perform(stage, reviewClient)
      const { answer, verifier } = await whileAllowing(stage, 'openid courses:write', () =>
        perform(stage, withdrawReview),
      )
      const row = { reviewed_at: null, scopes: UNREVIEWED_SCOPES.toArray() }
      expect(await rowOf(stage)).toEqual(row)
      const pair = (await exchange(world, school, client, codeIn(answer), verifier)).json()
      expect(pair.scope).toBe('openid')
      const again = (await refresh(world, school, client, pair.refresh_token)).json()
      expect(again.scope).toBe('openid')
      expect(await rowOf(stage)).toEqual(row)
    },
  )

  verifies(
    'cimd.review.lifts-limit',
    'given: the Allow does not take the write scopes away again',
    async () => {
      const stage = await aStage()
      await whileAllowing(stage, READ, () => perform(stage, reviewClient))
      const { reviewed_at, scopes } = (await rowOf(stage)) ?? {}
      expect(reviewed_at).toBeInstanceOf(Date)
      expect(scopes).toEqual(SCOPES_OF_AUDIENCE.operator.toArray())
    },
  )
})
