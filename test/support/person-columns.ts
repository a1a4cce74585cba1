import { readFileSync } from 'node:fs'

const SCHEMA = new URL('../../migrations/schema.sql', import.meta.url)

/**
 * Columns that name a person, by table: those called `…user_id`, and those that refer to people or
 * members.
 */
export function personColumns(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>([['users', ['id']]])
  const tables = readFileSync(SCHEMA, 'utf8').matchAll(/^create table (\w+) \((.*?)^\)/gms)
  for (const [, table = '', columns = ''] of tables) {
    const named = [...columns.matchAll(/^ {2}(\w*user_id) uuid/gm)]
    const referring = [
      ...columns.matchAll(
        /FOREIGN KEY \((?:school_id, )?(\w+)\) REFERENCES (?:users|school_members|lecturers)\(/g,
      ),
    ]
    const names = new Set([...named, ...referring].map(([, column = '']) => column))
    if (names.size > 0) found.set(table, [...names].sort())
  }
  return found
}
