import { Button, Card, Form, Name } from '../../../../foundation/html/components.tsx'
import { type Branding, Layout, renderPage } from '../../../../foundation/html/layout.tsx'
import { type Person, SignedInAs, type SwitchAccount } from '../person.tsx'

interface JoinProps {
  school: Branding
  action: string
  formToken: string
  person: Person
  switchAccount: SwitchAccount
  /** Where the person continues afterwards. */
  afterSignIn: { sealedRequest?: string | undefined; returnTo?: string | undefined }
}

/** For a person who is signed in and has no role here. */
export function joinPage(props: JoinProps): string {
  const { school, afterSignIn } = props
  const name = <Name text={school.name} fallback="this school" />
  return renderPage(
    <Layout title="Join as a student" school={school}>
      <Card>
        <h1>Join {name}</h1>
        <p class="lead">
          You become a student here with the account that you have. {name} then sees your name,
          picture and email address.
        </p>
        <SignedInAs {...props} />
        <Form
          action={props.action}
          formToken={props.formToken}
          hidden={{ request: afterSignIn.sealedRequest, return_to: afterSignIn.returnTo }}
        >
          <Button look="primary">Join as a student</Button>
        </Form>
        <p class="aside">
          <a href="/">Not now</a>
        </p>
      </Card>
    </Layout>,
  )
}
