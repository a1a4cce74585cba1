import type { ComponentChildren } from 'preact'
import { initial, plainText } from './plain-text.ts'

/** A name somebody else wrote, kept from touching the direction or shape of what is around it. */
export function Name({ text, fallback }: { text: string; fallback: string }) {
  return <bdi class="name">{plainText(text) || fallback}</bdi>
}

/** A host name or URL: always left to right, and shown whole, since its end is what matters. */
export function Address({ text }: { text: string }) {
  return (
    <bdi class="address" dir="ltr">
      {plainText(text, 500)}
    </bdi>
  )
}

/** Stands where a picture would. */
export function Tile({ name, tone }: { name: string; tone: 'brand' | 'plain' }) {
  return (
    <span class={`tile tile-${tone}`} aria-hidden="true">
      {initial(name)}
    </span>
  )
}

/** The picture lies over the initial, which shows through when it is missing or blocked. */
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
  tone: 'error' | 'warning'
  title: string
  children?: ComponentChildren
}

export function Alert({ id, tone, title, children }: AlertProps) {
  return (
    <div id={id} class={`alert alert-${tone}`} role={tone === 'error' ? 'alert' : undefined}>
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

/** Every form of ours posts, and carries the token that ties it to this browser's session. */
export function Form({ action, formToken, hidden = {}, children, ...rest }: FormProps) {
  return (
    <form method="post" action={action} class={rest.class}>
      <input type="hidden" name="form_token" value={formToken} />
      {Object.entries(hidden).map(
        ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </form>
  )
}

interface ButtonProps {
  /** `choice` is for answers that must weigh the same; `quiet` reads as a link. */
  look: 'primary' | 'choice' | 'quiet'
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
  type: 'email' | 'password'
  autocomplete: 'username' | 'current-password'
  value?: string | undefined
  error?: string | undefined
  /** The id of a message elsewhere on the page that speaks of this field. */
  describedBy?: string | undefined
  autofocus: boolean
}

export function Field({ name, label, error, describedBy, autofocus, ...input }: FieldProps) {
  const errorId = error === undefined ? undefined : `${name}-error`
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {error !== undefined && (
        <p id={errorId} class="field-error">
          {error}
        </p>
      )}
      <input
        {...input}
        id={name}
        name={name}
        required
        dir="ltr"
        autocapitalize="none"
        spellcheck={false}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={errorId ?? describedBy}
        // The page asks for nothing else, and after an error the focus leads a reader on.
        autofocus={autofocus}
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
