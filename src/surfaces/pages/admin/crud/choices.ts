import type { z } from 'zod'
import {
  type ChoiceOperation,
  choiceOperation,
} from '../../../../domain/operation/choice-operation.ts'
import type { ListOperation } from '../../../../domain/operation/list-operation.ts'
import { isUuid } from '../../../../foundation/protocol/token-format.ts'
import type { Ask } from '../frame/operator.ts'
import type { FoundChoices, OfferedChoices } from './field.ts'
import type { ShownField } from './field-inputs.tsx'
import type { FieldProblems, PlannedField } from './field-rules.ts'
import type { SortOf } from './list-plan.ts'
import { inWords } from './object-table.tsx'
import type { Draft } from './read-form.ts'
import type { Row, TextMember } from './row.ts'

/**
 * The objects of a list as choices. `name` is a text of the objects that the list can be sorted by.
 */
export function choicesFrom<I extends z.ZodObject, S extends z.ZodObject>(
  list: ListOperation<I, S>,
  name: SortOf<I> & TextMember<z.output<S>>,
): FoundChoices {
  return choicesBy(choiceOperation(list as unknown as ListOperation, name))
}

export function choicesBy(operation: ChoiceOperation): FoundChoices {
  return {
    async offer(ask, { text, chosen }) {
      const { data, has_more } = await ask(operation, {
        ...(text === '' ? {} : { search: text }),
        chosen: chosen.filter(isUuid),
      })
      return { choices: data.map((one) => [one.id, one.name] as const), isMore: has_more }
    },
  }
}

/** The texts that a person typed to find choices, by the name of the field. */
export type FindTexts = Readonly<Record<string, string>>

const FIND = 'find-'
const FOUND = 'found-'

export function findTextsIn(form: URLSearchParams): FindTexts {
  const typed = [...form].filter(([name]) => name.startsWith(FIND))
  return Object.fromEntries(typed.map(([name, text]) => [name.slice(FIND.length), oneLine(text)]))
}

/** For routes that show their form again; see `asksToBeShown`. */
export const SHOWS_AGAIN = { config: { showsAgain: true } } as const

/**
 * Whether the form asks to be shown again and not to be saved: it was kept during a sign-in, or a
 * text is another one than the choices were found by.
 */
export function asksToBeShown(form: URLSearchParams): boolean {
  if (form.has('find') || form.has('show_again')) return true
  return Object.entries(findTextsIn(form)).some(
    ([name, text]) => text !== oneLine(form.get(`${FOUND}${name}`) ?? ''),
  )
}

function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 100)
}

/** Fields with their text, their choices and their problems. */
export async function shownFields(
  fields: readonly PlannedField[],
  draft: Draft,
  problems: FieldProblems,
  ask: Ask,
  { object = {}, texts = {} }: { readonly object?: Row; readonly texts?: FindTexts } = {},
): Promise<readonly ShownField[]> {
  return await Promise.all(
    fields.map(async (field) => {
      const wanted = { text: texts[field.name] ?? '', chosen: draft[field.name] ?? [] }
      const { choices, isMore } = await choicesOf(field, ask, wanted, object)
      return {
        field,
        typed: draft[field.name] ?? [],
        problems: problems[field.name] ?? [],
        choices,
        findText: isMore || wanted.text !== '' ? wanted.text : undefined,
      }
    }),
  )
}

/** What can be chosen in a field. */
export async function choicesOf(
  { choices, rule }: Pick<PlannedField, 'choices' | 'rule'>,
  ask: Ask,
  wanted = { text: '', chosen: [] as readonly string[] },
  object: Row = {},
): Promise<OfferedChoices> {
  if (typeof choices === 'function') {
    return { choices: await choices(ask, object), isMore: false }
  }
  if (choices !== undefined && 'offer' in choices) return await choices.offer(ask, wanted)
  return { choices: choices ?? rule.values.map((value) => [value, inWords(value)]), isMore: false }
}
