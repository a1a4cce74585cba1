import type { ComponentChildren } from 'preact'
import { Address, Card, DefinitionList } from './components.tsx'
import { type Branding, Layout } from './layout.tsx'
import { renderPage } from './render.tsx'

interface ErrorPageProps {
  title: string
  /** What happened, in words that the person understands. */
  what: ComponentChildren
  /** What this person can do now. */
  next: ComponentChildren
  /** The request id, by which support finds the log line. */
  reference: string
  school?: Branding | undefined
  /** For the developer of the app: folded, and shown as text, never as a link. */
  developer?: DeveloperDetail | undefined
}

interface DeveloperDetail {
  explanation: string
  /** Parameters as they were received. */
  parameters: Record<string, string>
}

export function errorPage({ title, what, next, reference, school, developer }: ErrorPageProps) {
  return renderPage(
    <Layout title={title} school={school}>
      <Card>
        <h1>{title}</h1>
        {wrapped(what)}
        <section class="stack">
          <h2>What you can do</h2>
          {wrapped(next)}
        </section>
        {developer && <Developer {...developer} />}
        <p class="reference">
          Reference <Address text={reference} />
        </p>
      </Card>
    </Layout>,
  )
}

function wrapped(text: ComponentChildren) {
  return typeof text === 'string' ? <p>{text}</p> : text
}

function Developer({ explanation, parameters }: DeveloperDetail) {
  const rows = Object.entries(parameters).map(
    ([name, value]) => [name, <Address text={value} />] as const,
  )
  return (
    <details>
      <summary>Details for the app’s developer</summary>
      <p>{explanation}</p>
      <DefinitionList rows={rows} />
    </details>
  )
}
