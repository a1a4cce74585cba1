import { z } from 'zod'
import { sha256 } from '../../../../foundation/crypto/digest.ts'
import { Alert } from '../../../../foundation/html/components.tsx'

type Details = Readonly<Record<string, unknown>>

/** What a form showed when it was opened: a digest of each field, because texts may be long. */
export type ShownDigests = Readonly<Record<string, string>>

export function shownDigests(details: Details): ShownDigests {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      sha256(JSON.stringify(value ?? null))
        .toString('base64url')
        .slice(0, 12),
    ]),
  )
}

/** The hidden field of the form. */
const SHOWN = 'shown'

export function shownField(shown: ShownDigests): Record<string, string> {
  return { [SHOWN]: JSON.stringify(shown) }
}

/** Undefined for a form of a page from before, and for a text that is none of ours. */
export function shownIn(form: URLSearchParams): ShownDigests | undefined {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(form.get(SHOWN) ?? ''))
  } catch {
    return undefined
  }
}

export interface FormChanges<T> {
  readonly changes: Partial<T>
  /**
   * The fields of `changes` that another person changed after the form was opened, and those that
   * they mean something with.
   */
  readonly overwritten: readonly string[]
  /** For the form if it is shown again: with what other people changed and the page tells now. */
  readonly shown: ShownDigests
}

/**
 * The fields of a form that differ from what the form showed. A form sends every field: one that
 * its author left alone must not bring back what another person removed meanwhile, such as a
 * redirect URI. Also, only some changes need a recent proof, and the audit log names only what was
 * changed.
 *
 * @param together the fields without which a field means something else
 */
export function changesIn<T extends Details>(
  form: URLSearchParams,
  typed: T,
  stored: { readonly [K in keyof T]: unknown },
  together: (name: string) => readonly string[] = () => [],
): FormChanges<T> {
  const [mine, now] = [shownDigests(typed), shownDigests(stored)]
  const before = { ...now, ...shownIn(form) }
  const changed = Object.keys(typed).filter(
    (name) => mine[name] !== before[name] && mine[name] !== now[name],
  )
  const touched = new Set(changed.flatMap((name) => [name, ...together(name)]))
  const overwritten = [...touched].filter((name) => now[name] !== before[name])
  const told = Object.fromEntries(overwritten.map((name) => [name, now[name] ?? '']))
  return {
    changes: Object.fromEntries(changed.map((name) => [name, typed[name]])) as Partial<T>,
    overwritten,
    shown: { ...before, ...told },
  }
}

export const OVERWRITES =
  'Another person saved a change while you were writing. Both versions are shown below. If you save now, yours replaces theirs.'

/** A field in which a form and what is saved now differ. */
export interface FieldVersions {
  readonly label: string
  readonly saved: string
  readonly typed: string
}

/** The fields in which the form and what is saved now differ, side by side. */
export function BothVersions({ fields }: { fields: readonly FieldVersions[] }) {
  if (fields.length === 0) return null
  return (
    <table class="versions">
      <caption>What is different</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Saved now</th>
          <th scope="col">Your version</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ label, saved, typed }) => (
          <tr>
            <th scope="row">{label}</th>
            <td dir="auto">{shortened(saved, typed) || 'Empty'}</td>
            <td dir="auto">{shortened(typed, saved) || 'Empty'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const SHOWN_LENGTH = 2000
const SHOWN_BEFORE = 200

/**
 * A text of which a long one is shown from a little before the place where it begins to differ from
 * another.
 */
function shortened(text: string, other: string): string {
  if (text.length <= SHOWN_LENGTH && other.length <= SHOWN_LENGTH) return text
  let same = 0
  while (same < text.length && text[same] === other[same]) same += 1
  const from = Math.max(0, same - SHOWN_BEFORE)
  const to = from + SHOWN_LENGTH
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
}

interface ProblemSummaryProps {
  readonly heading?: string
  /** What is wrong with the whole form. */
  readonly whole?: readonly string[]
  readonly fields: readonly {
    readonly id: string
    readonly label: string
    readonly problem?: string | undefined
  }[]
}

/** Above a form that was refused: all problems in one place, each with a link to its field. */
export function ProblemSummary({
  heading = 'Nothing was saved yet',
  whole = [],
  fields,
}: ProblemSummaryProps) {
  const wrong = fields.filter(({ problem }) => problem !== undefined)
  return (
    <Alert tone="error" title={heading}>
      {whole.map((problem) => (
        <p>{problem}</p>
      ))}
      {wrong.length > 0 && (
        <ul class="problem-list">
          {wrong.map(({ id, label, problem }) => (
            <li>
              <a href={`#${id}`}>{label}</a>: {problem}
            </li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
