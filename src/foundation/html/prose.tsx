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
