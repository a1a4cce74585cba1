import { expect, test } from 'vitest'
import { z } from 'zod'
import { judgeInput } from './refusal.ts'

const schema = z.strictObject({
  title: z.string().max(5).optional(),
  name: z.string().max(5, 'Use a short name.').optional(),
  price: z.int().min(1).max(100).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  state: z.enum(['draft', 'published']).default('draft'),
  email: z
    .email('Enter an email address, such as name@school.example.')
    .default('ada@example.test'),
  open: z.boolean().optional(),
  day: z.iso.date().optional(),
  either: z.union([z.literal(1), z.boolean()]).optional(),
  code: z.string().regex(/^A/).optional(),
})

test.each([
  [{ title: 'longer' }, 'too_big', 'Write at most 5 characters.', { maximum: 5 }],
  [{ name: 'longer' }, 'too_big', 'Use a short name.', { maximum: 5 }],
  [{ price: 0 }, 'too_small', 'Write a number that is at least 1.', { minimum: 1 }],
  [{ price: 101 }, 'too_big', 'Write a number that is at most 100.', { maximum: 100 }],
  [{ price: 1.5 }, 'wrong_type', 'Write a whole number.'],
  [{ price: null }, 'wrong_type', 'This cannot be null. Send a value, or leave it out.'],
  [{ tags: [] }, 'too_small', 'Choose at least one.', { minimum: 1 }],
  [{ tags: ['a', 'b', 'c'] }, 'too_big', 'Choose at most 2.', { maximum: 2 }],
  [{ tags: 'a' }, 'wrong_type', 'Write a list.'],
  [{ state: 'gone' }, 'invalid_value', 'Write one of draft, published.'],
  [{ email: 'ada' }, 'invalid_format', 'Enter an email address, such as name@school.example.'],
  [{ open: 'yes' }, 'wrong_type', 'Write true or false.'],
  [{ day: 'today' }, 'invalid_format', 'Write a date such as 2027-01-31.'],
  [{ either: 2 }, 'invalid_union', 'This value is not valid here. See the reference.'],
  [{ code: 'B' }, 'invalid_format', 'This does not have the required format.'],
  [
    { 'a/b': 1 },
    'unknown_field',
    'There is no such field here. Remove it, or check its spelling.',
    {},
    '/a~1b',
  ],
])(
  '%j is reported as %s with a message of our own',
  (input, code, detail, limit = {}, pointer = `/${Object.keys(input)[0]}`) => {
    expect(judgeInput(schema, input)).toEqual({ problems: [{ pointer, code, detail, ...limit }] })
  },
)

test('a missing value is reported as required, also for an enum or a format', () => {
  const { state, email, price } = schema.shape
  const needed = z.strictObject({
    state: state.removeDefault(),
    email: email.removeDefault(),
    price: price.unwrap(),
  })
  const problem = { code: 'required', detail: 'This is required.' }
  expect(judgeInput(needed, {}).problems).toEqual([
    { pointer: '/state', ...problem },
    { pointer: '/email', ...problem },
    { pointer: '/price', ...problem },
  ])
})
