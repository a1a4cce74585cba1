import type { z } from 'zod'
import type { Actor } from '../../src/domain/actor/actor.ts'
import {
  type Operation,
  type Outcome,
  performOperation,
  type WriteOperation,
} from '../../src/domain/operation/operation.ts'
import type { TestPerson, TestSchool } from './world.ts'

type Output = Record<string, unknown> & { readonly id: string }

/** Performs operations as an owner of the school in the admin area. */
export class Performer {
  readonly school: TestSchool
  readonly caller: Actor

  constructor(school: TestSchool, person: TestPerson) {
    this.school = school
    this.caller = {
      userId: person.id,
      roles: ['owner'],
      origin: school.origin,
      via: 'admin_area',
    }
  }

  /** The output of the operation; a refusal fails the test. */
  async does(operation: Operation, input: Record<string, unknown>): Promise<Output> {
    const outcome = await performOperation(operation, this.school.db, this.caller, input)
    if (outcome.kind !== 'done') throw new Error(`${operation.name}: ${JSON.stringify(outcome)}`)
    operation.output.parse(outcome.output)
    return outcome.output as Output
  }

  /** The code of the refusal, with its field before it if it has one. */
  async isRefused(operation: Operation, input: Record<string, unknown>): Promise<string> {
    const outcome = await performOperation(operation, this.school.db, this.caller, input)
    switch (outcome.kind) {
      case 'done':
        throw new Error(`${operation.name} was done`)
      case 'invalid':
        return outcome.problems.map(({ pointer, code }) => `${pointer} ${code}`).join()
      case 'conflict':
        return outcome.code
      default:
        return outcome.kind
    }
  }
}

/** Performs a write as the command line does, and returns its outcome. */
export function performByCommandLine<I extends z.ZodObject, O extends z.ZodObject>(
  { db, origin }: Pick<TestSchool, 'db' | 'origin'>,
  operation: WriteOperation<I, O>,
  input: z.input<I>,
): Promise<Outcome<z.output<O>>> {
  const actor: Actor = { via: 'command_line', roles: ['owner'], origin }
  return performOperation(operation, db, actor, input)
}

/** The output of an operation that must succeed. */
export function outputOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.output
}
