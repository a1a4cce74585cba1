import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { LOST_FACTOR_PATH } from './lost-factor.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

export const OTHER_SCHOOL_PATH = '/confirm/other-school'
/** Where the person comes back to with the proof. */
export const PROVED_PATH = '/confirm/other-school/proved'
/** Offers the passkeys of other schools beside one that works here. */
export const ELSEWHERE_PATH = '/confirm/other-schools'

interface OtherSchool {
  name: string
  origin: string
}

interface ElsewhereProps extends SiteFrame {
  /** With what names this session to that school. */
  schools: readonly (OtherSchool & { sealed: string })[]
  /** The page to open once the passkey was proved. */
  path: string
}

/** For a person whose passkey works at other schools. */
export function factorElsewherePage({ schools, path, ...props }: ElsewhereProps): string {
  const title = 'This needs your passkey'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} up={TO_SETTINGS} />
        <section class="panel">
          <p>
            What comes next changes your account or how you sign in, and your password is not enough
            for it. Use your passkey at a school where it works, then come back.
          </p>
          <ul class="rows">
            {schools.map(({ name, origin, sealed }) => (
              <li>
                <p class="row-title">
                  <Name text={name} fallback={origin} />
                </p>
                <ButtonLink
                  look="primary"
                  href={`${origin}${OTHER_SCHOOL_PATH}?for=${encodeURIComponent(sealed)}`}
                >
                  Use the passkey there
                </ButtonLink>
              </li>
            ))}
          </ul>
          <p class="aside">
            <a href={path}>I have used it</a> ·{' '}
            <a href={LOST_FACTOR_PATH}>You no longer have it?</a>
          </p>
        </section>
      </>
    ),
  })
}

interface Waiting {
  school: OtherSchool
  /** As the browser calls itself. */
  device: string
}

interface OtherSchoolProps extends SiteFrame {
  sealed: string
  /** Undefined if the link does nothing any more. */
  waiting: Waiting | undefined
}

/** At the school of the passkey, after it was proved. */
export function otherSchoolPage({ waiting, sealed, ...props }: OtherSchoolProps): string {
  const title = 'Confirm for another school'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} up={TO_SETTINGS} />
        <section class="panel">
          {waiting === undefined ? (
            <p>This link works for ten minutes, for the person who asked. Start again there.</p>
          ) : (
            <>
              <p>
                You are about to change your account, or how you sign in, at{' '}
                <Name text={waiting.school.name} fallback="another school" /> (
                <bdi class="address" dir="ltr">
                  {waiting.school.origin}
                </bdi>
                ), with this browser: {plainText(waiting.device) || 'an unknown one'}.
              </p>
              <p>
                Confirm only if you have just come from there. If another person sent you this link,
                they may be using your password.
              </p>
              <Form
                action={OTHER_SCHOOL_PATH}
                formToken={props.viewer?.formToken ?? ''}
                hidden={{ for: sealed }}
              >
                <Button look="primary">Confirm</Button>
              </Form>
            </>
          )}
        </section>
      </>
    ),
  })
}

export function provedForSchoolPage({
  waiting,
  proof,
  ...props
}: SiteFrame & { waiting: Waiting; proof: string }): string {
  const title = 'Confirmed'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} />
        <section class="panel">
          <p>
            Go back to <Name text={waiting.school.name} fallback="the other school" /> within ten
            minutes.
          </p>
          <div class="actions">
            <ButtonLink
              look="primary"
              href={`${waiting.school.origin}${PROVED_PATH}?proof=${encodeURIComponent(proof)}`}
            >
              Go back
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}
