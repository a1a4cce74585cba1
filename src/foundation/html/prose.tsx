/** HTML that `renderMarkdown` made: it wrote every tag in it, so it is shown as it is. */
export function Prose({ html }: { html: string }) {
  return <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />
}

/** A text that is not rendered yet, as it was written. */
export function AsWritten({ text }: { text: string }) {
  return (
    <p class="as-written" dir="auto">
      {text}
    </p>
  )
}
