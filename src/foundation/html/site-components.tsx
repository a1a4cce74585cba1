import type { ComponentChildren } from 'preact'

/** The heading of a page, with what can be done from there beside it. */
export function PageHead(props: {
  title: ComponentChildren
  lead?: ComponentChildren
  /** Where this page lies, if not at the top. */
  up?: { url: string; label: string } | undefined
  children?: ComponentChildren
}) {
  return (
    <div class="page-head">
      {props.up && (
        <p class="up">
          <a href={props.up.url}>
            <span aria-hidden="true">← </span>
            {props.up.label}
          </a>
        </p>
      )}
      <div class="page-head-line">
        <div class="page-head-words">
          <h1>{props.title}</h1>
          {props.lead && <p class="lead">{props.lead}</p>}
        </div>
        {props.children}
      </div>
    </div>
  )
}

/** One matter of a page. */
export function Panel(props: {
  id?: string
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

export function Badge(props: { tone?: 'plain' | 'good' | 'warning'; children: ComponentChildren }) {
  return <span class={`badge badge-${props.tone ?? 'plain'}`}>{props.children}</span>
}

/** A link that looks like the button beside it. */
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

/** What stands where a list would, before there is anything in it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** Lines stay whole, as they are to be copied; where they are too long the block scrolls sideways. */
export function Code({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll it
    <pre class="code" tabIndex={0}>
      <code>{children}</code>
    </pre>
  )
}
