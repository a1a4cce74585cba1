import { Avatar, Button, Email, Form, Name } from '../../../foundation/html/components.tsx'

export interface Person {
  name: string
  email: string
  avatarUrl?: string | undefined
}

export interface SwitchAccount {
  action: string
  /** The pending authorization to continue with after signing in with another account. */
  sealedRequest?: string | undefined
}

interface SignedInAsProps {
  person: Person
  formToken: string
  switchAccount: SwitchAccount
}

/** The person who is signed in, and a button to use another account: a form, since it ends the session. */
export function SignedInAs({ person, formToken, switchAccount }: SignedInAsProps) {
  return (
    <div class="person">
      <Avatar name={person.name || person.email} url={person.avatarUrl} />
      <p>
        <span class="visually-hidden">Signed in as </span>
        <Name text={person.name} fallback="You" />
        <span class="email">
          <Email text={person.email} />
        </span>
      </p>
      <Form
        action={switchAccount.action}
        formToken={formToken}
        hidden={{ request: switchAccount.sealedRequest }}
      >
        <Button look="quiet">Use another account</Button>
      </Form>
    </div>
  )
}
