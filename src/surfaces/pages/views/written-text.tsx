import { AsWritten, Prose } from '../../../foundation/html/components.tsx'
import type { Branding } from '../../../foundation/html/layout.tsx'

interface Written {
  school: Branding
  text: string
  /** Of the text; null if it is not rendered yet. */
  html: string | null
}

/** A text that the school wrote, in its language; nothing if it is empty. */
export function WrittenWords({ school: { language }, text, html }: Written) {
  if (text.trim() === '') return null
  return html === null ? (
    <AsWritten text={text} lang={language} />
  ) : (
    <Prose html={html} lang={language} />
  )
}

/** The same in a panel of its own. */
export function WrittenText(props: Written) {
  if (props.text.trim() === '') return null
  return (
    <article class="panel">
      <WrittenWords {...props} />
    </article>
  )
}
