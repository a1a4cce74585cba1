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

test('an answer that is too long is refused, and the refusal says what to do', () => {
  expect(() => boundReading(long, 'https://a.example/api/v1/courses/c1/curriculum')).toThrow(
    /smaller limit.*another action.*https:\/\/a\.example\/api/,
  )
  expect(() => boundReading(long, null)).toThrow(/another action\.$/)
})

test('the answer of a write that is too long says that it is done, and leaves long parts out', () => {
  expect(boundWriting(long)).toEqual({
    object: 'curriculum',
    id: 'c1',
    version: 7,
    omitted: expect.stringContaining('It is done'),
  })
  expect(boundWriting({ id: 'c1', sections: [] })).toEqual({ id: 'c1', sections: [] })
})
