import { describe, expect, test } from 'vitest'
import { importJob } from '../../src/domain/bulk/import-job.ts'
import type { JobKind } from '../../src/domain/jobs/job.ts'
import { memberKind } from '../../src/domain/people/people-bulk.ts'
import { anOperator, type OperatorClient } from '../support/admin-api.ts'
import { AdminBrowser } from '../support/admin-browser.ts'
import type { Answer, Visitor } from '../support/browser-like.ts'
import { aPair, refresh, revoke, userinfo } from '../support/client-like.ts'
import { whileBodyHeld } from '../support/held-body.ts'
import { aNotification } from '../support/inbox.ts'
import { aroundSteps, finishJobs, jobRow } from '../support/jobs.ts'
import { postGraphQL } from '../support/member-api.ts'
import { agePair, CLAUDE } from '../support/oauth-world.ts'
import { signedIn, submit } from '../support/operator-like.ts'
import { type Waiting, whileRowHeld } from '../support/row-lock.ts'
import { temporaryFiles } from '../support/temporary-files.ts'
import { uploadTo } from '../support/uploading.ts'
import { aWorld, type TestPerson, type TestSchool } from '../support/world.ts'
import { post, request } from './mcp/tool-endpoint.ts'

const stored = await temporaryFiles()
/** The folders with bytes. */
const folders = new Set<string>()
const world = await aWorld({
  files: {
    ...stored,
    async write(folder, ...bytes) {
      folders.add(folder)
      return await stored.write(folder, ...bytes)
    },
    async remove(key) {
      folders.delete(key.split('/')[0] ?? '')
      await stored.remove(key)
    },
  },
})

/** A school whose owner works with a browser, and with an app. */
interface Stage {
  readonly school: TestSchool
  readonly owner: TestPerson
  readonly visitor: Visitor
  readonly browser: AdminBrowser
  readonly app: OperatorClient
  readonly other: AdminBrowser
}

async function aStage(): Promise<Stage> {
  const school = await world.aSchool({ mcpConnections: true })
  const owner = await world.aMember(school, ['owner'])
  const [visitor, colleague] = await Promise.all([
    signedIn(world, school, owner),
    signedIn(world, school, await world.aMember(school, ['owner'])),
  ])
  const app = await anOperator(world, school, { person: owner })
  return {
    ...{ school, owner, visitor, app },
    browser: new AdminBrowser(visitor),
    other: new AdminBrowser(colleague),
  }
}

/** What a thief sends, with the number of rows that it would make. */
interface Attack {
  send(stage: Stage): Promise<Answer>
  made(stage: Stage): Promise<number>
}

const count = async (sql: string, ...values: unknown[]): Promise<number> => {
  const { rows } = await world.database.pool.query<{ n: number }>(sql, values)
  return Number(rows[0]?.n)
}
const members = ({ school }: Stage) =>
  count('select count(*) as n from school_members where school_id = $1', school.id)
const pages = ({ school }: Stage) =>
  count('select count(*) as n from pages where school_id = $1', school.id)
const files = ({ school }: Stage) =>
  count('select count(*) as n from files where school_id = $1', school.id)
const PAGE = { slug: 'thief', title: 'A page' }
const STUDENT = { email: 't@thief.test', name: 'T', roles: ['student'] }

