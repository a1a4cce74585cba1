import { describe, expect, test } from 'vitest'
import { moved, type OutlineSection } from './curriculum-page.tsx'

const outline: readonly OutlineSection[] = [
  { id: 'A', lecture_ids: ['a1', 'a2'] },
  { id: 'B', lecture_ids: [] },
  { id: 'C', lecture_ids: ['c1'] },
]

const shown = (sections: readonly OutlineSection[] | undefined) =>
  sections?.map(({ id, lecture_ids }) => [id, ...lecture_ids].join(' '))

describe('one step', () => {
  test('of a lecture stays in its section while there is room', () => {
    expect(shown(moved(outline, 'a1', 'down'))).toEqual(['A a2 a1', 'B', 'C c1'])
    expect(shown(moved(outline, 'a2', 'up'))).toEqual(['A a2 a1', 'B', 'C c1'])
  })

  test('of a lecture at the edge leads into the next section', () => {
    expect(shown(moved(outline, 'a2', 'down'))).toEqual(['A a1', 'B a2', 'C c1'])
    expect(shown(moved(outline, 'c1', 'up'))).toEqual(['A a1 a2', 'B c1', 'C'])
  })

  test('of a section takes its lectures along', () => {
    expect(shown(moved(outline, 'A', 'down'))).toEqual(['B', 'A a1 a2', 'C c1'])
    expect(shown(moved(outline, 'C', 'up'))).toEqual(['A a1 a2', 'C c1', 'B'])
  })

  test('is refused beyond either end, and for an unknown id', () => {
    expect(moved(outline, 'A', 'up')).toBeUndefined()
    expect(moved(outline, 'C', 'down')).toBeUndefined()
    expect(moved(outline, 'a1', 'up')).toBeUndefined()
    expect(moved(outline, 'c1', 'down')).toBeUndefined()
    expect(moved(outline, 'x', 'up')).toBeUndefined()
  })
})
