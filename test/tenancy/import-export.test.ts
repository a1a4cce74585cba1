import { expect, test } from 'vitest'
import { BULK_KINDS } from '../../src/domain/catalogue/bulk-kinds.ts'
import { EXAMPLE } from '../../src/domain/operation/operation.ts'
import { exportFrom, importInto } from '../support/bulk.ts'
import { addExamples, everyRow } from '../support/example-school.ts'
import { aWorld } from '../support/world.ts'

const PEOPLE: readonly string[] = [EXAMPLE.student, EXAMPLE.lecturer, EXAMPLE.newcomer]

test('an imported file of any kind cannot reach objects of another school by name', async () => {
  const world = await aWorld()
  const [mine, theirs] = [await world.aSchool(), await world.aSchool()]
  await addExamples(world, theirs)
  const before = await everyRow(theirs)
  // Kinds that refer to others come first: the objects that they name do not exist here yet.
  for (const kind of BULK_KINDS.toReversed()) {
    const file = await exportFrom(theirs, kind)
    const rows = file.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    const refersTo = Object.keys(kind.columns).filter(
      (name) => name.endsWith('_id') && name !== 'external_id' && rows.some((row) => row[name]),
    )
    const done = await importInto(mine, kind, file)
    const told = `${kind.name}: ${JSON.stringify(done)}`
    const codes = done.errors.flatMap(({ errors }) => errors.map(({ code }) => code))
    if (refersTo.length > 0) {
      expect(done.failed, told).toBe(rows.length)
      expect(
        codes.filter((code) => !['unknown_reference', 'not_found'].includes(code)),
        told,
      ).toEqual([])
    }
    expect(await everyRow(theirs), told).toBe(before)
  }
})

test('an id that another school uses is free here, and the answer does not reveal that it exists there', async () => {
  const world = await aWorld()
  const [mine, theirs] = [await world.aSchool(), await world.aSchool()]
  await addExamples(world, theirs)
  const unheard = '01981c5e-7c00-7000-8000-0000000000ff'
  for (const kind of BULK_KINDS.filter(({ name }) => ['courses', 'pages'].includes(name))) {
    for (const id of [kind.name === 'courses' ? EXAMPLE.course : EXAMPLE.page, unheard]) {
      const done = await importInto(mine, kind, [
        { ...kind.example, slug: `s-${id.slice(-4)}`, id },
      ])
      expect(done).toMatchObject({ created: 1, failed: 0 })
    }
  }
  const people = BULK_KINDS.filter(({ name }) => ['members', 'students'].includes(name))
  for (const kind of people) {
    for (const id of [...PEOPLE, unheard]) {
      const done = await importInto(mine, kind, [{ id }])
      expect(done.errors).toMatchObject([{ errors: [{ pointer: '/id', code: 'not_found' }] }])
    }
  }
})
