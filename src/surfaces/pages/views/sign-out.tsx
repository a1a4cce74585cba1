import { Button, Card, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, Layout } from '../../../foundation/html/layout.tsx'
import { renderPage } from '../../../foundation/html/render.tsx'

interface SignOutProps {
  school: Branding
  person: { name: string; email: string }
  formToken: string
}

export function signOutPage({ school, person, formToken }: SignOutProps): string {
  return renderPage(
    <Layout title="Sign out" school={school}>
      <Card>
        <h1>Sign out?</h1>
        <p class="lead">
          This browser is signed in as <Name text={person.name} fallback={person.email} />.
        </p>
        <Form action="/sign-out" formToken={formToken}>
          <Button look="primary">Sign out</Button>
        </Form>
        <p class="aside">
          Apps you connected stay connected. You can end them under{' '}
          <a href="/account/apps">Connected apps</a>.
        </p>
      </Card>
    </Layout>,
  )
}
