import { beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, exchange, userinfo } from '../../support/client-like.ts'
import { aCode } from '../../support/oauth-world.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1'
const PATH = '/account/sessions'

const world = await sharedWorld()
let school: TestSchool
let elsewhere: TestSchool

beforeAll(async () => {
  school = await world.aSchool()
  elsewhere = await world.aSchool()
})

async function signedInWith(
  at: TestSchool,
  person: TestPerson,
  userAgent: string,
): Promise<Visitor> {
  const visitor = new Visitor(world, at)
  const hidden = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
  const fields = { ...hidden, email: person.email, password: PASSWORD }
  await visitor.post('/sign-in', fields, { 'user-agent': userAgent })
  return visitor
}

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).statusCode === 200

/** The rows of the page, and the forms that sign one browser out. */
async function shown(visitor: Visitor) {
  const { body } = await visitor.get(PATH)
  const rows = [...body.matchAll(/<p class="row-title">(.*?)<\/p>/gs)].map(([, row = '']) =>
    row.replace(/<[^>]*>/g, '').trim(),
  )
  const forms = [...body.matchAll(/<form[^>]*action="\/account\/sessions\/end".*?<\/form>/gs)]
  return { body, rows, forms: forms.map(([form]) => hiddenFields(form, `${PATH}/end`)) }
}

describe('the browsers in which a person is signed in', () => {
  test('are listed with their kind, and this one is marked and cannot be ended there', async () => {
    const ada = await world.aMember(school)
    const here = await signedInWith(school, ada, FIREFOX)
    await signedInWith(school, ada, SAFARI)
    await signedInWith(school, await world.aMember(school), 'Opera')
    const { rows, forms, body } = await shown(here)
    expect(rows.toSorted()).toEqual(['Firefox on Windows This browser', 'Safari on iPhone'])
    expect(forms).toHaveLength(1)
    expect(body).toContain('Since')
    expect(body).not.toContain('Mozilla')
  })

  test('end one by one: the other browser has to sign in again, and the audit says so', async () => {
    const ada = await world.aMember(school)
    const here = await signedInWith(school, ada, FIREFOX)
    const phone = await signedInWith(school, ada, SAFARI)
    const ended = await submit(here, PATH, `${PATH}/end`)
    expect((await here.follow(ended)).body).toContain('That browser was signed out.')
    expect(await isSignedIn(phone)).toBe(false)
    expect(await isSignedIn(here)).toBe(true)
    const audited = await school.db
      .from('audit_entries')
      .select(['action', 'detail'])
      .where('actor_user_id', '=', ada.id)
      .where('action', '=', 'session.ended')
      .execute()
    expect(audited).toEqual([{ action: 'session.ended', detail: { device: 'Safari on iPhone' } }])
  })

  test('end all together, at every school, except this one; apps keep their access', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const client = await world.aPublicClient(school)
    const pair = await aPair(world, school, client, ada)
    const here = await signedIn(world, school, ada)
    const others = [await signedIn(world, school, ada), await signedIn(world, elsewhere, ada)]
    const ended = await submit(here, PATH, `${PATH}/end-others`)
    expect((await here.follow(ended)).body).toContain('at every school')
    expect(await isSignedIn(here)).toBe(true)
    for (const other of others) expect(await isSignedIn(other)).toBe(false)
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
    expect((await shown(here)).body).not.toContain('end-others')
  })

  test('signing out everywhere ends all apps too if the person wants it: the one that a thief connected goes', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const [bystander, one, far] = [
      await world.aMember(school),
      await world.aPublicClient(school),
      await world.aPublicClient(elsewhere),
    ]
    const pair = await aPair(world, school, one, ada)
    const other = await aPair(world, elsewhere, far, ada)
    const kept = await aPair(world, school, one, bystander)
    const { code = '', pkce } = await aCode(world, school, one, ada)
    const here = await signedIn(world, school, ada)
    const ended = await submit(here, PATH, `${PATH}/end-others`, { apps: 'yes' })
    expect((await here.follow(ended)).body).toContain('all apps have lost their access')
    expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(401)
    expect((await userinfo(world, elsewhere, other.access_token)).statusCode).toBe(401)
    expect((await exchange(world, school, one, code, pkce.verifier)).statusCode).toBe(400)
    expect((await userinfo(world, school, kept.access_token)).statusCode).toBe(200)
    expect((await here.get('/account/history')).body).toContain('as you signed out everywhere')
  })

  test('an expired session and one that is too old are not listed', async () => {
    const ada = await world.aMember(school)
    const here = await signedInWith(school, ada, FIREFOX)
    const session = (expires: string, created: string) =>
      world.database.pool.query(
        `insert into browser_sessions (id, secret_hash, school_id, user_id, device, expires_at, created_at)
         values ($1, $2, $3, $4, 'Gone', now() + $5::interval, now() + $6::interval)`,
        [uuidv7(), Buffer.alloc(32), school.id, ada.id, expires, created],
      )
    await session('-1 minute', '-1 day')
    await session('1 day', '-91 days')
    expect((await shown(here)).rows).toEqual(['Firefox on Windows This browser'])
  })
})

