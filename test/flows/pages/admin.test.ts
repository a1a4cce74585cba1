import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser, nameAskedFor } from '../../support/admin-browser.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { aCourse } from '../../support/learning.ts'
import { aBetaSchool, anOwner, signedIn, submit, switchOff } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const world = await aWorld()
const CLIENTS = '/admin/clients'
const KEYS = '/admin/keys'
const PAGES = [
  '/admin',
  '/admin/settings',
  '/admin/audit',
  '/admin/developers/applications',
  '/admin/developers/applications/new',
  CLIENTS,
  KEYS,
]
const POSTS = [
  '/admin/settings/beta',
  '/admin/settings/sign-up',
  '/admin/settings/invitations',
  '/admin/settings/videos',
  '/admin/settings/security',
  '/admin/developers/applications',
  `${CLIENTS}/documents`,
  `${CLIENTS}/review`,
  `${CLIENTS}/standing`,
  `${CLIENTS}/end`,
  `${CLIENTS}/stop-all`,
  `${KEYS}/publish`,
  `${KEYS}/activate`,
  `${KEYS}/retire`,
]

async function auditedAt(school: TestSchool): Promise<string[]> {
  const rows = await school.db.from('audit_entries').select('action').orderBy('id').execute()
  return rows.map(({ action }) => action).filter((action) => !action.startsWith('session.'))
}

async function schoolRow(school: TestSchool) {
  return await world.database.db
    .selectFrom('schools')
    .selectAll()
    .where('id', '=', school.id)
    .executeTakeFirstOrThrow()
}

