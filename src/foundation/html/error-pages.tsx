import { Address } from './components.tsx'
import { errorPage } from './error-page.tsx'
import type { Branding } from './layout.tsx'

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
