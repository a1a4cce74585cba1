import { expect, test } from 'vitest'
import { judgeAnswers } from './answer-rules.ts'

const ask = (kind: string, required = false) => [{ name: 'q', label: 'Q', kind, required }]

test.each([
  ['text', '  one\nline ', 'one line'],
  ['long_text', 'two\r\nlines', 'two\nlines'],
  ['number', '4', 4],
  ['number', '-2,5', -2.5],
  ['email', 'ada@example.org', 'ada@example.org'],
  ['yes_no', 'yes', true],
  ['yes_no', 'no', false],
  ['rating_of_another_system', 'five', 'five'],
])('an answer to a question of the kind %s: %j is kept as %j', (kind, typed, answer) => {
  expect(judgeAnswers(ask(kind), () => typed)).toEqual({ answers: { q: answer } })
})

test.each([
  ['number', 'four'],
  ['number', '1e9'],
  ['number', '9'.repeat(16)],
  ['email', 'ada'],
  ['email', 'ada@example.org, eve@example.org'],
  ['yes_no', 'maybe'],
  ['text', 'x'.repeat(1001)],
  ['long_text', 'x'.repeat(10_001)],
])('an answer to a question of the kind %s: %j is refused', (kind, typed) => {
  expect(judgeAnswers(ask(kind), () => typed)).toHaveProperty('problems')
})

test('a question without an answer is left out, unless it must be answered', () => {
  expect(judgeAnswers(ask('text'), () => ' ')).toEqual({ answers: {} })
  expect(judgeAnswers(ask('text', true), () => ' ')).toHaveProperty('problems')
})

test('a question with the name of a member of all objects is a question like others', () => {
  const questions = [{ name: '__proto__', label: 'Q', kind: 'text', required: true }]
  const judged = judgeAnswers(questions, () => 'yes')
  expect(JSON.stringify(judged)).toBe('{"answers":{"__proto__":"yes"}}')
})
