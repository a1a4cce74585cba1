import { sql } from 'kysely'
import { z } from 'zod'
import type { SchoolTx } from '../../foundation/db/school-db.ts'
import type { Refusal } from '../operation/refusal.ts'
import type { BulkColumn } from './kind.ts'
import type { PlannedRow, StartedRow } from './table-details.ts'

type Options = Omit<BulkColumn, 'schema'>

export const NEEDED: Options = { needed: true }

/** Columns with the schemas of a resource's fields, so that imports and operations accept the same values. */
export function columnsOf(
  fields: z.ZodRawShape,
  options: Readonly<Record<string, Options>>,
): Record<string, BulkColumn> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const schema = fields[name] as z.ZodType | undefined
      if (schema === undefined) throw new Error(`there is no field ${name}`)
      return [name, { schema: withoutDefault(schema), ...option }]
    }),
  )
}

/** A column that a row leaves out stays unchanged, so a default must not replace it. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema
}

/** Sorts a list without order and removes repeated values, so that it compares equal to the stored one. */
export function inAnyOrder(values: Record<string, unknown>, column: string): void {
  const list = values[column]
  if (Array.isArray(list)) values[column] = [...new Set(list)].sort()
}

/** Sets the time that belongs to a state to now, unless the row or the object has one; clears it in other states. */
export function stampState(row: StartedRow, states: readonly string[], column: string): void {
  const { values, before } = row
  const state = String(values.state ?? before?.state)
  if (states.includes(state)) {
    if ((values[column] ?? before?.[column]) == null) values[column] = new Date().toISOString()
  } else if (values[column] === undefined && before?.[column] != null) {
    values[column] = null
  }
}

/** Refuses rows that name people who are no members here, or lack the role. Those whom the object had before may stay. */
export async function requireMembers(
  tx: SchoolTx,
  rows: readonly PlannedRow[],
  column: string,
  role?: 'lecturer',
): Promise<void> {
  const fresh = rows.flatMap((row) => {
    const added = addedTo(row, column).filter((id) => role !== undefined || !row.members.has(id))
    return added.length === 0 ? [] : [{ row, added }]
  })
  if (fresh.length === 0) return
  const ids = `{${[...new Set(fresh.flatMap(({ added }) => added))].join()}}`
  const { rows: members } = await tx.run(sql<{ user_id: string }>`
    select user_id from school_members
    where school_id = ${tx.schoolId} and user_id = any(${ids}::uuid[])
      and case when ${role ?? null}::text is null then roles <> '{}' else ${role ?? null}::text = any(roles) end`)
  const known = new Set(members.map(({ user_id }) => user_id))
  for (const { row, added } of fresh) {
    if (added.some((id) => !known.has(id))) row.outcome = noMember(column, role)
  }
}

const NONE: readonly string[] = []

function addedTo({ outcome, values, before }: PlannedRow, column: string): readonly string[] {
  const named = values[column]
  const had = before?.[column]
  if ((outcome !== 'created' && outcome !== 'updated') || named == null || named === had)
    return NONE
  if (!Array.isArray(named)) return [String(named)]
  const kept = new Set(Array.isArray(had) ? had : NONE)
  return named.map(String).filter((id) => !kept.has(id))
}

function noMember(column: string, role: string | undefined): Refusal {
  const detail =
    role === undefined
      ? 'This person is not a member of this school. Add them first.'
      : `This member does not hold the ${role} role here. Give it to them first.`
  return {
    kind: 'invalid',
    problems: [{ pointer: `/${column}`, code: 'unknown_reference', detail }],
  }
}
