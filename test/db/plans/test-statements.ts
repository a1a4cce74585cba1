import { expect, test } from 'vitest'
import type { AnsweredRequest } from '../../support/request-costs.ts'
import { checkTable } from '../../support/statement-table.ts'

/** Statements without a plan: PostgreSQL parses them each time. */
const UNPLANNED = ['begin', 'commit', 'rollback']

/** Tests that hold for the statements of every surface. */
export function testStatements(part: string, answered: () => readonly AnsweredRequest[]): void {
  test('each request sends as many statements as the table says', () => {
    checkTable(part, answered())
  })

  test('every statement takes its values as parameters, so a connection parses it once', () => {
    const texts = new Set(answered().flatMap(({ statements }) => statements))
    const written = [...texts].filter((text) => !text.includes('$1'))
    expect(written.filter((text) => !UNPLANNED.includes(text))).toEqual([])
  })
}
