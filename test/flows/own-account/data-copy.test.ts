import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { purgeJobs } from '../../../src/domain/jobs/finish-job.ts'
import { listJobs } from '../../../src/domain/jobs/job-operations.ts'
import { MOST_OPEN_JOBS } from '../../../src/domain/jobs/start-job.ts'
import { copyJob, SECTIONS } from '../../../src/domain/leaving/copy-job.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { everythingAbout } from '../../support/everything-about.ts'
import { manyNotifications } from '../../support/inbox.ts'
import { aRunner, aroundSteps, endLeases, finishJobs } from '../../support/jobs.ts'
import { proveFactor } from '../../support/old-proof.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { Performer } from '../../support/performing.ts'
import { aWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const store = createDiskStore(folder)
const world = await aWorld({ files: store })
afterAll(() => rm(folder, { recursive: true }))
const { db } = world.database

const PAGE = '/account/data'
const school = await world.aSchool()

const ask = (visitor: Visitor) => submit(visitor, PAGE, PAGE)

const jobsOf = (at: TestSchool, person: TestPerson) =>
  at.db.from('jobs').selectAll().where('user_id', '=', person.id).orderBy('id').execute()

/** The links of the page, by format. */
async function linksOf(visitor: Visitor): Promise<{ html: string; json: string }> {
  const { body } = await visitor.get(PAGE)
  const [, html = ''] = /href="(\/account\/data\/[^"]+\/copy\.html)"/.exec(body) ?? []
  expect(html).not.toBe('')
  return { html, json: html.replace(/html$/, 'json') }
}

/** A finished copy, as its person downloads it. */
async function aCopyOf(visitor: Visitor) {
  expect((await ask(visitor)).headers.location).toBe(`${PAGE}?done=started`)
  await finishJobs(world)
  const links = await linksOf(visitor)
  const [html, json] = [await visitor.get(links.html), await visitor.get(links.json)]
  return { links, html, json, content: json.json() as Record<string, Record<string, unknown>[]> }
}

