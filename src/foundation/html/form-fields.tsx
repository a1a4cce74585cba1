import type { ComponentChildren } from 'preact'
import { plainText } from '../text/plain-text.ts'

/** What is told about an input beside it. */
interface Told {
  readonly hint?: string | undefined
  /** One line for each thing that is wrong. */
  readonly problems?: readonly string[] | undefined
}

interface LabelledProps extends Told {
  /** Of the input. */
  readonly id: string
  readonly label: ComponentChildren
  readonly children: ComponentChildren
}

/** An input with its label, a hint and what is wrong with it. */
export function Labelled({ id, label, hint, problems = [], children }: LabelledProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Hint of={id} text={hint} />
      <Problems of={id} problems={problems} />
      {children}
    </div>
  )
}

export function Hint({ of, text }: { of: string; text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p id={`${of}-hint`} class="field-hint">
      {text}
    </p>
  )
}

export function Problems({ of, problems }: { of: string; problems: readonly string[] }) {
  const id = `${of}-error`
  if (problems.length === 0) return null
  if (problems.length === 1) {
    return (
      <p id={id} class="field-error">
        {problems[0]}
      </p>
    )
  }
  return (
    <ul id={id} class="field-error">
      {problems.map((problem) => (
        <li>{problem}</li>
      ))}
    </ul>
  )
}

/**
 * The ids of what is told about an input, for `aria-describedby`; `elsewhere` stands in for its
 * problems.
 */
export function describedBy(
  id: string,
  { hint, problems = [] }: Told,
  elsewhere?: string,
): string | undefined {
  const problem = problems.length > 0 ? `${id}-error` : elsewhere
  return [hint !== undefined && `${id}-hint`, problem].filter(Boolean).join(' ') || undefined
}

/** The attributes that connect an input to what is told about it. */
export function toldOf(id: string, told: Told, elsewhere?: string) {
  return {
    'aria-invalid': told.problems?.length ? ('true' as const) : undefined,
    'aria-describedby': describedBy(id, told, elsewhere),
  }
}

interface FileFieldProps {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly accept?: string | undefined
}

export function FileField({ name, label, hint, accept }: FileFieldProps) {
  return (
    <Labelled id={name} label={label} hint={hint}>
      <input id={name} type="file" name={name} accept={accept} {...toldOf(name, { hint })} />
    </Labelled>
  )
}

interface DayFieldProps extends Told {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
  readonly required?: boolean
}

export function DayField({ name, label, value, required, ...told }: DayFieldProps) {
  return (
    <Labelled id={name} label={label} {...told}>
      <input
        id={name}
        name={name}
        type="date"
        required={required}
        value={value}
        {...toldOf(name, told)}
      />
    </Labelled>
  )
}

interface FieldProps {
  name: string
  label: string
  type: 'email' | 'password' | 'text'
  autocomplete:
    | 'username'
    | 'username webauthn'
    | 'current-password'
    | 'new-password'
    | 'one-time-code'
    | 'name'
    | 'organization'
    | 'off'
  inputmode?: 'numeric'
  value?: string | undefined
  error?: string | undefined
  /** The id of a message elsewhere on the page about this field. */
  describedBy?: string | undefined
  hint?: string | undefined
  autofocus?: boolean
  optional?: boolean
}

/**
 * People write these in their own script and with capitals; addresses, passwords and codes run from
 * left to right.
 */
const NAMES: readonly string[] = ['name', 'organization']

export function Field(props: FieldProps) {
  const { name, label, error, describedBy: elsewhere, hint, autofocus, optional, ...input } = props
  const isName = NAMES.includes(input.autocomplete)
  const told = { hint, problems: error === undefined ? [] : [error] }
  return (
    <Labelled id={name} label={label} {...told}>
      <input
        {...input}
        id={name}
        name={name}
        required={optional !== true}
        dir={isName ? 'auto' : 'ltr'}
        autocapitalize={isName ? 'words' : 'none'}
        spellcheck={false}
        {...toldOf(name, told, elsewhere)}
        // The page has no other field; after an error the focus shows where to go on.
        autofocus={autofocus === true}
      />
    </Labelled>
  )
}

interface CheckboxProps {
  id: string
  name: string
  value: string
  label: ComponentChildren
  hint?: ComponentChildren
  checked: boolean
}

export function Checkbox({ id, name, value, label, hint, checked }: CheckboxProps) {
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="check">
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={checked}
        aria-describedby={hintId}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={hintId} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  )
}

interface SelectProps {
  name: string
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
}

export function Select({ name, label, value, options }: SelectProps) {
  return (
    <Labelled id={name} label={label}>
      <select id={name} name={name}>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {plainText(text)}
          </option>
        ))}
      </select>
    </Labelled>
  )
}