describe('access to the admin area', () => {
  verifies(
    'pages.applications.admins-only',
    'is for owners and admins; lecturers and students see why they have none',
    async () => {
      const school = await aBetaSchool(world)
      for (const role of ['owner', 'admin']) {
        const visitor = await signedIn(world, school, await world.aMember(school, [role]))
        for (const path of PAGES) expect((await visitor.get(path)).statusCode, path).toBe(200)
      }
      for (const role of ['lecturer', 'student']) {
        const visitor = await signedIn(world, school, await world.aMember(school, [role]))
        for (const path of PAGES) {
          const answer = await visitor.get(path)
          expect(answer.statusCode, path).toBe(403)
          expect(answer.body).toContain('This area is for owners and admins')
          expect(answer.body).toContain(`is ${role}`)
        }
        const { form_token = '' } = hiddenFields((await visitor.get('/account')).body, '/sign-out')
        for (const path of POSTS) {
          const answer = await visitor.post(path, { form_token, mcp_connections: '' })
          expect(answer.statusCode, path).toBe(403)
        }
      }
      expect((await schoolRow(school)).mcp_connections).toBe(true)
      expect(await auditedAt(school)).toEqual([])
    },
  )

  test('is refused to an owner of another school, and to an owner who lost the role', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const person = await world.aMember(elsewhere, ['owner'])
    const stranger = await signedIn(world, school, person)
    expect((await stranger.get('/admin')).statusCode).toBe(403)
    const member = await world.aMember(school, ['admin'])
    const former = await signedIn(world, school, member)
    expect((await former.get('/admin')).statusCode).toBe(200)
    await school.db
      .update('school_members')
      .set({ roles: ['student'] })
      .where('user_id', '=', member.id)
      .execute()
    expect((await former.get('/admin')).statusCode).toBe(403)
  })

  test('needs a sign-in, which leads back to the page; no post without a session has an effect', async () => {
    const school = await aBetaSchool(world)
    const visitor = new Visitor(world, school)
    for (const path of PAGES) {
      const { headers } = await visitor.get(path)
      expect(headers.location).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`)
    }
    for (const path of POSTS) {
      const answer = await visitor.post(path, {})
      expect(answer.statusCode).toBe(303)
      expect(answer.headers.location).toMatch(/^\/sign-in\?return_to=%2Fadmin/)
    }
    const owner = await world.aMember(school, ['owner'])
    const page = await visitor.follow(await visitor.get('/admin/audit?action=client.created'))
    const back = await visitor.signIn(page, owner)
    expect(back.headers.location).toBe('/admin/audit?action=client.created')
    expect(await auditedAt(school)).toEqual([])
  })

  verifies(
    ['pages.security.form-token', 'pages.security.headers', 'pages.security.303'],
    'no post of an owner is accepted without the form token of their session',
    async () => {
      const school = await aBetaSchool(world)
      const owner = await anOwner(world, school)
      const other = await anOwner(world, school)
      const stolen = hiddenFields((await other.get('/admin')).body, '/sign-out').form_token ?? ''
      for (const path of POSTS) {
        for (const fields of [{}, { form_token: stolen }]) {
          expect((await owner.post(path, fields)).statusCode, path).toBe(403)
        }
      }
      expect(await auditedAt(school)).toEqual([])
      const page = await owner.get('/admin/settings')
      expect(page.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
      })
      const policy = String(page.headers['content-security-policy'])
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"]) {
        expect(policy).toContain(rule)
      }
      const saved = await submit(owner, '/admin/settings', '/admin/settings/security')
      expect(saved.statusCode).toBe(303)
    },
  )
})

describe('connected platforms', () => {
  const DOCUMENT = 'https://tool.example/oauth/client.json'

  async function aDocument(school: TestSchool): Promise<void> {
    await school.db
      .insert('clients', {
        client_id: DOCUMENT,
        kind: 'document',
        audience: 'operator',
        name: 'Course Tool',
        redirect_uris: ['https://tool.example/callback'],
        scopes: ['openid', 'courses:read'],
      })
      .execute()
  }

  async function documentAt(school: TestSchool) {
    return await school.db
      .from('clients')
      .selectAll()
      .where('client_id', '=', DOCUMENT)
      .executeTakeFirstOrThrow()
  }

  test('a document waits for review, and may request more scopes after it', async () => {
    const school = await world.aSchool()
    await aDocument(school)
    const person = await world.aMember(school, ['admin'])
    const admin = await signedIn(world, school, person)
    expect((await admin.get('/admin')).body).toContain('1 app to review')
    const page = `${CLIENTS}/view?id=${encodeURIComponent(DOCUMENT)}`
    const list = (await admin.get(CLIENTS)).body
    expect(list).toContain(page)
    expect(list).toContain('Waiting for your review')
    expect((await admin.get(page)).body).toContain('Not reviewed')
    const reviewed = await submit(admin, page, `${CLIENTS}/review`)
    expect(reviewed.headers.location).toBe(`${page}&done=reviewed`)
    const row = await documentAt(school)
    expect(row.reviewed_by).toBe(person.id)
    expect(row.scopes).toContain('courses:write')
    expect(await auditedAt(school)).toEqual(['client.reviewed'])
    expect((await admin.get(page)).body).not.toContain('Mark as reviewed')
  })

  verifies(
    'client.disable.per-school',
    'switching a client off and on affects only one school',
    async () => {
      const school = await world.aSchool()
      const elsewhere = await world.aSchool()
      await aDocument(school)
      await aDocument(elsewhere)
      const owner = await anOwner(world, school)
      const page = `${CLIENTS}/view?id=${encodeURIComponent(DOCUMENT)}`
      await switchOff(owner, DOCUMENT)
      expect((await documentAt(school)).disabled_at).not.toBeNull()
      expect((await documentAt(elsewhere)).disabled_at).toBeNull()
      await submit(owner, page, `${CLIENTS}/standing`)
      expect((await documentAt(school)).disabled_at).toBeNull()
      expect(await auditedAt(school)).toEqual(['client.disabled', 'client.changed'])
    },
  )

  test('permitted hosts and open registration are saved, and wrong hosts are not', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const wrong = await submit(owner, CLIENTS, `${CLIENTS}/documents`, {
      document_hosts: 'fine.example\nhttps://tool.example/',
      open_registration: 'on',
    })
    expect(wrong.statusCode).toBe(422)
    expect(wrong.body).toContain('is no host')
    expect(await schoolRow(school)).toMatchObject({ open_registration: false, document_hosts: [] })
    const saved = await submit(owner, CLIENTS, `${CLIENTS}/documents`, {
      document_hosts: 'Tool.Example\r\n*.example.org\r\n\r\n',
    })
    expect(saved.statusCode).toBe(303)
    expect(await schoolRow(school)).toMatchObject({
      open_registration: false,
      document_hosts: ['tool.example', '*.example.org'],
    })
    const discovery = await owner.get('/.well-known/oauth-authorization-server')
    expect(discovery.json().client_id_metadata_document_supported).toBe(true)
  })
})

describe('signing keys', () => {
  test('a key is published, waits for every cache, and then takes over', async () => {
    const school = await world.aSchool({ signing: 'active' })
    const owner = await anOwner(world, school)
    await submit(owner, KEYS, `${KEYS}/publish`)
    const fresh = await school.db
      .from('signing_keys')
      .select('kid')
      .where('stage', '=', 'published')
      .executeTakeFirstOrThrow()
    const page = await owner.get(KEYS)
    expect(page.body).toContain(fresh.kid)
    expect(page.body).toContain('can sign from')
    const { form_token = '' } = hiddenFields(page.body, '/sign-out')
    const early = await owner.post(`${KEYS}/activate`, { form_token, kid: fresh.kid })
    expect(early.headers.location).toBe(`${KEYS}?done=too-early`)
    await school.db
      .update('signing_keys')
      .set({ published_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('kid', '=', fresh.kid)
      .execute()
    await submit(owner, KEYS, `${KEYS}/activate`)
    const stages = await school.db.from('signing_keys').select(['kid', 'stage']).execute()
    expect(stages).toContainEqual({ kid: fresh.kid, stage: 'active' })
    expect(stages.filter(({ stage }) => stage === 'retired')).toHaveLength(1)
    expect(await auditedAt(school)).toEqual(['key.published', 'key.retired', 'key.activated'])
  })

  test('a key of another school is not found', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool({ signing: 'published' })
    const { kid } = await elsewhere.db.from('signing_keys').select('kid').executeTakeFirstOrThrow()
    const owner = await anOwner(world, school)
    const { form_token = '' } = hiddenFields((await owner.get(KEYS)).body, '/sign-out')
    for (const act of ['activate', 'retire']) {
      const sent = { form_token, kid, confirm_name: kid }
      expect((await owner.post(`${KEYS}/${act}`, sent)).statusCode).toBe(404)
    }
    expect((await owner.get(`${KEYS}/retire?kid=${kid}`)).statusCode).toBe(404)
  })

  test('a key is retired only after its name was typed', async () => {
    const school = await world.aSchool({ signing: 'published' })
    const owner = await anOwner(world, school)
    const retire = /href="([^"]*\/retire\?kid=[^"]*)"/.exec((await owner.get(KEYS)).body)?.[1] ?? ''
    const asked = (await owner.get(retire)).body
    const send = (typed: Record<string, string>) => submit(owner, retire, `${KEYS}/retire`, typed)
    const stages = async () => {
      const rows = await school.db.from('signing_keys').select('stage').execute()
      return rows.map(({ stage }) => stage)
    }
    for (const confirm_name of ['', 'another']) {
      const refused = await send({ confirm_name })
      expect(refused.statusCode).toBe(422)
      expect(refused.body).toContain('This is another name. Nothing was changed.')
    }
    expect(await stages()).toEqual(['published'])
    expect((await send(nameAskedFor(asked))).headers.location).toBe(`${KEYS}?done=retired`)
    expect(await stages()).toEqual(['retired'])
  })
})

describe('the audit log', () => {
  const entriesOf = (html: string) => html.match(/class="row-title"/g)?.length ?? 0

  test('shows only entries of this school', async () => {
    const school = await world.aSchool()
    const elsewhere = await world.aSchool()
    const client = await world.aPublicClient(school, { name: 'Here' })
    const other = await world.aPublicClient(elsewhere, { name: 'Elsewhere' })
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    await aPair(world, school, client, ada)
    await aPair(world, elsewhere, other, ada)
    const owner = await anOwner(world, school)
    const { body } = await owner.get('/admin/audit')
    expect(body).toContain('Access allowed')
    expect(body).toContain('Here')
    expect(body).not.toContain('Elsewhere')
    expect(body).not.toContain(other.clientId)
  })

  test('filters by action, outcome, person and app', async () => {
    const school = await world.aSchool()
    const one = await world.aPublicClient(school)
    const two = await world.aPublicClient(school)
    const ada = await world.aMember(school)
    const ben = await world.aMember(school)
    await aPair(world, school, one, ada)
    await aPair(world, school, two, ben)
    const owner = await anOwner(world, school)
    const count = async (query: string) =>
      entriesOf((await owner.get(`/admin/audit?${query}`)).body)
    const all = await count('')
    expect(await count('action=authorization.granted')).toBe(2)
    expect(await count(`action=authorization.granted&person=${ada.email.toUpperCase()}`)).toBe(1)
    const signIns = await count('action=session.new_browser')
    expect(await count(`app=${one.clientId}`)).toBe((all - signIns) / 2)
    expect(await count('outcome=refused')).toBe(0)
    expect(await count('outcome=ok')).toBe(all)
    expect(await count('person=unknown@people.test')).toBe(0)
    expect(await count('action=nonsense&outcome=nonsense&before=nonsense')).toBe(all)
    expect(await count('person=%00&app=%00')).toBe(0)
  })

  test('filters by days of the school, both included', async () => {
    const school = await world.aSchool()
    await world.database.db
      .updateTable('schools')
      .set({ time_zone: 'Asia/Taipei' })
      .where('id', '=', school.id)
      .execute()
    world.context.directory.forget(school.id)
    const times = [
      '2026-03-09T15:59:59.999Z',
      '2026-03-09T16:00Z',
      '2026-03-10T15:59Z',
      '2026-03-10T16:00Z',
    ]
    const rows = times.map((time, place) => ({
      id: uuidv7(Date.parse(time)),
      action: 'school.changed',
      outcome: 'ok',
      subject: `change-${place}`,
    }))
    await school.db.insert('audit_entries', rows).execute()
    const owner = await anOwner(world, school)
    const found = async (query: string) => {
      const { body } = await owner.get(`/admin/audit?action=school.changed&${query}`)
      return [...body.matchAll(/change-\d/g)].map(([subject]) => subject)
    }
    expect(await found('from=2026-03-10&to=2026-03-10')).toEqual(['change-2', 'change-1'])
    expect(await found('from=2026-03-11')).toEqual(['change-3'])
    expect(await found('to=2026-03-09')).toEqual(['change-0'])
    expect(await found('from=tomorrow&to=2026-02-31')).toHaveLength(4)
    expect(await found('from=0000-00-00&to=9999-12-31')).toHaveLength(4)
  })

  test('is downloaded as CSV or NDJSON with the same filters, and a name runs as no formula', async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school, { name: '=1+1' })
    await aPair(world, school, client, await world.aMember(school))
    const owner = await anOwner(world, school)
    const query = 'action=authorization.granted'
    const csv = await owner.get(`/admin/audit/export?format=csv&${query}`)
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"')
    const [head = '', line = '', end] = csv.body.split('\r\n')
    expect(head).toBe(
      'id,at,action,outcome,person_id,person_name,person_email,client_id,client_name,subject,request_id,detail',
    )
    expect(line).toContain(',authorization.granted,ok,')
    expect(line).toContain(",'=1+1,")
    expect(end).toBe('')
    const lines = await owner.get(`/admin/audit/export?format=ndjson&${query}`)
    expect(JSON.parse(lines.body)).toMatchObject({
      client_name: '=1+1',
      detail: expect.any(Object),
    })
  })

  test('attack: a hidden character before a formula in a name of an older release does not let it run', async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school, { name: '\u202e\u200b=1+1' })
    await aPair(world, school, client, await world.aMember(school))
    const owner = await anOwner(world, school)
    const { body } = await owner.get('/admin/audit/export?action=authorization.granted')
    expect(body).toContain(",'=1+1,")
    expect(body).not.toContain(',=1+1,')
  })

  test('of another school cannot be downloaded, nor by a student', async () => {
    const [school, elsewhere] = [await world.aSchool(), await world.aSchool()]
    await aPair(
      world,
      elsewhere,
      await world.aPublicClient(elsewhere),
      await world.aMember(elsewhere),
    )
    const { body } = await (await anOwner(world, school)).get('/admin/audit/export?format=ndjson')
    expect(body).not.toContain('authorization.granted')
    const student = await signedIn(world, school, await world.aMember(school))
    expect((await student.get('/admin/audit/export')).statusCode).toBe(403)
  })

  test('leads to the page of what was changed', async () => {
    const school = await world.aSchool()
    const client = await world.aPublicClient(school)
    const deleted = await world.aPublicClient(school, { name: 'Old Planner' })
    await school.db
      .update('clients')
      .set({ deleted_at: new Date() })
      .where('client_id', '=', deleted.clientId)
      .execute()
    const entry = (action: string, more: object) => ({
      id: uuidv7(),
      action,
      outcome: 'ok',
      ...more,
    })
    const { id: course } = await aCourse(school, [], { title: 'Fresco' })
    const { id: elsewhere } = await aCourse(await world.aSchool(), [], { title: 'Elsewhere' })
    const about = (subject: string, operation: string, more: object = {}) =>
      entry('operation.done', { subject, detail: JSON.stringify({ operation, ...more }) })
    const gone = uuidv7()
    await school.db
      .insert('audit_entries', [
        about(course, 'courses.publish'),
        about(elsewhere, 'courses.archive'),
        about(gone, 'courses.change'),
        about(gone, 'courses.remove', { name: 'Still Life' }),
        about('the-id', 'coupons.change'),
        entry('client.changed', { client_id: client.clientId }),
        entry('client.created', { client_id: deleted.clientId }),
      ])
      .execute()
    const owner = await anOwner(world, school)
    const { body } = await owner.get('/admin/audit')
    expect(body).toMatch(
      new RegExp(`Courses: publish · <a href="/admin/courses/${course}">.{0,40}Fresco`),
    )
    expect(body).toMatch(/Courses: remove · <bdi[^>]*>Still Life/)
    expect(body).toContain(`<a href="/admin/clients/view?id=${client.clientId}">App changed</a>`)
    for (const dead of [gone, elsewhere, 'the-id']) expect(body).not.toContain(`/${dead}"`)
    expect(body).not.toContain('Elsewhere')
    expect(body).toContain('Old Planner')
    expect(body).not.toContain(`/admin/clients/view?id=${deleted.clientId}`)
  })

  test('says what a setting, a role and a color were before', async () => {
    const school = await world.aSchool()
    const owner = await anOwner(world, school)
    const ben = await world.aMember(school)
    const browser = new AdminBrowser(owner)
    await browser.done('/admin/details', { time_zone: 'Asia/Taipei', description: 'Of Ada.' })
    await browser.done('/admin/details')
    await browser.done('/admin/appearance', { primary_color: '#112233' })
    await browser.done(`/admin/members/${ben.id}/edit`, { roles: ['lecturer', 'student'] })
    const { body } = await owner.get('/admin/audit')
    const changes = [...body.matchAll(/<ul class="changes">(.*?)<\/ul>/gs)].map(([, list = '']) =>
      list.replace(/<svg.*?became <\/span>/g, '→').replace(/<[^>]*>/g, ''),
    )
    expect(changes).toContain('time zone: UTC→Asia/TaipeiAlso changed: description')
    expect(changes.filter((words) => words.startsWith('time zone'))).toHaveLength(1)
    expect(changes).toContain('primary color: #1f4b99→#112233')
    expect(changes).toContain('roles: student→lecturer, student')
    expect(body).not.toContain('Of Ada.')
  })

  test('lists twenty of a thousand people with the same change, and counts the others', async () => {
    const school = await world.aSchool()
    const subjects = Array.from({ length: 1000 }, (_, n) => `person-${n}`)
    const entry = { id: uuidv7(), action: 'member.roles_changed', outcome: 'ok' }
    await school.db
      .insert('audit_entries', { ...entry, detail: JSON.stringify({ subjects }) })
      .execute()
    const { body } = await (await anOwner(world, school)).get('/admin/audit')
    expect(body.match(/person-\d+/g)).toEqual(subjects.slice(0, 20))
    expect(body).toContain('and 980 more')
  })

  test('new entries do not shift its next page', async () => {
    const school = await world.aSchool()
    const entry = (subject: string) => ({
      id: uuidv7(),
      action: 'school.changed',
      outcome: 'ok',
      subject,
    })
    const rows = Array.from({ length: 120 }, (_, n) => entry(`change-${n}`))
    await school.db.insert('audit_entries', rows).execute()
    const owner = await anOwner(world, school)
    const seen: string[] = []
    let next: string | undefined = '/admin/audit?action=school.changed'
    while (next !== undefined) {
      const { body } = await owner.get(next)
      seen.push(...[...body.matchAll(/change-\d+/g)].map(([subject]) => subject))
      await school.db.insert('audit_entries', entry('later')).execute()
      next = /<a href="([^"]*)">Older entries/.exec(body)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toHaveLength(120)
    expect(new Set(seen).size).toBe(120)
  })
})

