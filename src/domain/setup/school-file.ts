import type { Db } from '../../foundation/db/database.ts'
import type { AuditedActor } from '../actor/actor.ts'
import { type Format, type RowShape, readRows } from '../bulk/row-reader.ts'
import { type InputProblem, judgeInput, OperationRefused } from '../operation/refusal.ts'
import { columnsOf, type NewSchool, newSchool } from '../schools/school-details.ts'
import { createSchool } from '../schools/write-school.ts'

/** A file of schools: a row has the settings of one, by the names of its columns. */
export const SCHOOL_ROWS: RowShape = {
  name: 'schools',
  columns: Object.fromEntries(
    Object.entries(newSchool.shape).map(([name, schema]) => [name, { schema }]),
  ),
  of: { schema: newSchool },
}

export interface WrongLine {
  readonly line: number
  readonly problems: readonly InputProblem[]
}

export type SchoolsFromFile =
  | { readonly kind: 'made'; readonly schools: readonly MadeSchool[] }
  | { readonly kind: 'refused'; readonly lines: readonly WrongLine[] }

interface MadeSchool {
  readonly id: string
  readonly subdomain: string
}

interface Line {
  readonly line: number
  readonly school: NewSchool
}

/** Makes all schools of a file, or none: then every wrong line is told. */
export async function createSchoolsOfFile(
  db: Db,
  source: AsyncIterable<Uint8Array>,
  format: Format,
  by: AuditedActor,
): Promise<SchoolsFromFile> {
  const { good, wrong } = await readLines(source, format)
  const made: MadeSchool[] = []
  try {
    await db.transaction().execute(async (tx) => {
      for (const { line, school } of good) {
        try {
          made.push({ id: await createSchool(tx, school, by), subdomain: school.subdomain })
        } catch (error) {
          if (!(error instanceof OperationRefused) || !('code' in error.refusal)) throw error
          const { code, detail } = error.refusal
          wrong.push({ line, problems: [{ pointer: '', code, detail } as InputProblem] })
        }
      }
      if (wrong.length > 0) throw new NoneIsMade()
    })
  } catch (error) {
    if (!(error instanceof NoneIsMade)) throw error
    return { kind: 'refused', lines: wrong.toSorted((a, b) => a.line - b.line) }
  }
  return { kind: 'made', schools: made }
}

/** Rolls back what the good lines made. */
class NoneIsMade extends Error {}

async function readLines(source: AsyncIterable<Uint8Array>, format: Format) {
  const good: Line[] = []
  const wrong: WrongLine[] = []
  const seen = new Map<string, number>()
  for await (const rows of readRows(SCHOOL_ROWS, format, source)) {
    for (const row of rows) {
      if ('problems' in row) {
        wrong.push(row)
        continue
      }
      const { line } = row
      const judged = judgeInput(newSchool, row.values)
      if (judged.problems !== undefined) {
        wrong.push({ line, problems: judged.problems })
        continue
      }
      const school = columnsOf(judged.data)
      const problems = repeated(school, line, seen)
      if (problems.length === 0) good.push({ line, school })
      else wrong.push({ line, problems })
    }
  }
  return { good, wrong }
}

function repeated(
  school: NewSchool,
  line: number,
  seen: Map<string, number>,
): readonly InputProblem[] {
  return (['subdomain', 'origin'] as const).flatMap((field): InputProblem[] => {
    const key = `${field} ${school[field]}`
    const first = seen.get(key)
    if (first === undefined) {
      seen.set(key, line)
      return []
    }
    const detail = `Line ${first} has the same ${field}.`
    return [{ pointer: `/${field}`, code: 'repeated', detail }]
  })
}
