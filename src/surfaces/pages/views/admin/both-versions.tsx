import { Alert } from '../../../../foundation/html/components.tsx'
import type { LabelledField } from './form-problems.tsx'

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

/** A text of which a long one is shown from a little before the place where it begins to differ from another. */
function shortened(text: string, other: string): string {
  if (text.length <= SHOWN_LENGTH && other.length <= SHOWN_LENGTH) return text
  let same = 0
  while (same < text.length && text[same] === other[same]) same += 1
  const from = Math.max(0, same - SHOWN_BEFORE)
  const to = from + SHOWN_LENGTH
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
}

/** Above a form that would overwrite a change of another person. */
export function Overwrites({ fields }: { fields: readonly FieldVersions[] }) {
  if (fields.length === 0) return null
  return (
    <>
      <Alert tone="error" title="Nothing was saved yet">
        <p>{OVERWRITES}</p>
      </Alert>
      <BothVersions fields={fields} />
    </>
  )
}

type Values = Readonly<Record<string, unknown>>

/** The named fields of a form, as they were typed and as they are saved now. */
export function versionsOf(
  names: readonly string[],
  labels: readonly LabelledField[],
  typed: Values,
  stored: Values,
): readonly FieldVersions[] {
  return labels
    .filter(({ field }) => names.includes(field))
    .map(({ field, label }) => ({
      label,
      saved: inWords(stored[field]),
      typed: inWords(typed[field]),
    }))
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n')
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return value === null || value === undefined ? '' : String(value)
}
