import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_PASSWORD } from '../../../src/demo/demo-world.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { demoPerson, demoSchoolsAt } from '../../flows/mcp/tool-endpoint.ts'
import { verifies } from '../../spec/verifies.ts'
import { anOperator, type OperatorClient } from '../../support/admin-api.ts'
import { crawlAdminArea, type RoutePattern } from '../../support/admin-crawl.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aDemoWorld } from '../../support/demo-database.ts'
import { signedIn } from '../../support/operator-like.ts'
import { aWorld, type TestSchool, type World } from '../../support/world.ts'

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Reads as `photoexe.jpg`. */
const REVERSED = 'photo\u202egpj.exe'

let folder: string
let world: World
let school: TestSchool
let operator: OperatorClient

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-names-'))
  world = await aWorld({ files: createDiskStore(folder) })
  school = await world.aSchool()
  operator = await anOperator(world, school)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a name that hides what it is', () => {
  verifies(
    'house.names.visible',
    'an upload: loses its override, in the answer and as a download',
    async () => {
      const uploaded = await world.app.inject({
        method: 'POST',
        url: `/api/v1/files?name=${encodeURIComponent(REVERSED)}`,
        headers: {
          host: new URL(school.origin).host,
          authorization: `Bearer ${operator.accessToken}`,
          'content-type': 'application/octet-stream',
        },
        payload: Buffer.from('MZ'),
      })
      expect(uploaded.json().name).toBe('photogpj.exe')
      const path = new URL(uploaded.json().url).pathname
      const disposition = async () =>
        (await new Visitor(world, school).get(path)).headers['content-disposition']
      expect(await disposition()).toBe("attachment; filename*=UTF-8''photogpj.exe")
      // A row from before this rule.
      await school.db.update('files').set({ name: REVERSED }).execute()
      expect(await disposition()).toBe("attachment; filename*=UTF-8''photogpj.exe")
    },
  )

  test('titles and names of people and schools are stored without it; prose keeps its marks', async () => {
    const title = '\u2066Water\u200bcolour\u2069 می\u200cخواهم'
    const body = 'שלום\u200f!'
    const post = (await operator.post('/posts', { slug: 'a', title, body })).json()
    expect(post).toMatchObject({ title: 'Watercolour می\u200cخواهم', body })
    const changed = (await operator.patch('/school', { name: 'North\u202e' })).json()
    expect(changed.name).toBe('North')
    const email = 'ida@people.test'
    const { id } = (
      await operator.post('/members', { email, name: '\u202eadI', roles: ['student'] })
    ).json()
    const { rows } = await sql<{ name: string }>`select name from users where id = ${id}`.execute(
      world.database.db,
    )
    expect(rows).toEqual([{ name: 'adI' }])
  })

  verifies(
    'house.names.visible',
    'two names that differ only in variation selectors or other invisible characters become the same',
    async () => {
      const names = ['Ada', 'A\ufe00da', 'Ad\u034fa', 'Ada\u{e0100}\u{e01ef}', '\u3164Ada']
      const stored = []
      for (const [n, title] of names.entries()) {
        const post = await operator.post('/posts', { slug: `same-${n}`, title })
        stored.push(post.json().title)
      }
      expect(stored).toEqual(names.map(() => 'Ada'))
      const heart = await operator.post('/posts', { slug: 'heart', title: 'I ❤\ufe0f art' })
      expect(heart.json().title).toBe('I ❤ art')
    },
  )

  test('a name of nothing visible, or with a line break, is refused', async () => {
    for (const title of ['\u200b\u2060', '\u3164', 'a\u2028b', 'a\u0085b', 'a\nb']) {
      const answer = await operator.post('/posts', { slug: 'b', title })
      expect(answer.statusCode, JSON.stringify(title)).toBe(422)
      const errors = answer.json<{ errors: { pointer: string }[] }>().errors
      expect(new Set(errors.map(({ pointer }) => pointer))).toEqual(new Set(['/title']))
    }
  })
})

verifies(
  'house.names.visible',
  'no page shows a control of direction, whatever names the rows of an older release hold',
  async () => {
    const routes: RoutePattern[] = []
    const old = await aDemoWorld({
      onRoute: ({ method, url }) => {
        for (const one of [method].flat()) routes.push({ method: one, url })
      },
    })
    const schoolOf = await demoSchoolsAt(old)
    const demo = await old.theSchoolAt((await schoolOf('demo')).origin)
    await poison(old)
    old.context.directory.forget()
    const known = async (email: string) => ({
      ...(await demoPerson(old, email)),
      password: DEMO_PASSWORD,
    })
    const owner = await signedIn(old, demo, await known('owner@demo.test'))
    const ada = await signedIn(old, demo, await known('ada@demo.test'))
    const { texts } = await crawlAdminArea(owner, routes)
    expect(texts.size).toBeGreaterThan(80)
    const shown = new Map(texts)
    for (const page of [
      '/',
      '/account',
      '/account/settings',
      '/account/apps',
      '/sign-in',
      '/docs',
      '/forgotten-password',
    ]) {
      shown.set(page, (await ada.get(page)).body)
    }
    const showing: string[] = []
    for (const [page, body] of shown) {
      // A field of a form holds what is stored, so that saving it changes nothing else.
      const text = body.replaceAll(/<input\b[^>]*>|<textarea\b[\s\S]*?<\/textarea>/g, '')
      const found = BIDI.exec(text)
      if (found !== null) showing.push(`${page}: ${text.slice(found.index - 80, found.index + 40)}`)
    }
    expect(showing).toEqual([])
  },
)

/** Puts an override into every name and title that is stored. */
async function poison({ database }: World): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'text'
      and column_name in ('name', 'title', 'label', 'headline', 'device')
      and table_name not in ('schema_migrations', 'vendor_platforms')`.execute(database.db)
  for (const { table, column } of rows) {
    await sql`update ${sql.table(table)}
      set ${sql.ref(column)} = ${'\u202e'} || ${sql.ref(column)} || ${'\u2066'}`.execute(
      database.db,
    )
  }
}
