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

/** Refuses rows that name a person who is no member here, or lacks the role. */
export async function requireMembers(
  tx: SchoolTx,
  rows: readonly PlannedRow[],
  column: string,
  role?: 'lecturer',
): Promise<void> {
  const fresh = rows.filter(
    ({ outcome, values, before, members }) =>
      (outcome === 'created' || (outcome === 'updated' && values[column] !== before?.[column])) &&
      values[column] != null &&
      (role !== undefined || !members.has(String(values[column]))),
  )
  if (fresh.length === 0) return
  const ids = `{${[...new Set(fresh.map(({ values }) => values[column]))].join()}}`
  const { rows: members } = await tx.run(sql<{ user_id: string }>`
    select user_id from school_members
    where school_id = ${tx.schoolId} and user_id = any(${ids}::uuid[])
      and case when ${role ?? null}::text is null then roles <> '{}' else ${role ?? null}::text = any(roles) end`)
  const known = new Set(members.map(({ user_id }) => user_id))
  for (const row of fresh) {
    if (!known.has(String(row.values[column]))) row.outcome = noMember(column, role)
  }
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
