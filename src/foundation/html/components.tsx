import type { ComponentChildren } from 'preact'
import { initial, plainText } from '../text/plain-text.ts'

/**
 * A name that a stranger wrote, isolated so that it cannot change the direction of the text around
 * it.
 */
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

/**
 * The fields that bind a form to a session. The second one says whose form it was after the session
 * has ended.
 */
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

/** False for one that does not apply here. */
export type Fact =
  | readonly [
      term: ComponentChildren,
      description: ComponentChildren,
      row?: { readonly id?: string; readonly class?: string | undefined },
    ]
  | false

interface FactsProps {
  rows: readonly Fact[]
  /** `definitions` in a card: its pages do not load the stylesheet of the site. */
  look?: 'facts' | 'facts facts-short' | 'definitions' | 'answers'
}

export function Facts({ rows, look = 'facts' }: FactsProps) {
  return (
    <dl class={look}>
      {rows.map(
        (fact) =>
          fact && (
            <div {...fact[2]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** The logo of an app, or its initial. */
export function AppTile({ name, logoUrl }: { name: string; logoUrl: string | undefined }) {
  if (logoUrl === undefined) return <Tile name={name} tone="plain" />
  return <img class="tile tile-logo" src={logoUrl} alt="" width={48} height={48} />
}

/** HTML that `renderMarkdown` made: it wrote every tag in it, so it is shown as it is. */
export function Prose({ html, lang }: { html: string; lang?: string | undefined }) {
  return <div class="prose" dir="auto" lang={lang} dangerouslySetInnerHTML={{ __html: html }} />
}

/** A text that is not rendered yet, as it was written. */
export function AsWritten({ text, lang }: { text: string; lang?: string | undefined }) {
  return (
    <p class="as-written" dir="auto" lang={lang}>
      {text}
    </p>
  )
}

/** Drawn for this project on a grid of 24, as lines without a fill. */
const DRAWINGS = {
  house: 'M4 11l8-7 8 7v9H4zM10 20v-6h4v6',
  plug: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  book: 'M12 6C10 4.5 7 4 4 4v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2zM12 6v14',
  talk: 'M3 4h12v8H9l-3 3v-3H3zM18 9h3v8h-2v3l-3-3h-5',
  tag: 'M4 4h8l8.5 8.5-8 8L4 12zM8 8h.01',
  sheet: 'M6 3h8l4 4v14H6zM9 11h6M9 15h6',
  school: 'M3 9l9-5 9 5zM5 9v8M10 9v8M14 9v8M19 9v8M3 20h18',
  sliders: 'M4 6h9M17 6h3M15 4v4M4 12h2M10 12h10M8 10v4M4 18h9M17 18h3M15 16v4',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
} as const

const ARROWS = {
  back: 'M20 12H4M10 6l-6 6 6 6',
  next: 'M4 12h16M14 6l6 6-6 6',
  up: 'M12 20V4M6 10l6-6 6 6',
  down: 'M12 4v16M6 14l6 6 6-6',
} as const

export type IconName = keyof typeof DRAWINGS

/** Beside a word that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  )
}

/** Within a line of text. Drawn, because not every font has arrows. */
export function Arrow({ to }: { to: keyof typeof ARROWS }) {
  return (
    <svg class="icon arrow" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ARROWS[to]} />
    </svg>
  )
}
