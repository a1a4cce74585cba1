import { expect, test } from 'vitest'
import { refusalFromDatabase } from './database-refusal.ts'

const failure = (fields: Readonly<Record<string, string>>) =>
  refusalFromDatabase(Object.assign(new Error('refused by PostgreSQL'), fields))

const SLUG_TAKEN = {
  English: 'Key (school_id, slug)=(7, open) already exists.',
  German: 'Schlüssel »(school_id, slug)=(7, open)« existiert bereits.',
  Japanese: 'キー (school_id, slug)=(7, open) はすでに存在します。',
}

for (const [language, detail] of Object.entries(SLUG_TAKEN)) {
  test(`a taken value is told with its field if PostgreSQL speaks ${language}`, () => {
    expect(failure({ code: '23505', detail })).toMatchObject({ code: 'taken', pointer: '/slug' })
  })
}

/** `table` is the table that refers, as PostgreSQL reports it. */
const REFERENCES: readonly [string, string, string, string][] = [
  [
    'in_use',
    'English',
    'lectures',
    'Key (school_id, id)=(7, 1) is still referenced from table "lectures".',
  ],
  [
    'in_use',
    'German',
    'lectures',
    'Auf Schlüssel (school_id, id)=(7, 1) wird noch aus Tabelle »lectures« verwiesen.',
  ],
  [
    'unknown_reference',
    'English',
    'lectures',
    'Key (school_id, section_id)=(7, 1) is not present in table "sections".',
  ],
  [
    'unknown_reference',
    'German',
    'lectures',
    'Schlüssel (school_id, section_id)=(7, 1) ist nicht in Tabelle »sections« vorhanden.',
  ],
]

for (const [code, language, table, detail] of REFERENCES) {
  test(`${code} is told apart if PostgreSQL speaks ${language}`, () => {
    const refusal = failure({ code: '23503', table, detail })
    expect(JSON.stringify(refusal)).toContain(`"code":"${code}"`)
  })
}

test('a reply to a comment that does not exist is an unknown reference within one table', () => {
  expect(
    failure({
      code: '23503',
      table: 'comments',
      constraint: 'comments_parent_at_same_lecture',
      detail:
        'Key (school_id, lecture_id, parent_id)=(7, 1, 2) is not present in table "comments".',
    }),
  ).toMatchObject({ kind: 'invalid', problems: [{ pointer: '/parent_id' }] })
})
