import type { ComponentChildren } from 'preact'
import { initial, plainText } from './plain-text.ts'

/** A name that a stranger wrote, isolated so that it cannot change the direction of the text around it. */
export function Name({ text, fallback }: { text: string; fallback: string }) {
  return <bdi class="name">{plainText(text) || fallback}</bdi>
}

/** Never shortened: two addresses that differ only at the end are two accounts. */
export function Email({ text }: { text: string }) {
  return <bdi class="name">{plainText(text, 254)}</bdi>
}

/** A host name or URL: always left to right and never shortened, because its end matters most. */
export function Address({ text }: { text: string }) {
  return (
    <bdi class="address" dir="ltr">
      {plainText(text, 500)}
    </bdi>
  )
}

/** Shown in place of a picture. */
export function Tile({ name, tone }: { name: string; tone: 'brand' | 'plain' }) {
  return (
    <span class={`tile tile-${tone}`} aria-hidden="true">
      {initial(name)}
    </span>
  )
}

/** The picture covers the initial, which is visible if the picture is missing or blocked. */
export function Avatar({ name, url }: { name: string; url?: string | undefined }) {
  return (
    <span class="avatar" aria-hidden="true">
      {initial(name)}
      {url !== undefined && <img src={url} alt="" width={40} height={40} />}
    </span>
  )
}

export function Card({ children }: { children: ComponentChildren }) {
  return <div class="card">{children}</div>
}

interface AlertProps {
  id?: string
  tone: 'error' | 'warning' | 'success'
  title: ComponentChildren
  children?: ComponentChildren
}

const alertRoles = { error: 'alert', warning: undefined, success: 'status' } as const

export function Alert({ id, tone, title, children }: AlertProps) {
  return (
    <div id={id} class={`alert alert-${tone}`} role={alertRoles[tone]}>
      <p class="alert-title">{title}</p>
      {children}
    </div>
  )
}

interface FormProps {
  action: string
  formToken: string
  hidden?: Record<string, string | undefined>
  class?: string
  children: ComponentChildren
}

/** Every form posts, with the token that binds it to the browser's session (CSRF). */
export function Form({ action, formToken, hidden = {}, children, ...rest }: FormProps) {
  return (
    <form method="post" action={action} class={rest.class}>
      <FormToken value={formToken} />
      {Object.entries(hidden).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </form>
  )
}

/** The fields that bind a form to a session. The second one says whose form it was after the session has ended. */
export function FormToken({ value }: { value: string }) {
  const [token, owner] = value.split('.')
  return (
    <>
      <input type="hidden" name="form_token" value={token} />
      {owner !== undefined && <input type="hidden" name="form_owner" value={owner} />}
    </>
  )
}

interface ButtonProps {
  /** `choice`: equal answers; `quiet`: looks like a link; `danger`: cannot be undone. */
  look: 'primary' | 'choice' | 'quiet' | 'plain' | 'danger'
  name?: string
  value?: string
  children: ComponentChildren
}

export function Button({ look, name, value, children }: ButtonProps) {
  return (
    <button type="submit" name={name} value={value} class={`button button-${look}`}>
      {children}
    </button>
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

/** People write these in their own script and with capitals; addresses, passwords and codes run from left to right. */
const NAMES: readonly string[] = ['name', 'organization']

export function Field(props: FieldProps) {
  const { name, label, error, describedBy, hint, autofocus, optional, ...input } = props
  const isName = NAMES.includes(input.autocomplete)
  const errorId = error === undefined ? undefined : `${name}-error`
  const hintId = hint === undefined ? undefined : `${name}-hint`
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint !== undefined && (
        <p id={hintId} class="field-hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={errorId} class="field-error">
          {error}
        </p>
      )}
      <input
        {...input}
        id={name}
        name={name}
        required={optional !== true}
        dir={isName ? 'auto' : 'ltr'}
        autocapitalize={isName ? 'words' : 'none'}
        spellcheck={false}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={[hintId, errorId ?? describedBy].filter(Boolean).join(' ') || undefined}
        // The page has no other field; after an error the focus shows where to go on.
        autofocus={autofocus === true}
      />
    </div>
  )
}

type DefinitionRow = readonly [term: string, description: ComponentChildren]

export function DefinitionList({ rows }: { rows: readonly DefinitionRow[] }) {
  return (
    <dl class="definitions">
      {rows.map(([term, description]) => (
        <div>
          <dt>{term}</dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
  )
}
