import type { ComponentChildren } from 'preact'
import { plainText } from '../text/plain-text.ts'
import { Arrow } from './components.tsx'

/** The heading of a page, with its actions beside it. */
export function PageHead(props: {
  title: ComponentChildren
  lead?: ComponentChildren
  /** The language of a title that the school wrote. */
  lang?: string | undefined
  /** The page above this one, if there is one. */
  up?: { url: string; label: string } | undefined
  children?: ComponentChildren
}) {
  return (
    <div class="page-head">
      {props.up && (
        <p class="up">
          <a href={props.up.url}>
            <Arrow to="back" />
            <bdi>{plainText(props.up.label)}</bdi>
          </a>
        </p>
      )}
      <div class="page-head-line">
        <div class="page-head-words">
          <h1 dir="auto" lang={props.lang}>
            {props.title}
          </h1>
          {props.lead && (
            <p class="lead" dir="auto">
              {props.lead}
            </p>
          )}
        </div>
        {props.children}
      </div>
    </div>
  )
}

/** One section of a page. */
export function Panel(props: {
  id?: string | undefined
  title: ComponentChildren
  lead?: ComponentChildren
  tone?: 'danger'
  children?: ComponentChildren
}) {
  return (
    <section id={props.id} class={props.tone ? `panel panel-${props.tone}` : 'panel'}>
      <div class="panel-head">
        <h2>{props.title}</h2>
        {props.lead && <p class="lead">{props.lead}</p>}
      </div>
      {props.children}
    </section>
  )
}

/**
 * How a state is meant: `waiting` for something still to happen, `over` for an ordinary end,
 * `returned` for money paid back. Each has a colour and a shape, because not all people see the
 * colour. `plain` is a label.
 */
export type Tone = 'plain' | 'good' | 'waiting' | 'warning' | 'bad' | 'over' | 'returned'

export function Badge(props: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${props.tone ?? 'plain'}`}>{props.children}</span>
}

/** A link that looks like a button. */
export function ButtonLink(props: {
  href: string
  look: 'primary' | 'plain'
  children: ComponentChildren
}) {
  return (
    <a class={`button button-${props.look}`} href={props.href}>
      {props.children}
    </a>
  )
}

/** Shown in place of an empty list. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** Lines are not wrapped, because people copy them; long ones scroll sideways. */
export function Code({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the block by focusing it
    <pre class="code" tabIndex={0}>
      <code>{children}</code>
    </pre>
  )
}
