import { z } from 'zod'

type Details = Readonly<Record<string, unknown>>

/** The hidden field with what a form showed when it was opened. */
const SHOWN = 'shown'

export function shownField(shown: Details): Record<string, string> {
  return { [SHOWN]: JSON.stringify(shown) }
}

export interface FormChanges<T> {
  readonly changes: Partial<T>
  /** The fields of `changes` that another person changed after the form was opened. */
  readonly overwritten: readonly string[]
  /** What the form showed; after a refusal, with the values of other people that the page tells now. */
  readonly shown: Details
}

/**
 * The fields of a form that differ from what the form showed. A form sends every field: one that its author left alone
 * must not bring back what another person removed meanwhile, such as a redirect URI. Also, only some changes need a recent
 * proof, and the audit log names only what was changed.
 */
export function changesIn<T extends Details>(
  form: URLSearchParams,
  typed: T,
  stored: { readonly [K in keyof T]: unknown },
): FormChanges<T> {
  const before = shownIn(form) ?? stored
  const isSame = (name: string, one: Details, other: Details) =>
    JSON.stringify(one[name]) === JSON.stringify(other[name])
  const changed = Object.keys(typed).filter(
    (name) => !isSame(name, typed, before) && !isSame(name, typed, stored),
  )
  const overwritten = changed.filter((name) => !isSame(name, stored, before))
  return {
    changes: Object.fromEntries(changed.map((name) => [name, typed[name]])) as Partial<T>,
    overwritten,
    shown: { ...before, ...picked(stored, overwritten) },
  }
}

/** Undefined for a form of a page from before, and for a text that is none of ours. */
function shownIn(form: URLSearchParams): Details | undefined {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(form.get(SHOWN) ?? ''))
  } catch {
    return undefined
  }
}

function picked(details: Details, names: readonly string[]): Details {
  return Object.fromEntries(names.map((name) => [name, details[name]]))
}
