import { OLD_SECRET_HOURS } from '../../../../domain/clients/applications/secret-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Alert, Button, Form } from '../../../../foundation/html/components.tsx'
import { Checkbox } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, applicationPath, paths } from './admin-page.tsx'

/** Renews the secret of a confidential application, and ends the old one. */
export function SecretPanel(props: AdminFrame & { application: ListedClient }) {
  const { clientId, oldSecretExpiresAt } = props.application
  const formToken = props.viewer?.formToken ?? ''
  return (
    <Panel
      title="Secret"
      lead={`A new secret works at once. The one before it works for ${OLD_SECRET_HOURS} hours more, so that you have time to change the app.`}
    >
      {oldSecretExpiresAt !== undefined && (
        <>
          <Alert tone="warning" title="Two secrets work at the moment">
            <p>
              The old one works until <Moment at={oldSecretExpiresAt} timeZone={props.timeZone} />.
              The <a href={`${paths.audit}?app=${encodeURIComponent(clientId)}`}>audit log</a> says
              which one the app uses. If you renew the secret again, this old one ends at once, and
              the current one becomes the old one.
            </p>
          </Alert>
          <Form action={applicationPath(clientId, '/old-secret')} formToken={formToken}>
            <Button look="plain">End the old secret now</Button>
          </Form>
        </>
      )}
      <Form action={applicationPath(clientId, '/secret')} formToken={formToken}>
        <Checkbox
          id="end_old"
          name="end_old"
          value="yes"
          label="End the current secret at once"
          hint="For a secret that other people may know. The app stops working until it has the new one."
          checked={false}
        />
        <Button look="plain">Renew the secret</Button>
      </Form>
    </Panel>
  )
}
