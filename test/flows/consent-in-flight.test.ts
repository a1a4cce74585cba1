import { describe, expect, test } from 'vitest'
import {
  disableClient,
  enableClient,
  endClientAccess,
  reviewClient,
  withdrawReview,
} from '../../src/domain/clients/client-operations.ts'
import { SCOPES_OF_AUDIENCE, UNREVIEWED_SCOPES } from '../../src/domain/clients/scope-catalogue.ts'
import { endConnectedApp } from '../../src/domain/grants/connected-apps.ts'
import { deletePerson } from '../../src/domain/people/deletion/delete-person.ts'
import { setPersonRoles } from '../../src/domain/people/person-operations.ts'
import { setPassword } from '../../src/domain/people/set-password.ts'
import { plainServer } from '../net/test-server.ts'
import { verifies } from '../spec/verifies.ts'
import {
  aSetup,
  auditOf,
  expectPage,
  locationOf,
  type Setup,
  signedIn,
} from '../support/authorization.ts'
import { type Answer, aPkce, type Visitor } from '../support/browser-like.ts'
import { aPair, exchange, refresh } from '../support/client-like.ts'
import { aCode, codeIdOf } from '../support/oauth-world.ts'
import { outputOf, performByCommandLine } from '../support/performing.ts'
import { whileRowHeld } from '../support/row-lock.ts'
import { aWorld, CALLBACK } from '../support/world.ts'

/**
 * Pressing Allow makes the server fetch the client's metadata; its host decides how long that
 * takes.
 */
const world = await aWorld({ loopbackDocuments: true, documentHosts: ['127.0.0.1'] })
const READ = 'openid courses:read'

interface Stage extends Setup {
  /**
   * Holds the answers to all later fetches until `release`; `asked` resolves at the first of them.
   */
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
  await world.database.pool.query(
    "update client_documents set expires_at = now() - interval '1 minute' where url = $1",
    [stage.client.clientId],
  )
  const fetch = stage.hold()
  const allowing = visitor.decide(page, 'allow')
  await fetch.asked
  await meanwhile()
  fetch.release()
  return { visitor, page, answer: await allowing, verifier }
}

const codeIn = (answer: Answer) => new URL(locationOf(answer)).searchParams.get('code') ?? ''

const rowOf = ({ school, client }: Stage) =>
  school.db
    .from('clients')
    .select(['reviewed_at', 'scopes'])
    .where('client_id', '=', client.clientId)
    .executeTakeFirst()

const openCodes = ({ school }: Setup) =>
  school.db.from('authorization_codes').select('id').where('consumed_at', 'is', null).execute()

type ClientOperation = typeof disableClient

const perform = async ({ school, client }: Stage, operation: ClientOperation) =>
  outputOf(await performByCommandLine(school, operation, { client_id: client.clientId }))

const endAccess = async ({ school, client }: Stage) =>
  outputOf(await performByCommandLine(school, endClientAccess, { client_id: client.clientId }))

const setRoles = async ({ school, person }: Stage, ...roles: ('admin' | 'student')[]) =>
  outputOf(await performByCommandLine(school, setPersonRoles, { id: person.id, roles }))

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

/** What ends access, and what gives the person or the client its standing back. */
const ends: Readonly<Record<string, readonly ((stage: Stage) => Promise<unknown>)[]>> = {
  'the person lost the role': [(stage) => setRoles(stage, 'student')],
  'the person lost the role and has it again': [
    (stage) => setRoles(stage, 'student'),
    (stage) => setRoles(stage, 'student', 'admin'),
  ],
  'the client was switched off': [(stage) => perform(stage, disableClient)],
  'the client was switched off and on': [
    (stage) => perform(stage, disableClient),
    (stage) => perform(stage, enableClient),
  ],
  'an operator ended all access of the client': [endAccess],
  'the person disconnected the app': [
    ({ school, person, client }) =>
      endConnectedApp(
        school.db,
        person.id,
        { clientId: client.clientId },
        { userId: person.id, requestId: 'a request' },
      ),
  ],
}

const aNewPassword = ({ school, person }: Setup) =>
  school.db.transaction((tx) =>
    setPassword(tx, {
      userId: person.id,
      email: person.email,
      hash: 'a hash',
      by: 'reset_link',
      endsAccess: true,
    }),
  )

/** What ends the browser session itself. */
const endsOfSession: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'a new password was set': aNewPassword,
  'the person signed out in another tab': ({ school, person }) =>
    school.db.delete('browser_sessions').where('user_id', '=', person.id).execute(),
  'the person was deleted': ({ person }) =>
    world.database.db
      .transaction()
      .execute((tx) => deletePerson(tx, person.id, { force: false }, { via: 'command_line' })),
}