const BY_APP: Readonly<Record<string, Attack>> = {
  'a call of the REST API': {
    send: ({ app }) => app.post('/members', STUDENT),
    made: members,
  },
  'an import': {
    send: ({ app }) =>
      app.send('POST', '/pages/import', {
        body: JSON.stringify(PAGE),
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    made: pages,
  },
  'a tool': {
    send: ({ school, app }) =>
      post(
        world,
        school,
        request('tools/call', {
          name: 'change_publishing',
          arguments: { action: 'pages.create', input: PAGE },
        }),
        { token: app.accessToken },
      ),
    made: pages,
  },
  'an upload': {
    send: ({ app }) =>
      app.send('POST', '/files?name=a.txt', {
        body: 'hello',
        headers: { 'content-type': 'text/plain' },
      }),
    made: files,
  },
}

const BY_BROWSER: Readonly<Record<string, Attack>> = {
  'a form of the admin area': {
    send: ({ browser }) => browser.send('/admin/members/new', STUDENT),
    made: members,
  },
  'an upload on a page': {
    send: ({ visitor }) => uploadTo(visitor, '/admin/appearance/logo', {}),
    made: files,
  },
}

/** Its check is in no audit: only the jobs and the bytes show it. */
const BY_ROWS: Readonly<Record<string, Attack>> = {
  'a file of rows': {
    send: ({ visitor }) =>
      uploadTo(visitor, '/admin/jobs/import', {
        fields: { resource: 'students' },
        name: 'rows.csv',
        bytes: Buffer.from('email,name\nt@thief.test,T\n'),
      }),
    async made({ school }) {
      folders.delete(school.id)
      return (
        folders.size +
        (await count('select count(*) as n from jobs where school_id = $1', school.id))
      )
    },
  },
}

const BY_ACCOUNT: Readonly<Record<string, Attack>> = {
  'a form of the account': {
    send: ({ visitor }) =>
      submit(visitor, '/account/profile', '/account/profile', { name: 'A thief' }),
    made: ({ owner }) =>
      count("select count(*) as n from users where id = $1 and name = 'A thief'", owner.id),
  },
}

const demote = async ({ other, owner }: Stage) =>
  await other.done(`/admin/members/${owner.id}/edit`, { roles: ['student'] })

const LOSSES_OF_APP: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'its token is revoked': async ({ school, app }) =>
    await revoke(world, school, CLAUDE, app.accessToken),
  'all apps are stopped': async ({ other }) => await other.done('/admin/clients/stop-all'),
  'the person is demoted': demote,
}

const LOSSES_OF_BROWSER: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  'the person signs out': async ({ visitor }) => await submit(visitor, '/account', '/sign-out'),
  'the person is demoted': demote,
}

const everyPair = (
  attacks: Readonly<Record<string, Attack>>,
  losses: Readonly<Record<string, (stage: Stage) => Promise<unknown>>>,
) =>
  Object.entries(attacks).flatMap(([what, attack]) =>
    Object.entries(losses).map(([how, lose]) => ({ what, how, attack, lose })),
  )

/**
 * 401 for an app; a page asks to sign in, or leads to one that says what the person may still do.
 */
function expectRefused({ statusCode, headers, body }: Answer): void {
  if (statusCode === 303) expect(headers.location).toMatch(/^\/(sign-in|account$)/)
  else if (statusCode === 200) expect(body).toContain('action="/sign-in"')
  else expect(statusCode).toBe(401)
}

describe('a request whose body comes after its sender has lost the right to write', () => {
  test.each([
    ...everyPair(BY_APP, LOSSES_OF_APP),
    ...everyPair({ ...BY_BROWSER, ...BY_ROWS }, LOSSES_OF_BROWSER),
  ])('changes nothing: $what, while $how', async ({ attack, lose }) => {
    const stage = await aStage()
    const before = await attack.made(stage)
    const answer = await whileBodyHeld(
      world,
      () => attack.send(stage),
      async () => await lose(stage),
    )
    expect(await attack.made(stage)).toBe(before)
    expectRefused(answer)
  })
})

