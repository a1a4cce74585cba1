import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser, wrongFields } from '../../support/admin-browser.ts'
import { FORM_CASES, type FormCaseSetup } from '../../support/admin-form-cases.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

let school: TestSchool
let owner: Visitor
let browser: AdminBrowser
let setup: FormCaseSetup
let elsewhere: Visitor
let otherSession: Visitor
let refused: readonly Visitor[]

beforeAll(async () => {
  school = await world.aSchool()
  owner = await anOwner(world, school)
  browser = new AdminBrowser(owner)
  const student = await world.aMember(school, ['student'])
  const lecturer = await world.aMember(school, ['lecturer'])
  setup = { world, school, browser, student, lecturer }
  elsewhere = await anOwner(world, await world.aSchool())
  otherSession = await anOwner(world, school)
  refused = await Promise.all([student, lecturer].map((person) => signedIn(world, school, person)))
})

interface Done {
  readonly operation: string
  readonly via: string
}

/** The operations that were done at the school, without those before. */
async function operations(before = 0): Promise<readonly Done[]> {
  const rows = await school.db
    .from('audit_entries')
    .select('detail')
    .where('action', '=', 'operation.done')
    .orderBy('id')
    .offset(before)
    .execute()
  return rows.map(({ detail }) => detail as unknown as Done)
}

async function countOperations(): Promise<number> {
  const { rows } = await school.db.run(sql<{ done: number }>`
    select count(*)::int as done from audit_entries
    where school_id = ${school.id} and action = 'operation.done'`)
  return rows[0]?.done ?? 0
}

async function tokenOf(visitor: Visitor, page = '/account'): Promise<string> {
  return hiddenFields((await visitor.get(page)).body, '/sign-out').form_token ?? ''
}

