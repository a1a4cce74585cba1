import { expect, test } from 'vitest'
import { boundReading, boundWriting } from './bound-answer.ts'

const long = {
  object: 'curriculum',
  id: 'c1',
  version: 7,
  description: 'x'.repeat(1000),
  sections: Array.from({ length: 3000 }, (_, id) => ({
    id,
    title: 'A section of a long course'.repeat(4),
  })),
}

test('a long text is cut, and says so', () => {
  const { body } = boundReading({ body: 'x'.repeat(30_000) }, null)
  expect(String(body)).toHaveLength(20_000 + '… (cut: the REST API gives the whole text)'.length)
})

test('what was read and is too long is refused, and the reader is told what to do', () => {
  expect(() => boundReading(long, 'https://a.example/api/v1/courses/c1/curriculum')).toThrow(
    /smaller limit.*another action.*https:\/\/a\.example\/api/,
  )
  expect(() => boundReading(long, null)).toThrow(/another action\.$/)
})

test('what was changed and is too long is told as done, without what is long', () => {
  expect(boundWriting(long)).toEqual({
    object: 'curriculum',
    id: 'c1',
    version: 7,
    omitted: expect.stringContaining('It is done'),
  })
  expect(boundWriting({ id: 'c1', sections: [] })).toEqual({ id: 'c1', sections: [] })
})
