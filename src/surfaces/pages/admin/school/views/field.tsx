import type { ComponentChildren } from 'preact'
import { Checkbox } from '../../../../../foundation/html/form-fields.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import type { Choice } from '../field.ts'
import type { PlannedField } from '../form/field-rule.ts'

/** A field of a form with its text and its problems. */
export interface ShownField {
  readonly field: PlannedField
  readonly typed: readonly string[]
  readonly problems: readonly string[]
  readonly choices: readonly Choice[]
}

export function FormField({ shown, timeZone }: { shown: ShownField; timeZone: string }) {
  const { field, typed, choices, problems } = shown
  const { name, kind, rule } = field
  const first = typed[0] ?? ''
  if (kind === 'check') {
    return (
      <Checkbox
        id={name}
        name={name}
        value="on"
        label={field.label}
        hint={field.hint}
        checked={typed.includes('on')}
      />
    )
  }
  if (kind === 'choices') return <Choices shown={shown} />
  const box = boxOf(shown, timeZone)
  if (kind === 'text' || kind === 'markdown') {
    const rows = field.rows ?? (kind === 'markdown' ? 14 : 3)
    return (
      <Labelled {...box}>
        <textarea {...box.input} rows={rows} maxLength={rule.maxLength} class={kind} dir="auto">
          {/* A browser drops the first line break of a text area. */}
          {`\n${first}`}
        </textarea>
      </Labelled>
    )
  }
  if (kind === 'choice') {
    const known = first === '' || choices.some(([value]) => value === first)
    // The current value stays a choice, even if it is no longer offered.
    const offered: readonly Choice[] = known ? choices : [[first, first], ...choices]
    return (
      <Labelled {...box}>
        <select {...box.input}>
          {(first === '' || rule.nullable) && (
            <option value="" selected={first === ''}>
              {rule.nullable ? 'None' : 'Choose one'}
            </option>
          )}
          {offered.map(([value, label]) => (
            <option value={value} selected={value === first}>
              {plainText(label, 120)}
            </option>
          ))}
        </select>
      </Labelled>
    )
  }
  return (
    <Labelled {...box}>
      <input
        {...box.input}
        {...INPUTS[kind]}
        class={problems.length > 0 ? `${kind} wrong` : kind}
        value={first}
        maxLength={kind === 'line' ? rule.maxLength : undefined}
      />
    </Labelled>
  )
}

const INPUTS = {
  line: { type: 'text', dir: 'auto' },
  email: { type: 'email', dir: 'ltr', autocapitalize: 'none', spellcheck: false },
  number: { type: 'text', inputMode: 'numeric', dir: 'ltr' },
  money: { type: 'text', inputMode: 'decimal', dir: 'ltr' },
  time: { type: 'datetime-local', dir: 'ltr' },
  date: { type: 'date', dir: 'ltr' },
  list: { type: 'text', dir: 'ltr', autocapitalize: 'none', spellcheck: false },
  color: { type: 'color' },
} as const

function boxOf({ field, problems }: ShownField, timeZone: string) {
  const { name, label } = field
  const hint =
    field.kind === 'time' ? [field.hint, `${timeZone} time.`].filter(Boolean).join(' ') : field.hint
  const hintId = hint === undefined ? undefined : `${name}-hint`
  const errorId = problems.length === 0 ? undefined : `${name}-error`
  return {
    name,
    label,
    hint,
    hintId,
    problems,
    errorId,
    optional: (field.rule.mayBeEmpty || field.rule.suggested) && field.kind !== 'choice',
    input: {
      id: name,
      name,
      autocomplete: 'off',
      'aria-invalid': errorId === undefined ? undefined : ('true' as const),
      'aria-describedby': [hintId, errorId].filter(Boolean).join(' ') || undefined,
    },
  }
}

type Box = ReturnType<typeof boxOf> & { readonly children: ComponentChildren }

function Labelled(props: Box) {
  return (
    <div class="field">
      <label for={props.name}>
        {props.label}
        {props.optional && <span class="optional"> (optional)</span>}
      </label>
      {props.hint !== undefined && (
        <p id={props.hintId} class="field-hint">
          {props.hint}
        </p>
      )}
      <Problems id={props.errorId} problems={props.problems} />
      {props.children}
    </div>
  )
}

function Problems({ id, problems }: { id: string | undefined; problems: readonly string[] }) {
  if (id === undefined) return null
  return (
    <p id={id} class="field-error">
      {problems.join(' ')}
    </p>
  )
}

function Choices({ shown: { field, typed, problems, choices } }: { shown: ShownField }) {
  const { name, label, hint } = field
  const errorId = problems.length === 0 ? undefined : `${name}-error`
  const hintId = hint === undefined ? undefined : `${name}-hint`
  // Chosen values come first and keep their order, because the form sends them in this order.
  const isOrdered = typeof field.choices === 'function'
  const chosen = typed
    .map((value) => choices.find((choice) => choice[0] === value))
    .filter((choice) => choice !== undefined)
  const others = choices.filter(([value]) => !typed.includes(value))
  const inOrder = isOrdered ? [...chosen, ...others] : choices
  return (
    <fieldset
      id={name}
      class="choices"
      aria-describedby={[hintId, errorId].filter(Boolean).join(' ') || undefined}
    >
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={hintId} class="field-hint">
          {hint}
        </p>
      )}
      <Problems id={errorId} problems={problems} />
      {choices.length === 0 ? (
        <p class="field-hint">There is nothing to choose from yet.</p>
      ) : (
        <div class="choices-list">
          {inOrder.map(([value, words]) => (
            <Checkbox
              id={`${name}-${value}`}
              name={name}
              value={value}
              label={plainText(words, 120)}
              checked={typed.includes(value)}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}