test('the people of an app are shown in pages', async () => {
  const school = await aBetaSchool(world)
  const client = await world.aPublicClient(school)
  const ada = await world.aMember(school)
  const pair = await aPair(world, school, client, ada)
  const { id } = await school.db.from('authorizations').select('id').executeTakeFirstOrThrow()
  const pairRow = await world.database.db
    .selectFrom('token_pairs')
    .selectAll()
    .where('authorization_id', '=', id)
    .executeTakeFirstOrThrow()
  const authorization = await school.db
    .from('authorizations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (let n = 0; n < 60; n++) {
    const member = await world.aMember(school)
    const copy = uuidv7()
    await school.db
      .insert('authorizations', { ...authorization, id: copy, user_id: member.id })
      .execute()
    await world.database.db
      .insertInto('token_pairs')
      .values({ ...pairRow, id: uuidv7(), authorization_id: copy })
      .execute()
  }
  const owner = await anOwner(world, school)
  const page = `/admin/developers/applications/${client.clientId}`
  const first = (await owner.get(page)).body
  const next = /<a href="([^"#]*)#people">More people/.exec(first)?.[1] ?? ''
  const second = (await owner.get(next)).body
  const emails = (html: string) => new Set(html.match(/p[0-9a-f]{10}@people\.test/g))
  expect(emails(first).size).toBe(50)
  expect(emails(second).size).toBe(11)
  expect((await userinfo(world, school, pair.access_token)).statusCode).toBe(200)
})
