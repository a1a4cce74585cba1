import { Name } from '../../../../foundation/html/components.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type SiteFrame, sitePage } from '../site-layout.tsx'

interface AdminOnlyProps extends SiteFrame {
  roles: readonly string[]
}

/** Answers 403, to a person who is signed in without the owner or admin role. */
export function adminOnlyPage(props: AdminOnlyProps): string {
  const school = <Name text={props.school.name} fallback="this school" />
  return sitePage({
    ...props,
    title: 'For owners and admins',
    children: (
      <>
        <PageHead title="This area is for owners and admins" />
        <section class="panel">
          <p>
            {props.roles.length === 0 ? (
              <>Your account has no role at {school}.</>
            ) : (
              <>
                Your role at {school} is {props.roles.join(' and ')}.
              </>
            )}{' '}
            An owner of the school can make you an admin. If you are one with another email address,
            sign out and sign in with that one.
          </p>
          <div class="actions">
            <ButtonLink look="plain" href="/account">
              Your account
            </ButtonLink>
          </div>
        </section>
      </>
    ),
  })
}
