import { Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { factorPaths } from '../second-factor.tsx'
import { type SiteFrame, sitePage } from '../site-layout.tsx'

interface FactorNeededProps extends SiteFrame {
  hasSecondFactor: boolean
  hasPasskey: boolean
  /** Sign-in, which continues to the page. */
  signInUrl: string
}

/** Answers 403, to an owner or admin whose sign-in is not enough for what the school demands. */
export function factorNeededPage(props: FactorNeededProps): string {
  const school = <Name text={props.school.name} fallback="This school" />
  const { hasSecondFactor, hasPasskey, signInUrl } = props
  const hasMeans = hasSecondFactor || hasPasskey
  return sitePage({
    ...props,
    title: 'Your sign-in is not enough here',
    children: (
      <>
        <PageHead title="Your sign-in is not enough here" />
        <section class="panel">
          <p>
            {school} demands a passkey or a second factor of its owners and admins, and you have
            signed in with a password alone.
          </p>
          {hasMeans ? (
            <>
              <p>
                Sign in once more with your {hasPasskey ? 'passkey' : 'password'}
                {hasPasskey && hasSecondFactor && ', or with your password'}
                {hasSecondFactor && ' and a code'}.
              </p>
              <div class="actions">
                <ButtonLink look="primary" href={signInUrl}>
                  Sign in again
                </ButtonLink>
              </div>
            </>
          ) : (
            <>
              <p>Set one of them up. It takes a minute, and you can go on at once.</p>
              <div class="actions">
                <ButtonLink look="primary" href={factorPaths.page}>
                  Set up a second factor
                </ButtonLink>
                <ButtonLink look="plain" href="/account/passkeys">
                  Add a passkey
                </ButtonLink>
              </div>
            </>
          )}
        </section>
      </>
    ),
  })
}
