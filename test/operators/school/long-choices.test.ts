import { beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { AdminBrowser } from '../../support/admin-browser.ts'
import { anOwner } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()

const titleOf = (place: number) => `Course ${String(place).padStart(4, '0')}`
const ids = Array.from({ length: 1200 }, () => uuidv7())

let school: TestSchool
let browser: AdminBrowser

beforeAll(async () => {
  school = await world.aSchool()
  browser = new AdminBrowser(await anOwner(world, school))
  const courses = ids.map((id, place) => ({
    id,
    slug: `course-${place}`,
    title: titleOf(place),
    currency: 'TWD',
  }))
  await school.db.insert('courses', courses).execute()
})

const groups = () => school.db.from('study_groups').select(['name', 'course_id']).execute()

describe('a choice from more than a thousand courses', () => {
  test('offers the first ones and a search, not a list that ends unsaid', async () => {
    const html = await browser.page('/admin/study-groups/new')
    expect(html).toContain(titleOf(0))
    expect(html).not.toContain(titleOf(60))
    expect(html).toContain('name="find-course_id"')
  })

  test('finds by part of the name without a script, keeps what was typed, and saves nothing', async () => {
    const found = await browser.send('/admin/study-groups/new', {
      name: 'Evening class',
      'find-course_id': '1199',
      find: 'course_id',
    })
    expect(found.statusCode).toBe(200)
    expect(found.body).toContain(titleOf(1199))
    expect(found.body).toContain('value="Evening class"')
    expect(found.body).not.toContain(titleOf(0))
    expect(await groups()).toEqual([])
  })

  test('finds also if Enter presses another button', async () => {
    const found = await browser.send('/admin/study-groups/new', {
      name: 'Evening class',
      'find-course_id': 'course 1198',
    })
    expect(found.statusCode).toBe(200)
    expect(found.body).toContain(titleOf(1198))
    expect(await groups()).toEqual([])
  })

  test('saves the course that was found', async () => {
    const path = '/admin/study-groups/new'
    const found = await browser.send(path, { name: 'Evening class', 'find-course_id': '1199' })
    const saved = await browser.fill(found.body, path, { course_id: ids[1199] ?? '' })
    expect(saved.statusCode).toBe(303)
    expect(await groups()).toEqual([{ name: 'Evening class', course_id: ids[1199] }])
  })

  test('keeps what is chosen while others are looked for', async () => {
    const chosen = [ids[700] ?? '', ids[701] ?? '']
    const found = await browser.send('/admin/plans/new', {
      course_ids: chosen,
      'find-course_ids': '1197',
      find: 'course_ids',
    })
    for (const place of [700, 701, 1197]) expect(found.body).toContain(titleOf(place))
    expect([...found.body.matchAll(/name="course_ids"[^>]*checked/g)]).toHaveLength(2)
  })

  test('narrows a filter of a list in the same way', async () => {
    const html = await browser.page('/admin/study-groups?find-course_id=1199')
    expect(html).toContain(`<option value="${ids[1199]}">`)
    const shown = await browser.page(`/admin/study-groups?course_id=${ids[1199]}`)
    expect(shown).toContain('Evening class')
    expect(shown).toContain(`<option value="${ids[1199]}" selected`)
  })

  test('costs one statement', async () => {
    const sent = await world.database.statementsOf(() => browser.page('/admin/study-groups/new'))
    expect(sent.filter((text) => /from courses/.test(text))).toHaveLength(1)
  })

  test('treats wildcards as plain characters, and a text that nothing has as nothing', async () => {
    const found = await browser.send('/admin/plans/new', { 'find-course_ids': '%', find: 'x' })
    expect(found.body).toContain('Nothing has this in its name.')
  })
})
