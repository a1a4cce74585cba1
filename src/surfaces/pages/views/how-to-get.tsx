import type { SiteFrame } from './site-layout.tsx'

interface HowToGetProps extends Pick<SiteFrame, 'viewer' | 'here'> {
  /** What the reader wants to do: "enroll". */
  act: string
  /** To readers who are not signed in. */
  question?: string
  /** Absent if the school gave none. */
  contactEmail?: string | undefined
}

/** The next step of a reader who does not have an offer yet: schools take payments themselves. */
export function HowToGet(props: HowToGetProps) {
  const { act, question = 'Do you have it already?', viewer, here, contactEmail } = props
  return (
    <p class="row-note">
      {contactEmail === undefined ? (
        `Ask the school how to ${act}.`
      ) : (
        <>
          To {act}, write to <a href={`mailto:${encodeURI(contactEmail)}`}>{contactEmail}</a>.
        </>
      )}
      {viewer === undefined && (
        <>
          {' '}
          {question} <a href={`/sign-in?return_to=${encodeURIComponent(here)}`}>Sign in</a>
        </>
      )}
    </p>
  )
}