describe.each(Object.entries(FORM_CASES))('%s', (name, plan) => {
  verifies(
    'pages.school.inline-errors',
    'a form with mistakes comes back with the typed values and the problems, and saves nothing',
    async () => {
      const formCase = await plan(setup)
      const before = await countOperations()
      const answer = await browser.send(formCase.form, formCase.bad)
      expect(answer.statusCode).toBe(422)
      expect(wrongFields(answer.body).sort()).toEqual([...formCase.wrong].sort())
      expect(answer.body).toContain('<title>Error: ')
      for (const field of formCase.wrong) {
        expect(answer.body).toMatch(new RegExp(`aria-describedby="[^"]*${field}-error`))
        expect(answer.body).toContain(`href="#${field}"`)
      }
      for (const typed of Object.values(formCase.bad).flat()) {
        if (typed.trim() !== '') expect(answer.body).toContain(`value="${typed}"`)
      }
      expect(await countOperations()).toBe(before)
    },
  )

  verifies(
    'pages.school.managed',
    'is created, found, changed, acted on and removed, each step with its audit entry',
    async () => {
      const formCase = await plan(setup)
      const before = await countOperations()
      const { path, body } = await browser.make(formCase, name)
      expect(body).toContain('role="status"')
      expect(await browser.page(formCase.list)).toContain(formCase.shown)
      if (formCase.edit !== undefined) {
        const { body: edited } = await browser.done(`${path}/edit`, formCase.edit.typed)
        expect(edited).toContain(formCase.edit.shown)
      }
      for (const [action, words] of formCase.actions) {
        expect((await browser.done(`${path}/${action}`)).body).toContain(words)
      }
      if (formCase.remove !== undefined) {
        await browser.done(`${path}/${formCase.remove}`)
        expect((await browser.get(path)).statusCode).toBe(404)
      }
      const optional = [formCase.edit, formCase.remove].filter((part) => part !== undefined)
      const done = await operations(before)
      const created = formCase.isWork ? 0 : 1
      expect(done).toHaveLength(created + optional.length + formCase.actions.length)
      expect(new Set(done.map(({ via }) => via))).toEqual(new Set(['admin_area']))
    },
  )

  test('a form that is sent unchanged changes nothing', async () => {
    const formCase = await plan(setup)
    if (formCase.edit === undefined) return
    const { path } = await browser.make(formCase, name)
    const before = await browser.page(path)
    await browser.done(`${path}/edit`)
    expect(stablePart(await browser.page(path))).toBe(stablePart(before))
  })

  verifies(
    'pages.school.tenancy',
    'the owner of another school gets 404 for every page and form of it',
    async () => {
      const formCase = await plan(setup)
      const { path } = await browser.make(formCase, name)
      const before = await countOperations()
      const form_token = await tokenOf(elsewhere, '/admin')
      const removal = formCase.remove === undefined ? [] : [`${path}/${formCase.remove}`]
      const forms = [...formCase.actions.map(([action]) => `${path}/${action}`), ...removal]
      if (formCase.edit !== undefined) forms.push(`${path}/edit`)
      for (const page of [path, ...forms]) {
        expect((await elsewhere.get(page)).statusCode, page).toBe(404)
      }
      for (const form of forms) {
        const posted = await elsewhere.post(form, { form_token, title: 'Mine now' })
        expect(posted.statusCode, form).toBe(404)
      }
      expect(await countOperations()).toBe(before)
    },
  )

  verifies('pages.school.admins-only', 'a lecturer and a student are refused', async () => {
    const formCase = await plan(setup)
    const { path } = await browser.make(formCase, name)
    const before = await countOperations()
    for (const visitor of refused) {
      const form_token = await tokenOf(visitor)
      for (const page of [formCase.list, formCase.form, path]) {
        expect((await visitor.get(page)).statusCode, page).toBe(403)
      }
      for (const form of [formCase.form, `${path}/edit`, `${path}/${formCase.remove ?? 'edit'}`]) {
        const { statusCode } = await visitor.post(form, { form_token, title: 'x' })
        expect([403, 404], form).toContain(statusCode)
      }
    }
    expect(await countOperations()).toBe(before)
  })

  verifies(
    'pages.school.forged',
    'a forged post is refused: without a token, with the token of another session, from another site',
    async () => {
      const formCase = await plan(setup)
      const { path } = await browser.make(formCase, name)
      const before = await countOperations()
      const own = await tokenOf(owner)
      const stolen = await tokenOf(otherSession)
      const removal = formCase.remove === undefined ? [] : [`${path}/${formCase.remove}`]
      for (const form of [
        formCase.form,
        ...removal,
        ...formCase.actions.map(([one]) => `${path}/${one}`),
      ]) {
        for (const fields of [{}, { form_token: stolen }]) {
          expect((await owner.post(form, fields)).statusCode, form).toBe(403)
        }
        const foreign = { origin: 'https://evil.example' }
        expect((await owner.post(form, { form_token: own }, foreign)).statusCode, form).toBe(403)
      }
      expect(await countOperations()).toBe(before)
    },
  )

  verifies(
    'pages.school.escaping',
    'script and markup in every field is shown as text on every page',
    async () => {
      const formCase = await plan(setup)
      const attack = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
      const everywhere = Object.fromEntries(
        Object.keys({ ...formCase.bad, ...formCase.good }).map((field) => [field, attack]),
      )
      checkEscaped((await browser.send(formCase.form, everywhere)).body)
      if (formCase.free.length === 0) return
      const typed = Object.fromEntries(formCase.free.map((field) => [field, attack]))
      const { path } = await browser.make(
        { ...formCase, good: { ...formCase.good, ...typed } },
        name,
      )
      const shown = [path, ...(formCase.edit === undefined ? [] : [`${path}/edit`])]
      for (const page of shown) expect(await browser.page(page), page).toContain('&lt;script>')
      const asked = formCase.remove === undefined ? [] : [`${path}/${formCase.remove}`]
      for (const page of [formCase.list, ...shown, ...asked]) checkEscaped(await browser.page(page))
    },
  )
})

function checkEscaped(html: string): void {
  // The one script of ours names a file of this origin.
  const others = html.replaceAll(
    /<script (?:type="module" )?src="\/assets\/[\w.-]+"[^>]*><\/script>/g,
    '',
  )
  expect(others).not.toMatch(/<img src=x|<script|value="">|="[^"]*<script/)
}

/** The page without the parts that differ at each view. */
function stablePart(html: string): string {
  return html.replace(/<time[\s\S]*?<\/time>|name="form_(token|owner)" value="[^"]*"/g, '')
}