describe('sessions at other schools', () => {
  test('are shown to the person by school, as a number', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const here = await signedIn(world, school, ada)
    await signedInWith(elsewhere, ada, SAFARI)
    await signedInWith(elsewhere, ada, SAFARI)
    const { body } = await shown(here)
    expect(body).toContain(`School ${elsewhere.subdomain}`)
    expect(body).toContain(`href="${elsewhere.origin}${PATH}"`)
    expect(body).toContain('2 browsers')
    expect(body).not.toContain('Safari')
  })

  test('an operator of one school learns nothing of them, also from the audit of "all others"', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    const here = await signedIn(world, school, ada)
    await signedIn(world, elsewhere, ada)
    await submit(here, PATH, `${PATH}/end-others`)
    for (const path of [`/admin/members/${ada.id}`, '/admin/audit', PATH]) {
      const { body } = await owner.get(path)
      expect(body, path).not.toContain(elsewhere.subdomain)
    }
    const { rows } = await world.database.pool.query(
      `select school_id, detail from audit_entries where actor_user_id = $1 and action = 'session.ended'`,
      [ada.id],
    )
    expect(rows).toEqual([{ school_id: school.id, detail: { which: 'all_others' } }])
  })
})

describe('an attacker', () => {
  test('cannot end the session of another person, nor of the same person at another school', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const mallory = await signedIn(world, school, await world.aMember(school))
    const [victim, far] = [
      await signedIn(world, school, ada),
      await signedIn(world, elsewhere, ada),
    ]
    const { rows } = await world.database.pool.query<{ id: string; school_id: string }>(
      'select id, school_id from browser_sessions where user_id = $1',
      [ada.id],
    )
    await signedIn(world, school, await world.aMember(school))
    const token = hiddenFields((await mallory.get('/account')).body, '/sign-out')
    for (const { id } of rows) {
      const answer = await mallory.post(`${PATH}/end`, { ...token, session: id })
      expect(answer.headers.location).toBe(`${PATH}?done=nothing`)
    }
    const own = hiddenFields((await victim.get('/account')).body, '/sign-out')
    const foreign = rows.find(({ school_id }) => school_id === elsewhere.id)?.id ?? ''
    const crossing = await victim.post(`${PATH}/end`, { ...own, session: foreign })
    expect(crossing.headers.location).toBe(`${PATH}?done=nothing`)
    expect([await isSignedIn(victim), await isSignedIn(far)]).toEqual([true, true])
  })

  test.each(['end', 'end-others'])(
    'cannot send the form "%s" from another site, without its token or with that of another person',
    async (action) => {
      const ada = await world.aMember(school)
      const here = await signedIn(world, school, ada)
      const other = await signedIn(world, school, ada)
      const mallory = await signedIn(world, school, await world.aMember(school))
      const { rows } = await world.database.pool.query<{ id: string }>(
        'select id from browser_sessions where user_id = $1 order by id desc limit 1',
        [ada.id],
      )
      const session = rows[0]?.id ?? ''
      const own = hiddenFields((await here.get('/account')).body, '/sign-out')
      const stolen = hiddenFields((await mallory.get('/account')).body, '/sign-out')
      const posts = [
        here.post(`${PATH}/${action}`, { session }),
        here.post(`${PATH}/${action}`, { ...stolen, session }),
        here.post(`${PATH}/${action}`, { ...own, session }, { origin: 'https://evil.example' }),
      ]
      for (const answer of await Promise.all(posts)) expect(answer.statusCode).toBe(403)
      expect(await isSignedIn(other)).toBe(true)
    },
  )

  test.each(['', 'x', "' or true --", uuidv7()])('ends nothing with the id %j', async (session) => {
    const here = await signedIn(world, school, await world.aMember(school))
    const token = hiddenFields((await here.get('/account')).body, '/sign-out')
    const answer = await here.post(`${PATH}/end`, { ...token, session })
    expect((await here.follow(answer)).body).toContain('had already been signed out')
  })
})
