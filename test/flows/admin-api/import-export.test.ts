import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { exchange } from '../../support/client-like.ts'
import { eventually } from '../../support/eventually.ts'
import { aCode } from '../../support/oauth-world.ts'
import { connect } from '../../support/postgres.ts'
import { aWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  world = await aWorld()
  school = await world.aSchool()
  operator = await anOperator(world, school)
})

const CSV = { 'content-type': 'text/csv; charset=utf-8' }
const NDJSON = { 'content-type': 'application/x-ndjson' }

const sendRows = (path: string, body: string, headers: Record<string, string> = CSV) =>
  operator.send('POST', path, { body, headers })

const pages = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ slug: `p-${from + n}`, title: `Page ${from + n}` }),
  ).join('\n')

describe('an import over HTTP', () => {
  test('answers with the counts of rows, and with the lines of refused rows', async () => {
    const answer = await sendRows(
      '/coupons/import',
      'code,percent_off\nSPRING,20\nsp ring,20\nX,\n',
    )
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      object: 'import',
      resource: 'coupons',
      dry_run: false,
      complete: true,
      next_line: 5,
      rows: 3,
      created: 1,
      failed: 2,
      errors: [
        { line: 3, errors: [{ pointer: '/code', code: 'invalid_format' }] },
        { line: 4, errors: [{ pointer: '/code', code: 'invalid_format' }] },
      ],
    })
    const entries = await school.db.from('audit_entries').selectAll().execute()
    const ours = entries.filter(({ subject }) => subject === answer.json().id)
    expect(ours).toMatchObject([
      {
        actor_user_id: operator.person.id,
        detail: { operation: 'coupons.import', via: 'admin_api' },
      },
      { detail: { created: 1, failed: 2, complete: true } },
    ])
    expect(ours[0]?.client_id).not.toBeNull()
  })

  test('writes nothing in a dry run', async () => {
    const answer = await sendRows('/coupons/import?dry_run=true', 'code,percent_off\nDRY,20\n')
    expect(answer.json()).toMatchObject({ dry_run: true, created: 1 })
    const list = await operator.get('/coupons?code=DRY')
    expect(list.json().data).toEqual([])
  })

  test('refuses an unknown column, parameter or content type before it writes', async () => {
    const heading = await sendRows('/coupons/import', 'code,percent\nHEAD,20\n')
    expect(heading.statusCode).toBe(422)
    expect(heading.json().errors).toMatchObject([{ pointer: '/percent', code: 'unknown_field' }])
    const parameter = await sendRows('/coupons/import?dryrun=true', 'code,percent_off\nHEAD,20\n')
    expect(parameter.statusCode).toBe(400)
    const type = await sendRows('/coupons/import', '[]', { 'content-type': 'application/json' })
    expect(type.statusCode).toBe(415)
    expect(type.json().detail).toContain('application/x-ndjson')
    expect((await operator.get('/coupons?code=HEAD')).json().data).toEqual([])
  })

  test('continues at the given line', async () => {
    const file = `${pages(5)}\n{"slug":"x"}\n${pages(5, 10)}`
    const first = await sendRows('/pages/import?max_errors=1', file, NDJSON)
    expect(first.json()).toMatchObject({ created: 10, failed: 1, complete: false, next_line: 12 })
    const again = await sendRows('/pages/import?from_line=7', file, NDJSON)
    expect(again.json()).toMatchObject({ rows: 5, unchanged: 5, complete: true })
  })

  test('needs only the write scope, and shows no existing data', async () => {
    const writer = await anOperator(world, school, { scopes: 'pages:write' })
    const headers = NDJSON
    const done = await writer.send('POST', '/pages/import', { body: pages(1), headers })
    expect(done.json()).toMatchObject({ rows: 1, failed: 0 })
    expect(done.json()).not.toHaveProperty('unchanged')
    expect((await writer.get('/pages/export')).statusCode).toBe(403)
    expect((await writer.send('POST', '/posts/import', { body: '', headers })).statusCode).toBe(403)
  })

  test('does not change the name and email of a person', async () => {
    const member = await world.aMember(school)
    const row = JSON.stringify({ id: member.id, email: 'stolen@people.test', name: 'Stolen' })
    const done = await sendRows('/students/import', row, NDJSON)
    expect(done.json()).toMatchObject({ unchanged: 1 })
    expect((await operator.get(`/students/${member.id}`)).json()).toMatchObject({
      email: member.email,
      name: member.name,
    })
  })
})

