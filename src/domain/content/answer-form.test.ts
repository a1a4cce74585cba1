import { expect, test } from 'vitest'
import { judgeAnswers } from './answer-form.ts'

const ask = (kind: string, required = false) => [{ name: 'q', label: 'Q', kind, required }]

test.each([
  ['text', '  one\nline ', 'one line'],
  ['long_text', 'two\r\nlines', 'two\nlines'],
  ['number', '4', 4],
  ['number', '-2,5', -2.5],
  ['number', '+1500', 1500],
  ['number', '0,125', 0.125],
  ['number', '1.2340', 1.234],
  ['number', '1000.125', 1000.125],
  ['number', '999999999999999', 999_999_999_999_999],
  ['number', '12345678901234.50', 12_345_678_901_234.5],
  ['number', '0.000000000000001', 1e-15],
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

test.each([
  ['1,000', '1000 or 1.'],
  ['1.000', '1000 or 1.'],
  ['-1,500', '-1500 or -1.5.'],
  ['123.456', '123456 or 123.4560.'],
])('the number %s, which may have thousands or decimals, is not guessed', (typed, ways) => {
  const problem = `This can be read in two ways. Write ${ways}`
  expect(judgeAnswers(ask('number'), () => typed)).toEqual({ problems: new Map([['q', problem]]) })
})

test.each(['999999999999999.9', '123456789012345.123456789012345', '1.0000000000000001'])(
  'the number %s, of which digits would be lost, is refused',
  (typed) => {
    const problem = 'Write a number of at most 15 digits, such as 4 or 2.5.'
    expect(judgeAnswers(ask('number'), () => typed)).toEqual({
      problems: new Map([['q', problem]]),
    })
  },
)

test('a question without an answer is left out, unless it must be answered', () => {
  expect(judgeAnswers(ask('text'), () => ' ')).toEqual({ answers: {} })
  expect(judgeAnswers(ask('text', true), () => ' ')).toHaveProperty('problems')
})

test('a question with the name of a member of all objects is a question like others', () => {
  const questions = [{ name: '__proto__', label: 'Q', kind: 'text', required: true }]
  const judged = judgeAnswers(questions, () => 'yes')
  expect(JSON.stringify(judged)).toBe('{"answers":{"__proto__":"yes"}}')
})
