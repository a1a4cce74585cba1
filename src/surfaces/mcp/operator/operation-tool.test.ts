import { expect, test } from 'vitest'
import { boundWriting } from './operation-tool.ts'

const long = {
  object: 'curriculum',
  id: 'c1',
  version: 7,
  description: 'x'.repeat(1000),
  sections: Array.from({ length: 3000 }, (_, id) => ({ id, title: 'A section of a long course' })),
}

test('the answer of a write that is too long says that it is done, and leaves long parts out', () => {
  expect(boundWriting(long, 80_000)).toEqual({
    object: 'curriculum',
    id: 'c1',
    version: 7,
    omitted: expect.stringContaining('It is done'),
  })
})

test('any other answer is whole', () => {
  expect(boundWriting({ id: 'c1', sections: [] }, 80_000)).toEqual({ id: 'c1', sections: [] })
  expect(boundWriting(long, 200_000)).toEqual(long)
})