describe('an export over HTTP', () => {
  test('is the list of the resource as a file, and needs the read scope', async () => {
    const answer = await operator.get('/pages/export')
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="pages.ndjson"',
      'cache-control': 'no-store',
    })
    const rows = answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const list = (await operator.get('/pages?limit=100')).json().data
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(rows).toEqual(list.sort(byId))
    const rest = await operator.get(`/pages/export?after=${rows[3].id}`)
    expect(rest.body).toBe(answer.body.split('\n').slice(4).join('\n'))
    const wrong = await operator.get('/pages/export?after=4')
    expect(wrong.statusCode).toBe(400)
    expect(wrong.json().errors).toMatchObject([{ parameter: 'after' }])
  })

  test('accepts the filters of the list', async () => {
    const answer = await operator.get('/pages/export?slug=p-3&state=draft')
    expect(JSON.parse(answer.body)).toMatchObject({ slug: 'p-3' })
    expect((await operator.get('/pages/export?state=published')).body).toBe('')
    const wrong = await operator.get('/pages/export?state=lost&colour=red')
    expect(wrong.statusCode).toBe(400)
  })

  test('HEAD has the content type and no rows', async () => {
    const answer = await operator.send('HEAD', '/pages/export?format=csv')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toContain('text/csv')
    expect(answer.body).toBe('')
  })

  test('any other method is refused with the allowed ones', async () => {
    const answer = await operator.send('DELETE', '/pages/export')
    expect(answer.statusCode).toBe(405)
    expect(answer.headers.allow).toBe('GET')
  })
})

