import type { SignOutTarget } from '../../../domain/clients/sign-out-request.ts'
import { Button, Card, Form, Name } from '../../../foundation/html/components.tsx'
import { errorPage } from '../../../foundation/html/error-page.tsx'
import { type Branding, Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'

interface SignOutProps {
  school: Branding
  person: { name: string; email: string }
  formToken: string
  /** The app that sent the person here to sign out. */
  app?: { name: string | undefined; sealedRequest: string }
}

export function signOutPage({ school, person, formToken, app }: SignOutProps): string {
  return renderPage(
    <Layout title="Sign out" school={school}>
      <Card>
        <h1>Sign out?</h1>
        {app?.name !== undefined && (
          <p>
            <Name text={app.name} fallback="An app" /> asks to sign you out of this school.
          </p>
        )}
        <p class="lead">
          This browser is signed in as <Name text={person.name} fallback={person.email} />.
        </p>
        <Form action="/sign-out" formToken={formToken} hidden={{ logout: app?.sealedRequest }}>
          <Button look="primary">Sign out</Button>
        </Form>
        {app !== undefined && (
          <p class="aside">
            <a href="/account">Stay signed in</a>
          </p>
        )}
        <p class="aside">
          Apps you connected stay connected. You can disconnect them under{' '}
          <a href="/account/apps">Connected apps</a>.
        </p>
      </Card>
    </Layout>,
  )
}

export function signedOutPage(props: { school: Branding; target: SignOutTarget | undefined }) {
  const { school, target } = props
  return renderPage(
    <Layout title="Signed out" school={school}>
      <Card>
        <h1>You are signed out</h1>
        <p class="lead">This browser is no longer signed in at this school.</p>
        {target?.url !== undefined && (
          <ButtonLink look="primary" href={target.url}>
            <span>
              Continue to <Name text={target.clientName} fallback="the app" />
            </span>
          </ButtonLink>
        )}
        <p class="aside">
          <a href="/sign-in">Sign in again</a>
        </p>
      </Card>
    </Layout>,
  )
}

/** Answers 404, where no ID tokens are signed: the address is right, but this origin does not serve it. */
export function noAppSignOutPage(place: { reference: string; school: Branding }) {
  return errorPage({
    ...place,
    title: 'Apps cannot sign you out here',
    what: 'This address signs people out for an app. It works only at schools that sign ID tokens, and this one does not. We changed nothing.',
    next: (
      <p>
        Sign out yourself <a href="/sign-out">on this page</a>.
      </p>
    ),
  })
}

/** Answers 400. The person can still sign out, but is not sent to an address that is not registered. */
export function signOutRefusedPage(props: {
  reference: string
  school: Branding
  explanation: string
}) {
  return errorPage({
    title: 'The app could not sign you out',
    what: 'An app sent you here to sign out, but its request is not right. We changed nothing.',
    next: (
      <p>
        Sign out yourself <a href="/sign-out">on this page</a>. Only the developer of the app can
        fix its request: send them the details below.
      </p>
    ),
    reference: props.reference,
    school: props.school,
    developer: { explanation: props.explanation, parameters: {} },
  })
}
