import { expect, test } from 'vitest'
import { copyLine } from './restore-backup.ts'

test('a row has one line, whatever its values hold', () => {
  const values = ['a\tb', 'c\nd\re', '\\N', '\\.', '', null]
  expect(copyLine(values)).toBe('a\\tb\tc\\nd\\re\t\\\\N\t\\\\.\t\t\\N\n')
})