describe('a request that waits in its transaction while its sender loses the right to write', () => {
  /** The audit entry is written before the commit: a write waits for it until the table is free. */
  async function whileAuditHeld(
    start: () => Promise<Answer>,
    meanwhile: (waiting: Waiting) => Promise<void>,
  ): Promise<Answer> {
    const lock = 'lock table audit_entries in exclusive mode'
    return await whileRowHeld(world.database.connection, { lock }, start, meanwhile)
  }
  const inSql =
    (text: string) =>
    async ({ owner }: Stage) =>
      await world.database.pool.query(text, [owner.id])

  const demotion = inSql("update school_members set roles = '{student}' where user_id = $1")
  test.each([
    ...everyPair(BY_APP, {
      'its token is revoked': inSql(
        `update token_pairs set revoked_at = now()
         where authorization_id in (select id from authorizations where user_id = $1)`,
      ),
      'its authorization ends': inSql(
        'update authorizations set revoked_at = now() where user_id = $1',
      ),
      'all apps are stopped': inSql(
        `update clients set access_round = access_round + 1
         where school_id in (select school_id from school_members where user_id = $1)`,
      ),
      'the app is switched off': inSql(
        `update clients set disabled_at = now()
         where school_id in (select school_id from school_members where user_id = $1)`,
      ),
      'the person is demoted': demotion,
      'the person is deleted': inSql(
        'update users set deleted_at = now(), email = null, password_hash = null where id = $1',
      ),
    }),
    ...everyPair(
      { ...BY_BROWSER, ...BY_ACCOUNT },
      {
        'the person signs out': inSql('delete from browser_sessions where user_id = $1'),
        'the person is demoted': demotion,
      },
    ),
  ])('changes nothing: $what, while $how', async ({ attack, lose }) => {
    const stage = await aStage()
    const before = await attack.made(stage)
    const answer = await whileAuditHeld(
      () => attack.send(stage),
      async (waiting) => {
        await waiting(1)
        await lose(stage)
      },
    )
    expect(await attack.made(stage)).toBe(before)
    expectRefused(answer)
  })
})

describe('a member', () => {
  async function aReader() {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school)
    const person = await world.aMember(school)
    const pair = await aPair(world, school, client, person)
    const id = await aNotification(school, person)
    const isRead = () =>
      count('select count(*) as n from notifications where id = $1 and read_at is not null', id)
    const query = `mutation { markNotificationRead(id: "${id}") { unreadNotificationCount } }`
    return { school, client, pair, id, isRead, query }
  }

  test('marks nothing as read by a mutation or a tool whose body comes after the token was revoked', async () => {
    for (const surface of ['graphql', 'tool']) {
      const { school, client, pair, id, isRead, query } = await aReader()
      const token = pair.access_token
      const call = request('tools/call', { name: 'mark_notification_read', arguments: { id } })
      const answer = await whileBodyHeld(
        world,
        () =>
          surface === 'graphql'
            ? postGraphQL(world, school, token, { query })
            : post(world, school, call, { token, path: '/mcp/member' }),
        () => revoke(world, school, client, pair.refresh_token),
      )
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"')
      expect(await isRead()).toBe(0)
    }
  })

  test('reads nothing with a token that is revoked while the body takes longer than a second', async () => {
    const { school, client, pair } = await aReader()
    const token = pair.access_token
    const late = async () => {
      await revoke(world, school, client, pair.refresh_token)
      await new Promise((resolve) => setTimeout(resolve, 1_200))
    }
    const held = (start: () => Promise<Answer>) => whileBodyHeld(world, start, late)
    const query = { query: 'mutation { __typename }' }
    expect((await held(() => postGraphQL(world, school, token, query))).statusCode).toBe(401)
  })

  test('is not refused because the token was replaced by a refresh, or expired, while the body came', async () => {
    const { school, client, pair, isRead, query } = await aReader()
    const send = () => postGraphQL(world, school, pair.access_token, { query })
    const answer = await whileBodyHeld(world, send, async () => {
      const next = (await refresh(world, school, client, pair.refresh_token)).json()
      expect((await userinfo(world, school, next.access_token)).statusCode).toBe(200)
    })
    expect([answer.statusCode, await isRead()]).toEqual([200, 1])
    const other = await aReader()
    const sendOther = () =>
      postGraphQL(world, other.school, other.pair.access_token, { query: other.query })
    const expired = await whileBodyHeld(world, sendOther, () =>
      agePair(world, other.pair, '3 hours'),
    )
    expect([expired.statusCode, await other.isRead()]).toEqual([200, 1])
  })

  test('is refused if the pair that replaced the token was revoked, too', async () => {
    const { school, client, pair, isRead, query } = await aReader()
    const send = () => postGraphQL(world, school, pair.access_token, { query })
    const answer = await whileBodyHeld(world, send, async () => {
      const next = (await refresh(world, school, client, pair.refresh_token)).json()
      await userinfo(world, school, next.access_token)
      await revoke(world, school, client, next.refresh_token)
    })
    expect([answer.statusCode, await isRead()]).toEqual([401, 0])
  })
})

