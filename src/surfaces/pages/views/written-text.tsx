import { AsWritten, Prose } from '../../../foundation/html/prose.tsx'

/** A text that the school wrote, in a panel of its own; nothing if it is empty. */
export function WrittenText({ text, html }: { text: string; html: string | null }) {
  if (text.trim() === '') return null
  return (
    <article class="panel">
      {html === null ? <AsWritten text={text} /> : <Prose html={html} />}
    </article>
  )
}
