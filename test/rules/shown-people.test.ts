import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const SRC = new URL('../../src/', import.meta.url)

/**
 * Files outside of src/domain/people that may read the table of people, and why. A school sees the
 * name and the picture of a person only through `actor/shown-person.ts`.
 */
const READERS: Readonly<Record<string, string>> = {
  'domain/grants/caller.ts': 'the person who holds the token',
  'domain/audit/read-audit.ts':
    'the id behind an email that the operator typed, within the entries of the school',
  'domain/bulk/reference-column.ts': 'the ids of members by the emails of a file',
  'domain/grants/introspection.ts': 'whether the person was deleted',
  'domain/grants/right-of-job.ts': 'whether the person who started a job was deleted',
  'domain/grants/token-request-rules.ts': 'the person who authorized the client',
}

test('no other file reads the table of people: a school must not see who an email belongs to', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !/\.test\.tsx?$|\.generated\.ts$|^demo\/|^domain\/(people|leaving)\/|^domain\/actor\/shown-person/.test(
        file.replaceAll('\\', '/'),
      ),
  )
  const readers = files.filter((file) =>
    /\b(?:from|join) users\b|(?:selectFrom|Join)\('users/.test(
      readFileSync(new URL(file, SRC), 'utf8'),
    ),
  )
  expect(readers.sort()).toEqual(Object.keys(READERS).sort())
})
