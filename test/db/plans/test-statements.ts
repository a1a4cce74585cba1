import { expect, test } from 'vitest'
import type { AnsweredRequest } from '../../support/request-costs.ts'
import { checkTable } from '../../support/statement-table.ts'

/** What PostgreSQL parses anew each time, having nothing to plan. */
const UNPLANNED = ['begin', 'commit']

/** What holds for the statements of every request, whatever part of the house answers it. */
export function testStatements(part: string, answered: () => readonly AnsweredRequest[]): void {
  test('each request sends as many statements as the table says', () => {
    checkTable(part, answered())
  })

  test('every statement is parsed once for a connection, since no value is written into it', () => {
    const texts = new Set(answered().flatMap(({ statements }) => statements))
    const written = [...texts].filter((text) => !text.includes('$1'))
    expect(written.filter((text) => !UNPLANNED.includes(text))).toEqual([])
  })
}
