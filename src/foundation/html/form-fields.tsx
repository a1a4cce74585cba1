import type { ComponentChildren } from 'preact'
import { plainText } from './plain-text.ts'

interface TextAreaProps {
  name: string
  label: string
  hint?: string | undefined
  value: string
  rows: number
  /** One line for each thing that is wrong. */
  errors?: readonly string[]
}

export function TextArea({ name, label, hint, value, rows, errors = [] }: TextAreaProps) {
  const errorId = errors.length === 0 ? undefined : `${name}-error`
  const hintId = hint === undefined ? undefined : `${name}-hint`
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint !== undefined && (
        <p id={hintId} class="field-hint">
          {hint}
        </p>
      )}
      {errorId !== undefined && (
        <ul id={errorId} class="field-error">
          {errors.map((error) => (
            <li>{error}</li>
          ))}
        </ul>
      )}
      <textarea
        id={name}
        name={name}
        rows={rows}
        dir="ltr"
        autocapitalize="none"
        spellcheck={false}
        aria-invalid={errorId === undefined ? undefined : 'true'}
        aria-describedby={[hintId, errorId].filter(Boolean).join(' ') || undefined}
      >
        {value}
      </textarea>
    </div>
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
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {plainText(text)}
          </option>
        ))}
      </select>
    </div>
  )
}
