import type { ReadOperation } from '../../../../../domain/operation.ts'
import type { Draft } from '../form/draft.ts'
import type { PlannedField } from '../form/field-rule.ts'
import type { FieldProblems } from '../form/problems.ts'
import { type Ask, type Choice, type Row, rowsOf, textOf } from '../resource.ts'
import type { ShownField } from '../views/field.tsx'
import { inWords } from '../views/words.ts'

/** More than anybody finds their way through in a form. */
const MOST = 1000

/** The objects of a list as what can be chosen, by their names. */
export function choicesFrom(list: ReadOperation, name: string) {
  return async (ask: Ask): Promise<readonly Choice[]> => {
    const found: Choice[] = []
    let after: string | undefined
    do {
      const page = await ask(list, {
        limit: 100,
        sort: name,
        ...(after === undefined ? {} : { after }),
      })
      found.push(
        ...rowsOf(page, 'data').map((row): Choice => [textOf(row, 'id'), textOf(row, name)]),
      )
      after = textOf(page, 'next') || undefined
    } while (after !== undefined && found.length < MOST)
    return found
  }
}

/** Fields with what stands in them, what can be chosen, and what is wrong. */
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

async function choicesOf(
  { choices, rule }: Pick<PlannedField, 'choices' | 'rule'>,
  ask: Ask,
  object: Row,
): Promise<readonly Choice[]> {
  if (typeof choices === 'function') return await choices(ask, object)
  return choices ?? rule.values.map((value) => [value, inWords(value)])
}