describe('an Allow that was pressed before', () => {
  for (const [what, steps] of Object.entries(ends)) {
    verifies('client.ended-while-allowing', `${what} gives no code`, async () => {
      const stage = await aStage()
      const { answer } = await whileAllowing(stage, READ, async () => {
        for (const step of steps) await step(stage)
      })
      expectPage(answer, 400)
      expect(answer.body).toContain('This app has changed')
      expect(await openCodes(stage)).toEqual([])
      expect((await auditOf(stage.school)).at(-1)).toMatchObject({
        action: 'authorization.refused',
        actor_user_id: stage.person.id,
        client_id: stage.client.clientId,
        detail: { standing: 'changed' },
      })
    })
  }

  for (const [what, end] of Object.entries(endsOfSession)) {
    verifies(
      'client.ended-while-allowing',
      `${what}: no code, and the person is asked to sign in`,
      async () => {
        const stage = await aStage()
        const { answer } = await whileAllowing(stage, READ, () => end(stage))
        expect(locationOf(answer)).toMatch(/^\/sign-in\?request=[\w-]+$/)
        expect(await openCodes(stage)).toEqual([])
        expect((await auditOf(stage.school)).at(-1)).toMatchObject({
          action: 'authorization.refused',
          actor_user_id: stage.person.id,
          detail: { standing: 'signed_out' },
        })
      },
    )
  }

  test('and once more after all access ended is a new consent and gives a code', async () => {
    const stage = await aStage()
    const { visitor, page, answer, verifier } = await whileAllowing(stage, READ, () =>
      endAccess(stage),
    )
    expectPage(answer, 400)
    const { school, client } = stage
    const code = codeIn(await visitor.decide(page, 'allow'))
    expect((await exchange(world, school, client, code, verifier)).statusCode).toBe(200)
  })

  test('another person loses the role: the Allow gives its code', async () => {
    const stage = await aStage()
    const other = { ...stage, person: await world.aMember(stage.school, ['admin', 'student']) }
    const { answer } = await whileAllowing(stage, READ, () => setRoles(other, 'student'))
    expect(codeIn(answer)).not.toBe('')
  })
})

describe('at the same moment', () => {
  const { connection } = world.database

  test('an Allow waits for the transaction that switches its client off, and then gives no code', async () => {
    const setup = await aSetup(world)
    const { visitor, page } = await signedIn(setup)
    const { clientId } = setup.client
    const answer = await whileRowHeld(
      connection,
      { lock: 'select from clients where client_id = $1 for no key update', id: clientId },
      () => visitor.decide(page, 'allow'),
      async (waiting, holder) => {
        await waiting(1)
        await holder.query('update clients set disabled_at = now() where client_id = $1', [
          clientId,
        ])
        await holder.query('commit')
      },
    )
    expectPage(answer, 400)
    expect(await openCodes(setup)).toEqual([])
  })

  const rows = {
    'ending all access of a client': {
      lock: 'select from clients where client_id = $1 for share',
      idOf: ({ client }: Stage) => client.clientId,
      end: endAccess,
    },
    'a demotion': {
      lock: 'select from school_members where user_id = $1 for share',
      idOf: ({ person }: Stage) => person.id,
      end: (stage: Stage) => setRoles(stage, 'student'),
    },
    'a new password': {
      lock: 'select from browser_sessions where user_id = $1 for key share',
      idOf: ({ person }: Stage) => person.id,
      end: aNewPassword,
    },
  }
  for (const [what, { lock, idOf, end }] of Object.entries(rows)) {
    test(`${what} waits for an Allow that holds its lock, and deletes the code`, async () => {
      const stage = await aStage()
      const { school, client, person } = stage
      const { code } = await aCode(world, school, client, person, { scope: READ })
      await whileRowHeld(
        connection,
        { lock, id: idOf(stage) },
        async () => void (await end(stage)),
        async (waiting, holder) => {
          await waiting(1)
          await holder.query(
            `insert into authorization_codes (id, hash, school_id, client_id, user_id, audience, scopes,
               redirect_uri, code_challenge, authenticated_at, expires_at)
             select gen_random_uuid(), hash, school_id, client_id, user_id, audience, scopes,
               redirect_uri, code_challenge, authenticated_at, expires_at
             from authorization_codes where id = $1`,
            [codeIdOf(code)],
          )
          await holder.query('commit')
        },
      )
      expect(await openCodes(stage)).toEqual([])
    })
  }
})
