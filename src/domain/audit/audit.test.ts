import { expect, test } from 'vitest'
import { whatChanged } from './audit.ts'

const course = {
  object: 'course',
  id: '1',
  title: 'Drawing',
  state: 'draft',
  published_at: null,
  price_amount: 4900,
  currency: 'USD',
  description: 'With Ada.',
  enrollment_count: 1,
  version: 1,
  updated_at: '2026-11-01T00:00:00.000Z',
}

test('names what changed with the value before and after, and the currency of an amount', () => {
  const after = { ...course, title: 'Painting', price_amount: 5900, version: 2 }
  expect(whatChanged(course, after)).toEqual({
    changed: { title: ['Drawing', 'Painting'], price_amount: [4900, 5900] },
    currency: 'USD',
  })
})

test('keeps no free text, which may name people', () => {
  const after = { ...course, description: 'With Ben.' }
  expect(whatChanged(course, after)).toEqual({ also_changed: ['description'] })
})

test('keeps lists of texts only under names that say nothing about people', () => {
  const before = { ...course, roles: ['student'], hosts: ['a.test'], tags: ['Ada'] }
  const after = { ...before, roles: [], hosts: ['b.test'], tags: ['Ben'] }
  expect(whatChanged(before, after, ['hosts'])).toEqual({
    changed: { roles: [['student'], []], hosts: [['a.test'], ['b.test']] },
    also_changed: ['tags'],
  })
})

test('leaves out what follows from others', () => {
  const after = {
    ...course,
    enrollment_count: 2,
    version: 2,
    updated_at: '2026-11-02T00:00:00.000Z',
  }
  expect(whatChanged(course, after)).toEqual({})
})

test('knows the times of a state, and no long title', () => {
  const time = '2026-11-02T00:00:00.000Z'
  expect(whatChanged(course, { ...course, state: 'published', published_at: time })).toEqual({
    changed: { state: ['draft', 'published'], published_at: [null, time] },
  })
  expect(whatChanged(course, { ...course, title: 'x'.repeat(201) })).toEqual({
    also_changed: ['title'],
  })
})
