import { SETTINGS_PATH } from '../../../domain/people/link-paths.ts'
import { Address, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { ButtonLink } from '../../../foundation/html/site-components.tsx'
import { type Person, SignedInAs, type SwitchAccount } from '../frame/parts.tsx'

interface OperatorOnlyProps {
  school: Branding
  clientName: string
  person: Person
  action: string
  formToken: string
  /** The pending authorization; the answer goes back to the app as `access_denied`. */
  sealedRequest: string
  switchAccount: SwitchAccount
}

/** For a person signed in without the owner or admin role that an operator client asks for. */
export function operatorOnlyPage(props: OperatorOnlyProps): string {
  const client = <Name text={props.clientName} fallback="This app" />
  const school = <Name text={props.school.name} fallback="this school" />
  return renderPage(
    <CardPage title="This app is for owners and admins" school={props.school}>
      <p class="lead">
        {client} helps to run {school}. Your account is not an owner or admin here, so you cannot
        give the app access.
      </p>
      <SignedInAs {...props} />
      <p>If you are an owner or admin with another email address, sign in with that one.</p>
      <Form
        action={props.action}
        formToken={props.formToken}
        hidden={{ request: props.sealedRequest }}
      >
        <Button look="primary" name="decision" value="deny">
          Go back to the app
        </Button>
      </Form>
    </CardPage>,
  )
}

interface FactorDueProps extends OperatorOnlyProps {
  hasSecondFactor: boolean
  hasPasskey: boolean
  /**
   * Sign-in, which continues to the consent page; undefined if the request is too long for that.
   */
  signInUrl: string | undefined
}

/** For an owner or admin whose sign-in is not enough for what the school demands. */
export function factorDuePage(props: FactorDueProps): string {
  const client = <Name text={props.clientName} fallback="This app" />
  const school = <Name text={props.school.name} fallback="This school" />
  const hasMeans = props.hasSecondFactor || props.hasPasskey
  const again = hasMeans ? props.signInUrl : undefined
  return renderPage(
    <CardPage title="Your sign-in is not enough here" school={props.school}>
      <p class="lead">
        {client} helps to run a school. {school} demands a passkey or a second factor of its owners
        and admins, and you have signed in with a password alone.
      </p>
      <SignedInAs {...props} />
      {again !== undefined ? (
        <>
          <p>Sign in again with your passkey, or with your password and a code.</p>
          <ButtonLink look="primary" href={again}>
            Sign in again
          </ButtonLink>
        </>
      ) : hasMeans ? (
        <p>
          Sign out, sign in with your passkey, or with your password and a code, then connect the
          app again.
        </p>
      ) : (
        <>
          <p>Set one of them up in your account settings, then connect the app again.</p>
          <ButtonLink look="primary" href={SETTINGS_PATH}>
            Open account settings
          </ButtonLink>
        </>
      )}
      <Form
        action={props.action}
        formToken={props.formToken}
        hidden={{ request: props.sealedRequest }}
      >
        <Button look="plain" name="decision" value="deny">
          Go back to the app
        </Button>
      </Form>
    </CardPage>,
  )
}

interface NoRoleProps {
  school: Branding
  person: Person
  formToken: string
  switchAccount: SwitchAccount
  /** The pending authorization: the person goes back to the app with `access_denied`. */
  back?: { action: string; sealedRequest: string } | undefined
  /** Where the person can become a student, if the school lets people. */
  joinUrl?: string | undefined
  /** The schools where this person has a role. */
  schools: readonly { name: string; url: string }[]
  reference: string
}

/** For a person signed in who has no role at this school at all. */
export function noRolePage({ schools, ...props }: NoRoleProps): string {
  const school = <Name text={props.school.name} fallback="this school" />
  return renderPage(
    <CardPage
      title="You are not a member here"
      heading={<>You are not a member of {school}</>}
      school={props.school}
    >
      <p class="lead">You are signed in, but this account is not a member of this school.</p>
      <SignedInAs {...props} />
      {schools.length > 0 && (
        <section class="stack">
          <h2>Your schools</h2>
          <ul class="places">
            {schools.map(({ name, url }) => (
              <li>
                <a href={url}>
                  <Name text={name} fallback={url} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {props.joinUrl !== undefined && (
        <p>
          <a href={props.joinUrl}>Join {school} as a student</a>
        </p>
      )}
      <p>
        If you should be a member, ask {school} to add the email address above, or sign in with the
        address that the school knows.
      </p>
      {props.back && (
        <Form
          action={props.back.action}
          formToken={props.formToken}
          hidden={{ request: props.back.sealedRequest }}
        >
          <Button look="primary" name="decision" value="deny">
            Go back to the app
          </Button>
        </Form>
      )}
      <p class="reference">
        Reference <Address text={props.reference} />
      </p>
    </CardPage>,
  )
}
