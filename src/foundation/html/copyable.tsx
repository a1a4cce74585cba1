import type { ComponentChildren } from 'preact'

/** The script that `Copyable` needs for its button. */
export const COPY_SCRIPT = 'copy.js'

/**
 * Text that people paste elsewhere. The button is hidden until the script has found a clipboard.
 */
export function Copyable(props: {
  id: string
  what: string
  /** For what people also read and type elsewhere, such as the number of an account. */
  large?: boolean
  children: string
}) {
  const { id, what, large, children } = props
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll the block by focusing it */}
      <pre class={large === true ? 'code code-large' : 'code'} id={id} tabIndex={0}>
        <code>{children}</code>
      </pre>
      <CopyButton id={id} what={what} />
    </div>
  )
}

/** Copies the text of the element with this id. */
export function CopyButton({ id, what }: { id: string; what: string }) {
  return (
    <button type="button" class="button button-plain" data-copies={id} hidden>
      <span>Copy</span>
      <span class="visually-hidden"> {what}</span>
    </button>
  )
}

/** A short text within a line, with its button. */
export function CopyText(props: { id: string; what: string; children: ComponentChildren }) {
  return (
    <span class="copy-text">
      <span id={props.id}>{props.children}</span>
      <CopyButton id={props.id} what={props.what} />
    </span>
  )
}

/** Where the script tells screen readers what it did: once on a page with a `Copyable`. */
export function CopyStatus() {
  return <p id="copied" class="visually-hidden" role="status" />
}