/** Starts an import in the admin area, and returns the id of its job, which waits. */
async function importOnPage(visitor: Visitor, resource: string, csv: string): Promise<string> {
  const sent = await uploadTo(visitor, '/admin/jobs/import', {
    fields: { resource },
    name: 'rows.csv',
    type: 'text/csv',
    bytes: Buffer.from(csv),
  })
  await finishJobs(world)
  const [checked = ''] = String(sent.headers.location).split('?')
  const started = await submit(visitor, checked, `${checked}/import`)
  const [path = ''] = String(started.headers.location).split('?')
  return path.split('/').at(-1) ?? ''
}

describe('a job that waits', () => {
  const rows = { body: JSON.stringify(PAGE), headers: { 'content-type': 'application/x-ndjson' } }
  const byApp = async ({ app }: Stage) => {
    const headers = { ...rows.headers, prefer: 'respond-async' }
    const answer = await app.send('POST', '/pages/import', { ...rows, headers })
    expect(answer.statusCode).toBe(202)
    return String(answer.json().id)
  }
  const byBrowser = ({ visitor }: Stage) =>
    importOnPage(visitor, 'pages', 'slug,title\nthief,A page\n')

  test.each([
    ...Object.entries(LOSSES_OF_APP).map(([how, lose]) => ({ how, lose, start: byApp })),
    ...Object.entries(LOSSES_OF_BROWSER).map(([how, lose]) => ({ how, lose, start: byBrowser })),
  ])('changes nothing if $how before it begins', async ({ lose, start }) => {
    const stage = await aStage()
    const id = await start(stage)
    await lose(stage)
    await finishJobs(world)
    const job = await jobRow(stage.school, id)
    expect([job.state, await pages(stage)]).toEqual(['failed', 0])
    expect(job.problem).toContain('signed out or lost the right')
  })
})

test('an import of an owner who is demoted to admin while it runs makes no owner', async () => {
  const stage = await aStage()
  const { school, owner, visitor } = stage
  const csv = 'email,name,roles\nt@thief.test,T,"[""owner""]"\n'
  const id = await importOnPage(visitor, 'members', csv)
  const before = await members(stage)
  const kind = aroundSteps(importJob(memberKind), async (step) => {
    await world.database.pool.query(
      "update school_members set roles = '{admin}' where user_id = $1",
      [owner.id],
    )
    await step()
  })
  await finishJobs(world, { kinds: [kind as JobKind] })
  expect((await jobRow(school, id)).state).toBe('failed')
  expect(await members(stage)).toBe(before)
})

test('a revocation, a demotion, a sign-out and the end of all apps do not wait for fifty writes that are held', async () => {
  const stage = await aStage()
  const { school, app, visitor, other } = stage
  const made = await app.post('/pages', PAGE)
  const { id } = made.json()
  const write = (title: string) => app.patch(`/pages/${id}`, { title })
  const held: Promise<Answer>[] = []
  const lock = 'select from pages where id = $1 for update'
  await whileRowHeld(
    world.database.connection,
    { lock, id },
    async () => held.push(...Array.from({ length: 50 }, (_, n) => write(`Title ${n}`))),
    async (waiting) => {
      await waiting(3)
      // Each of them ends while the writes still wait.
      expect((await revoke(world, school, CLAUDE, app.accessToken)).statusCode).toBe(200)
      await other.done('/admin/clients/stop-all')
      await demote(stage)
      await submit(visitor, '/account', '/sign-out')
    },
  )
  const statuses = (await Promise.all(held)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([401]))
  expect(
    await count("select count(*) as n from pages where id = $1 and title = 'A page'", id),
  ).toBe(1)
})