describe('on a real connection', () => {
  /**
   * Sends pieces with pauses between them. Resolves with the answer, or undefined if it
   * disconnected.
   */
  async function upload(
    path: string,
    write: (send: (text: string) => void, hangUp: () => void) => Promise<void>,
  ): Promise<{ status: number; body: string } | undefined> {
    if (!world.app.server.listening) await world.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = world.app.server.address() as AddressInfo
    const headers = {
      host: new URL(school.origin).host,
      authorization: `Bearer ${operator.accessToken}`,
      ...NDJSON,
    }
    return await new Promise((resolve) => {
      const sending = request({ port, host: '127.0.0.1', method: 'POST', path, headers })
      sending.on('error', () => resolve(undefined))
      sending.on('response', async (answer) => {
        let body = ''
        for await (const piece of answer) body += piece
        resolve({ status: answer.statusCode ?? 0, body })
      })
      void write(
        (text) => sending.write(text),
        () => sending.destroy(),
      ).then(() => sending.end())
    })
  }

  const count = async (prefix: string): Promise<number> => {
    const rows = await school.db.from('pages').select('slug').execute()
    return rows.filter(({ slug }) => slug.startsWith(prefix)).length
  }

  const row = (prefix: string, n: number) => `{"slug":"${prefix}-${n}","title":"T"}\n`

  /**
   * So many rows of this length that an import, which reads them in pieces of 64 KiB, has one batch
   * of a thousand however they arrive, and not two.
   */
  const ONE_BATCH = 1990
  const wideRow = (prefix: string, n: number) =>
    `{"slug":"${prefix}-${n}","title":"${'T'.repeat(40)}"}\n`

  test('a slow dry run does not delay a member who signs in', async () => {
    const member = await world.aMember(school)
    const client = await world.aPublicClient(school)
    const { code, pkce } = await aCode(world, school, client, member)
    const rows = [member.id, ...Array.from({ length: 2000 }, () => randomUUID())].map(
      (id) => `{"id":"${id}"}\n`,
    )
    const isLocked = async () => {
      const row = school.db.from('school_members').where('user_id', '=', member.id)
      const free = await row.select('user_id').forUpdate().skipLocked().execute()
      return free.length === 0
    }
    let exchanged: number | undefined
    const rehearsed = await upload('/api/v1/students/import?dry_run=true', async (send) => {
      send(rows.join(''))
      await vi.waitUntil(isLocked, eventually)
      exchanged = (await exchange(world, school, client, code, pkce.verifier)).statusCode
    })
    expect(exchanged).toBe(200)
    expect(rehearsed?.status).toBe(200)
  })

  test('if a caller disconnects, whole batches are committed, and the file can be sent again', async () => {
    const all = Array.from({ length: 2500 }, (_, n) => wideRow('cut', n))
    const cut = await upload('/api/v1/pages/import', async (send, hangUp) => {
      send(all.slice(0, ONE_BATCH).join(''))
      while ((await count('cut')) < 1000) await new Promise((resolve) => setTimeout(resolve, 20))
      hangUp()
    })
    expect(cut).toBeUndefined()
    expect(await count('cut')).toBe(1000)
    const again = await upload('/api/v1/pages/import', async (send) => send(all.join('')))
    expect(JSON.parse(again?.body ?? '')).toMatchObject({
      created: 1500,
      unchanged: 1000,
      failed: 0,
    })
  })

  test('an import that ends early is answered while the caller is still sending', async () => {
    const bad = '{"slug":"?"}\n'
    const answer = await upload('/api/v1/pages/import?max_errors=5', async (send) => {
      for (let n = 0; n < 40; n++) {
        send(bad.repeat(2000))
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect(answer?.status).toBe(200)
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ complete: false, created: 0 })
  })

  /** Holds imports of these slugs while they write: another transaction has the same ones. */
  async function whileHeld(slugs: readonly string[], work: () => Promise<void>): Promise<void> {
    const holder = await connect(world.database.connection)
    try {
      await holder.query('begin')
      for (const slug of slugs) {
        await holder.query(
          `insert into pages (school_id, id, slug, title, body, state)
           values ($1, gen_random_uuid(), $2, 'Held', '', 'draft')`,
          [school.id, slug],
        )
      }
      await work()
      await holder.query('rollback')
    } finally {
      await holder.end()
    }
  }

  const pausedTransactions = async (): Promise<number> => {
    const { rowCount } = await world.database.pool.query(
      `select from pg_stat_activity where datname = current_database()
         and application_name like 'schoolgate batch %' and state = 'idle in transaction'`,
    )
    return rowCount ?? 0
  }

  const waitingForLocks = async (): Promise<number> => {
    const { rowCount } = await world.database.pool.query(
      `select from pg_stat_activity where datname = current_database()
         and application_name like 'schoolgate batch %' and wait_event_type = 'Lock'`,
    )
    return rowCount ?? 0
  }

  test('of one school two run at once and eight wait; the next gets Retry-After', async () => {
    const send = (slug: string) => sendRows('/pages/import', row(slug, 0), NDJSON)
    let running: ReturnType<typeof send>[] = []
    let waiting: ReturnType<typeof send>[] = []
    await whileHeld(['held0-0', 'held1-0'], async () => {
      running = [send('held0'), send('held1')]
      await vi.waitUntil(async () => (await waitingForLocks()) === 2, eventually)
      waiting = Array.from({ length: 9 }, () => send('held9'))
      const first = await Promise.race(waiting)
      expect(first.statusCode).toBe(503)
      expect(first.headers['retry-after']).toBe('5')
      const elsewhere = await anOperator(world, await world.aSchool())
      const other = { body: row('held', 9), headers: NDJSON }
      expect((await elsewhere.send('POST', '/pages/import', other)).statusCode).toBe(200)
    })
    expect((await Promise.all(running)).map(({ statusCode }) => statusCode)).toEqual([200, 200])
    const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
    expect(statuses.sort()).toEqual([...Array(8).fill(200), 503])
    expect((await send('held9')).statusCode).toBe(200)
  })

  verifies(
    'house.tenancy.share',
    'dry runs that drip at one school leave a place for those of another',
    async () => {
      const elsewhere = await anOperator(world, await world.aSchool())
      let letGo: () => void = () => undefined
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      let ended = 0
      const drips = ['x', 'y', 'z'].map((name) =>
        upload('/api/v1/pages/import?dry_run=true', async (send) => {
          for (let n = 0; n < ONE_BATCH; n++) send(wideRow(`dry-${name}`, n))
          await held
        }).finally(() => {
          ended++
        }),
      )
      try {
        await vi.waitUntil(async () => (await pausedTransactions()) === 2, eventually)
        const other = { body: row('dry', 9), headers: NDJSON }
        const answer = await elsewhere.send('POST', '/pages/import?dry_run=true', other)
        expect(answer.json()).toMatchObject({ dry_run: true, created: 1 })
        expect(ended).toBe(0)
      } finally {
        letGo()
      }
      await Promise.all(drips)
    },
  )

  verifies(
    'house.tenancy.share',
    'uploads that drip hold no place: imports of others run meanwhile, and theirs end well',
    async () => {
      let letGo: () => void = () => undefined
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      // Some stop before a piece is complete, some after their first rows were imported.
      const dripping = (name: string, rows: number) =>
        upload('/api/v1/pages/import', async (send) => {
          for (let n = 0; n < rows; n++) send(wideRow(name, n))
          await held
          send(wideRow(name, rows))
        })
      const drips = [
        ...['a', 'b', 'c', 'd'].map((name) => dripping(`drop-${name}`, 10)),
        ...['e', 'f', 'g', 'h'].map((name) => dripping(`drop-${name}`, ONE_BATCH)),
      ]
      try {
        await expect.poll(() => count('drop-')).toBe(4_000)
        for (let n = 0; n < 3; n++) {
          const answer = await sendRows('/pages/import', row('swift', n), NDJSON)
          expect(answer.json()).toMatchObject({ created: 1, complete: true })
        }
      } finally {
        letGo()
      }
      const answers = await Promise.all(drips)
      expect(answers.map((answer) => JSON.parse(answer?.body ?? '{}').created)).toEqual([
        ...Array(4).fill(11),
        ...Array(4).fill(ONE_BATCH + 1),
      ])
    },
  )
})
