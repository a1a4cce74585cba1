import { expect, test } from 'vitest'
import { plainList, textList } from './sql-values.ts'

test('what is not there is NULL, and the word is not', () => {
  expect(textList([null, undefined, 'NULL', ''])).toBe('{NULL,NULL,"NULL",""}')
  expect(plainList([null, 1, true, undefined])).toBe('{NULL,1,true,NULL}')
})

test('no character of a text ends it early', () => {
  expect(textList(['a","b', '\\'])).toBe('{"a\\",\\"b","\\\\"}')
  expect(textList(['{x,y}'])).toBe('{"{x,y}"}')
})
