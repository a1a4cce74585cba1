import { beforeAll, describe, expect, test } from 'vitest'
import { EXAMPLE } from '../../../src/domain/operation/operation.ts'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser, nameAskedFor } from '../../support/admin-browser.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { addExamples } from '../../support/example-school.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const PAGE = `/admin/courses/${EXAMPLE.course}/curriculum`

let school: TestSchool
let owner: Visitor

beforeAll(async () => {
  school = await world.aSchool()
  await addExamples(world, school)
  owner = await anOwner(world, school)
})

/** Ids of sections and lectures in the order that the page shows. */
async function order(): Promise<string[]> {
  const { body } = await owner.get(PAGE)
  return [...body.matchAll(/id="at-([0-9a-f-]{36})"/g)].map(([, id = '']) => id)
}

async function move(value: string): Promise<void> {
  const hidden = hiddenFields((await owner.get(PAGE)).body, PAGE)
  const answer = await owner.post(PAGE, { ...hidden, move: value })
  expect(answer.headers.location).toBe(`${PAGE}?done=moved#at-${value.split(' ')[1]}`)
}

const { section, secondSection, lecture, secondLecture } = EXAMPLE

describe('the curriculum of a course', () => {
  verifies(
    'pages.school.curriculum',
    'is reordered with buttons, each move with its audit entry',
    async () => {
      expect(await order()).toEqual([section, lecture, secondSection, secondLecture])
      await move(`down ${lecture}`)
      expect(await order()).toEqual([section, secondSection, lecture, secondLecture])
      await move(`down ${lecture}`)
      expect(await order()).toEqual([section, secondSection, secondLecture, lecture])
      await move(`up ${secondSection}`)
      expect(await order()).toEqual([secondSection, secondLecture, lecture, section])
      await move(`down ${lecture}`)
      await move(`down ${secondSection}`)
      expect(await order()).toEqual([section, lecture, secondSection, secondLecture])
      const done = await school.db.from('audit_entries').select('detail').execute()
      const moves = done.filter(
        ({ detail }) => (detail as Record<string, unknown>).operation === 'curriculum.reorder',
      )
      expect(moves).toHaveLength(5)
    },
  )

  test('offers no move beyond the first and last place', async () => {
    const { body } = await owner.get(PAGE)
    expect(body).not.toContain(`value="up ${section}"`)
    expect(body).not.toContain(`value="down ${secondSection}"`)
    expect(body).not.toContain(`value="up ${lecture}"`)
    expect(body).toContain(`value="down ${lecture}"`)
  })

  test('refuses a move from an outdated page, and a move that is not possible', async () => {
    const hidden = hiddenFields((await owner.get(PAGE)).body, PAGE)
    await move(`down ${section}`)
    await move(`up ${section}`)
    const before = await order()
    const tried = [
      { ...hidden, move: `down ${lecture}` },
      { ...hiddenFields((await owner.get(PAGE)).body, PAGE), move: 'sideways' },
      { ...hiddenFields((await owner.get(PAGE)).body, PAGE), move: `up ${section}` },
    ]
    for (const fields of tried) {
      const answer = await owner.post(PAGE, fields)
      expect(answer.statusCode).toBe(409)
      expect(answer.body).toContain('The curriculum was changed in the meantime.')
    }
    expect(await order()).toEqual(before)
  })

  test('refuses forged posts, lecturers, and owners of another school', async () => {
    const before = await order()
    const hidden = hiddenFields((await owner.get(PAGE)).body, PAGE)
    const fields = { ...hidden, move: `down ${lecture}` }
    expect((await owner.post(PAGE, { ...fields, form_token: 'made-up' })).statusCode).toBe(403)
    const lecturer = await signedIn(world, school, await world.aMember(school, ['lecturer']))
    expect((await lecturer.get(PAGE)).statusCode).toBe(403)
    expect((await lecturer.post(PAGE, fields)).statusCode).toBe(403)
    const stranger = await anOwner(world, await world.aSchool())
    expect((await stranger.get(PAGE)).statusCode).toBe(404)
    expect(await order()).toEqual(before)
  })

  test('loses a section or a lecture, with what students did in it, only after its name was typed', async () => {
    const browser = new AdminBrowser(owner)
    const { path } = await browser.done('/admin/courses/new', { title: 'Fresco' })
    const { body } = await browser.done(`${path}/sections/new`, { title: 'Plaster' })
    const section = /\/admin\/sections\/[0-9a-f-]{36}/.exec(body)?.[0] ?? ''
    for (const confirm_name of ['', 'Lime']) {
      const refused = await browser.send(`${section}/delete`, { confirm_name })
      expect(refused.statusCode).toBe(422)
      expect(refused.body).toContain('This is another name. Nothing was deleted.')
    }
    expect((await browser.send(`${section}/delete`, { confirm_name: 'plaster' })).statusCode).toBe(
      303,
    )
    expect(nameAskedFor(await browser.page(`/admin/lectures/${lecture}/delete`))).not.toEqual({})
  })

  test('shows when a lecture opens', async () => {
    const path = `/admin/lectures/${lecture}/edit`
    const { body } = await owner.get(path)
    const fields = { ...hiddenFields(body, path), title: 'Mixing', kind: 'video' }
    await owner.post(path, { ...fields, duration_seconds: '60', unlock_after_days: '3' })
    expect((await owner.get(PAGE)).body).toContain('Opens: After 3 days')
  })
})
