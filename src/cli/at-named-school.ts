import type { z } from 'zod'
import { performOperation, type WriteOperation } from '../domain/operation/operation.ts'
import type { ListedSchool } from '../domain/schools/school-directory.ts'
import type { Db } from '../foundation/db/database.ts'
import { atSchool, type SchoolDb } from '../foundation/db/school-db.ts'
import { withDatabase } from './attach.ts'
import { commandLineAt } from './by-command-line.ts'
import type { Cli } from './cli.ts'
import { loadSchool } from './load-school.ts'
import { type RefusalWords, refusalError } from './refusal-error.ts'

export interface NamedSchool {
  readonly db: Db
  readonly school: ListedSchool
  readonly at: SchoolDb
  /** Performs an operation as the command line; a refusal becomes a CommandError. */
  perform<I extends z.ZodObject, O extends z.ZodObject>(
    operation: WriteOperation<I, O>,
    input: z.input<I>,
    words?: RefusalWords,
  ): Promise<z.output<O>>
}

export async function atNamedSchool<R>(
  cli: Cli,
  name: string,
  work: (named: NamedSchool) => Promise<R>,
): Promise<R> {
  return await withDatabase(cli.config(), async ({ db }) => {
    const school = await loadSchool(db, name)
    const at = atSchool(db, school.id)
    return await work({
      db,
      school,
      at,
      async perform(operation, input, words) {
        const outcome = await performOperation(operation, at, commandLineAt(school), input)
        if (outcome.kind === 'done') return outcome.output
        throw refusalError(outcome, words)
      },
    })
  })
}