describe('a copy', () => {
  test('has rows of every section for a person with everything, as JSON and to read', async () => {
    const ada = await world.aMember(school)
    await everythingAbout(world, school, ada, 'Mark & <b>bold</b>')
    await db
      .insertInto('person_pictures')
      .values({
        ...{ id: ada.id, user_id: ada.id, content_type: 'image/png', size_bytes: 5 },
        storage_key: 'none',
      })
      .execute()
    const visitor = await signedIn(world, school, ada)
    await proveFactor(world, ada)
    await submit(visitor, '/account/delete', '/account/delete')
    const authenticator = { user_id: ada.id, sealed_secret: Buffer.from('sealed'), last_step: 1 }
    await db.insertInto('authenticators').values(authenticator).execute()
    const moving = {
      id: ada.id,
      user_id: ada.id,
      old_email: ada.email,
      new_email: 'new@people.test',
    }
    await school.db.insert('email_changes', moving).execute()
    await world.database.db
      .insertInto('lost_factors')
      .values({ user_id: ada.id, asked_school_id: school.id })
      .execute()
    // What they took back is no longer theirs, although the answers of others keep its place.
    const { lecture_id } = await school.db
      .from('comments')
      .select('lecture_id')
      .where('user_id', '=', ada.id)
      .executeTakeFirstOrThrow()
    const takenBack = { id: uuidv7(), user_id: ada.id, lecture_id, body: '(deleted)' }
    await school.db.insert('comments', takenBack).execute()
    const page = '/account/profile'
    await submit(visitor, page, page, { name: 'Ada <script>alert(1)</script>' })
    const { html, json, content } = await aCopyOf(visitor)
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Object.keys(content)).toEqual(['about', ...SECTIONS.map(({ name }) => name)])
    const empty = Object.entries(content).filter(([, rows]) => rows.length === 0)
    expect(empty).toEqual([])
    expect(content.account).toMatchObject([{ email: ada.email }])
    expect(content.comments?.map(({ body }) => body)).toEqual([
      'Mark & <b>bold</b> alone',
      'Mark & <b>bold</b> answered',
    ])
    expect(content.payments).toMatchObject([{ lines: [{ title: 'x', amount: 1 }] }])
    expect(html.headers['content-type']).toBe('text/html; charset=utf-8')
    for (const { title } of SECTIONS) expect(html.body).toContain(`<h2>${title}</h2>`)
    expect(html.body).toContain('Mark &amp; &lt;b>bold')
    expect(html.body).not.toContain('<script')
    expect(html.body).not.toContain('Nothing.')
  })

  test('is a download that no cache keeps and that runs nothing', async () => {
    const visitor = await signedIn(world, school, await world.aMember(school))
    const { html, json } = await aCopyOf(visitor)
    for (const [answer, format] of [
      [html, 'html'],
      [json, 'json'],
    ] as const) {
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="${school.subdomain}-my-data.${format}"`,
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
      })
    }
    expect(html.body).toContain('Nothing.')
  })

  test('holds no secret and no hash', async () => {
    const ada = await world.aMember(school)
    await everythingAbout(world, school, ada, 'Mark')
    const visitor = await signedIn(world, school, ada)
    const { json } = await aCopyOf(visitor)
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', ada.id)
      .executeTakeFirstOrThrow()
    expect(json.body).not.toContain(password_hash)
    expect(json.body).not.toMatch(/_hash|secret|argon2|\\\\x[0-9a-f]{20}/)
  })

  test('has nothing of another school, and nothing of another person', async () => {
    const [ada, ben] = [await world.aMember(school), await world.aMember(school)]
    const other = await world.aSchool()
    await world.aMember(other, ['student'], ada)
    await everythingAbout(world, other, ada, 'Of the other school')
    await everythingAbout(world, school, ben, 'Of another person')
    const { json } = await aCopyOf(await signedIn(world, school, ada))
    expect(json.body).not.toContain('Of the other school')
    expect(json.body).not.toContain('Of another person')
    expect(json.body).not.toContain(other.id)
    expect(json.body).not.toContain(ben.id)
  })

  test('of many rows is stored in parts, and a run that dies half-way does not double any', async () => {
    const own = await world.aSchool()
    const ada = await world.aMember(own)
    const count = 1400
    await manyNotifications(own, ada, count)
    const visitor = await signedIn(world, own, ada)
    await ask(visitor)
    const dying = aroundSteps(copyJob, async (step, number) => {
      await step()
      if (number === 1) throw Object.assign(new Error('the process died'), { code: 'killed' })
    })
    await expectDeath(own, dying)
    await finishJobs(world)
    const { json } = await linksOf(visitor)
    const content = (await visitor.get(json)).json()
    const titles = content.notifications.map(({ title }: { title: string }) => title)
    expect(titles).toHaveLength(count)
    expect(new Set(titles).size).toBe(count)
    expect(Object.keys(content)).toEqual(['about', ...SECTIONS.map(({ name }) => name)])
    const [job] = await jobsOf(own, ada)
    expect(((job?.files ?? []) as string[]).length).toBeGreaterThan(1)
  })

  test('is removed with its files when its time is over', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const { links } = await aCopyOf(visitor)
    const [job] = await jobsOf(school, ada)
    const days = (Number(job?.expires_at) - Number(job?.finished_at)) / 86_400_000
    expect(Math.round(days)).toBe(3)
    await school.db
      .update('jobs')
      .set({ expires_at: new Date(0) })
      .where('user_id', '=', ada.id)
      .execute()
    expect((await visitor.get(links.json)).headers.location).toBe(PAGE)
    await purgeJobs(db, store)
    expect(await jobsOf(school, ada)).toEqual([])
    for (const key of (job?.files ?? []) as string[]) expect(await store.read(key)).toBeUndefined()
  })
})

/** Runs the job until it dies; its lease then ends, as that of a dead process does. */
async function expectDeath(own: TestSchool, kind: typeof copyJob): Promise<void> {
  const died = new Promise<void>((resolve) => {
    const runner = aRunner(world, {
      kinds: [
        {
          ...kind,
          run: (job) => kind.run(job as never).catch(() => new Promise(() => resolve())),
        },
      ],
    })
    void runner.runNext()
  })
  await died
  await endLeases(own)
}

describe('asking for a copy', () => {
  test('works once a day; while one is made there is no second', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const fields = hiddenFields((await visitor.get(PAGE)).body, PAGE)
    const answers = await Promise.all([visitor.post(PAGE, fields), visitor.post(PAGE, fields)])
    expect(answers.map(({ headers }) => headers.location).toSorted()).toEqual([
      `${PAGE}?done=open`,
      `${PAGE}?done=started`,
    ])
    expect((await visitor.get(PAGE)).body).toContain('It is being made')
    await finishJobs(world)
    const again = await visitor.post(PAGE, fields)
    expect(again.headers.location).toBe(`${PAGE}?done=too_soon`)
    expect((await visitor.follow(again)).body).not.toContain('Make a copy')
    await school.db
      .update('jobs')
      .set({ created_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('user_id', '=', ada.id)
      .execute()
    expect((await ask(visitor)).headers.location).toBe(`${PAGE}?done=started`)
    expect(await jobsOf(school, ada)).toHaveLength(2)
    await finishJobs(world)
  })

  test('needs a form that we served, and a session', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    expect((await visitor.post(PAGE, { form_token: 'made up' })).statusCode).toBe(403)
    const anyone = await new Visitor(world, school).post(PAGE, {})
    expect(anyone.headers.location).toContain('/sign-in')
    expect(await jobsOf(school, ada)).toEqual([])
  })

  test('of many members takes no place of the jobs of the school, and operators do not see them', async () => {
    const own = await world.aSchool()
    const [owner, ada] = [await world.aMember(own, ['owner']), await world.aMember(own)]
    await ask(await signedIn(world, own, ada))
    const listed = await new Performer(own, owner).does(listJobs, {})
    expect(listed.data).toEqual([])
    const [job] = await jobsOf(own, ada)
    const admin = await signedIn(world, own, owner)
    expect((await admin.get('/admin/jobs')).body).not.toContain(job?.id)
    expect(job).toMatchObject({ of_member: true, can_cancel: false })
    await own.db
      .insert(
        'jobs',
        Array.from({ length: 99 + MOST_OPEN_JOBS }, (_, n) => ({
          ...{ id: crypto.randomUUID(), kind: 'account.copy', title: 'A copy', input: '{}' },
          ...{ via: 'account', of_member: true, can_cancel: false, user_id: crypto.randomUUID() },
          request_id: String(n),
        })),
      )
      .execute()
    const late = await signedIn(world, own, await world.aMember(own))
    const refused = await ask(late)
    expect(refused.headers.location).toBe(`${PAGE}?done=busy`)
    await own.db.delete('jobs').execute()
  })

  test('goes on for a person who has no role here any more', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', ada.id)
      .execute()
    const { content } = await aCopyOf(visitor)
    expect(content.membership).toMatchObject([{ roles: [] }])
  })
})

describe('downloading a copy', () => {
  test('of another person is refused, to a classmate and to the owner of the school', async () => {
    const visitor = await signedIn(world, school, await world.aMember(school))
    const { links } = await aCopyOf(visitor)
    for (const roles of [['student'], ['owner']]) {
      const other = await signedIn(world, school, await world.aMember(school, roles))
      for (const link of Object.values(links)) {
        const answer = await other.get(link)
        expect(answer.headers.location).toBe(PAGE)
        expect(answer.body).toBe('')
      }
    }
    const anyone = await new Visitor(world, school).get(links.json)
    expect(anyone.headers.location).toContain('/sign-in')
  })

  test('with an older session needs a new proof, and so does asking for one', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const { links } = await aCopyOf(visitor)
    await school.db
      .update('browser_sessions')
      .set({ authenticated_at: new Date(Date.now() - 11 * 60_000) })
      .where('user_id', '=', ada.id)
      .execute()
    const answer = await visitor.get(links.json)
    expect(answer.headers.location).toBe(`/confirm?return_to=${encodeURIComponent(PAGE)}`)
    await school.db.delete('jobs').where('user_id', '=', ada.id).execute()
    expect((await ask(visitor)).body).toContain('action="/confirm"')
    expect(await jobsOf(school, ada)).toEqual([])
  })

  test('of another school is refused to the same person', async () => {
    const ada = await world.aMember(school)
    const { links } = await aCopyOf(await signedIn(world, school, ada))
    const other = await world.aSchool()
    await world.aMember(other, ['student'], ada)
    const elsewhere = await signedIn(world, other, ada)
    expect((await elsewhere.get(links.json)).headers.location).toBe(PAGE)
  })

  test('of an export by its operator is not possible here', async () => {
    const owner = await world.aMember(school, ['owner'])
    const visitor = await signedIn(world, school, owner)
    const { links } = await aCopyOf(visitor)
    await school.db
      .update('jobs')
      .set({ kind: 'members.export' })
      .where('user_id', '=', owner.id)
      .execute()
    expect((await visitor.get(links.json)).headers.location).toBe(PAGE)
  })
})

test('without a place for files the page says whom to ask', async () => {
  const bare = await aWorld()
  const own = await bare.aSchool()
  const visitor = await signedIn(bare, own, await bare.aMember(own))
  const { body } = await visitor.get(PAGE)
  expect(body).toContain('This server stores no files')
  expect(body).not.toContain('Make a copy')
})
