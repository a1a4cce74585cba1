import type { ComponentChildren } from 'preact'
import { Address, Card, Facts, Name } from './components.tsx'
import { type Branding, Layout, renderPage } from './layout.tsx'

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
      <Facts look="definitions" rows={rows} />
    </details>
  )
}

/** Where a page of an error is shown. */
export interface Place {
  reference: string
  school: Branding
}

/** Answers 404. The host name is not one of ours, so the page shows no school's brand. */
export function unknownSchoolPage({ reference, host }: { reference: string; host: string }) {
  return errorPage({
    title: 'There is no school here',
    what: (
      <p>
        This server does not know a school at <Address text={host} />.
      </p>
    ),
    next: 'Check the address for a typing mistake, or open the link from your school again.',
    reference,
  })
}

/** Answers 503. */
export function unavailablePage({
  reference,
  school,
  missing = 'database',
}: {
  reference: string
  school?: Branding
  missing?: 'database' | 'files'
}) {
  return errorPage({
    title: 'We will be right back',
    what: `We cannot reach our ${missing} at the moment. Nothing that you saved is lost.`,
    next: 'Wait a minute, then reload this page.',
    reference,
    school,
  })
}

/** Answers 503. The page shows the name of the school and nothing else of it. */
export function suspendedPage({ reference, name }: { reference: string; name: string }) {
  return errorPage({
    title: 'This school is closed for now',
    what: (
      <p>
        <Name text={name} fallback="This school" /> is suspended. Nothing is lost: accounts, courses
        and connected apps are as they were.
      </p>
    ),
    next: 'Come back later, or ask the school.',
    reference,
  })
}

/** Answers 503. */
export function overloadPage({ reference }: { reference: string }) {
  return errorPage({
    title: 'Too many visitors at once',
    what: 'More people are here than we can serve at the moment. Nothing that you saved is lost.',
    next: 'Wait a few seconds, then reload this page.',
    reference,
  })
}

/** Answers 500. The page does not promise that nothing was changed. */
export function ourFaultPage({ reference, school }: { reference: string; school?: Branding }) {
  return errorPage({
    title: 'Something went wrong',
    what: 'This was our mistake, not yours. We have recorded the error.',
    next: 'Go back and try again. If it keeps failing, send the reference below to your school.',
    reference,
    school,
  })
}

/** Answers 404. */
export function nothingHerePage(props: {
  reference: string
  school?: Branding | undefined
  what?: string
  /** Where to start again. */
  from: { url: string; label: string }
}) {
  const { reference, school, from } = props
  return errorPage({
    title: 'Page not found',
    what:
      props.what ?? 'There is no page at this address. It was mistyped, or the page was removed.',
    next: (
      <p>
        Check the address, or start again from <a href={from.url}>{from.label}</a>.
      </p>
    ),
    reference,
    school,
  })
}

/** Answers 400. */
export function expiredRequestPage({ reference, school }: Place) {
  return errorPage({
    title: 'This request has expired',
    what: 'For your safety, a request for access expires after a while. The app got no access.',
    next: 'Go back to the app and connect it again.',
    reference,
    school,
  })
}
