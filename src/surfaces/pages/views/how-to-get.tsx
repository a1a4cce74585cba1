import type { SiteFrame } from './site-layout.tsx'

interface HowToGetProps extends Pick<SiteFrame, 'viewer' | 'here'> {
  /** What the reader wants to do: "enroll". */
  act: string
  /** Absent if the school gave none. */
  contactEmail?: string | undefined
}

/** The next step of a reader who does not have an offer yet: schools take payments themselves. */
export function HowToGet({ act, viewer, here, contactEmail }: HowToGetProps) {
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
          Do you have it already?{' '}
          <a href={`/sign-in?return_to=${encodeURIComponent(here)}`}>Sign in</a>
        </>
      )}
    </p>
  )
}
