import type { z } from 'zod'
import type { ListOperation } from '../../../../../domain/operation/list-operation.ts'
import type { Ask, Choice } from '../field.ts'
import type { Draft } from '../form/draft.ts'
import type { PlannedField } from '../form/field-rule.ts'
import type { FieldProblems } from '../form/problems.ts'
import type { SortOf } from '../list-plan.ts'
import type { Row, TextMember } from '../row.ts'
import type { ShownField } from '../views/field.tsx'
import { inWords } from '../views/words.ts'

/** A form with more choices than this is of no use. */
const MOST = 1000

/** All objects of a list as choices. `name` is a text of the objects that the list can be sorted by. */
export function choicesFrom<I extends z.ZodObject, S extends z.ZodObject>(
  list: ListOperation<I, S>,
  name: SortOf<I> & TextMember<z.output<S>>,
) {
  const operation: ListOperation = list
  return async (ask: Ask): Promise<readonly Choice[]> => {
    const found: Choice[] = []
    let after: string | undefined
    do {
      const page = await ask(operation, {
        limit: 100,
        sort: name,
        ...(after === undefined ? {} : { after }),
      })
      found.push(...page.data.map((row): Choice => [String(row.id), String(row[name])]))
      after = page.next ?? undefined
    } while (after !== undefined && found.length < MOST)
    return found
  }
}

/** Fields with their text, their choices and their problems. */
export async function shownFields(
  fields: readonly PlannedField[],
  draft: Draft,
  problems: FieldProblems,
  ask: Ask,
  object: Row = {},
): Promise<readonly ShownField[]> {
  return await Promise.all(
    fields.map(async (field) => ({
      field,
      typed: draft[field.name] ?? [],
      problems: problems[field.name] ?? [],
      choices: await choicesOf(field, ask, object),
    })),
  )
}

/** What can be chosen in a field. */
export async function choicesOf(
  { choices, rule }: Pick<PlannedField, 'choices' | 'rule'>,
  ask: Ask,
  object: Row = {},
): Promise<readonly Choice[]> {
  if (typeof choices === 'function') return await choices(ask, object)
  return choices ?? rule.values.map((value) => [value, inWords(value)])
}
