import { OLD_SECRET_HOURS } from '../../../../domain/clients/applications/secret-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Checkbox } from '../../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, applicationPath } from './admin-page.tsx'

interface AskProps extends AdminFrame {
  application: ListedClient
}

/** The question before an application gets a new secret. */
export function renewSecretPage(props: AskProps): string {
  const { clientId, name, oldSecretExpiresAt } = props.application
  const back = applicationPath(clientId)
  return adminPage({
    ...props,
    here: back,
    title: 'Renew the secret',
    children: (
      <>
        <PageHead
          title={
            <>
              Renew the secret of <Name text={name} fallback={clientId} />?
            </>
          }
          up={{ url: back, label: 'Back to the application' }}
        />
        <section class="panel">
          <p>
            You see the new secret once, on the next page. The current one works for{' '}
            {OLD_SECRET_HOURS} hours more. This cannot be undone.
          </p>
          {oldSecretExpiresAt !== undefined && (
            <p>Two secrets work at the moment. The older of the two ends at once.</p>
          )}
          <Form
            action={applicationPath(clientId, '/secret')}
            formToken={props.viewer?.formToken ?? ''}
          >
            <Checkbox
              id="end_old"
              name="end_old"
              value="yes"
              label="End the current secret at once"
              hint="For a secret that other people may know. The app stops working until it has the new one."
              checked={false}
            />
            <div class="actions">
              <Button look="primary">Renew the secret</Button>
              <ButtonLink look="plain" href={back}>
                Cancel
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}

/** The question before the secret that was renewed ends. */
export function endOldSecretPage(props: AskProps): string {
  const { clientId, name } = props.application
  const back = applicationPath(clientId)
  return adminPage({
    ...props,
    here: back,
    title: 'End the old secret',
    children: (
      <>
        <PageHead
          title={
            <>
              End the old secret of <Name text={name} fallback={clientId} />?
            </>
          }
          up={{ url: back, label: 'Back to the application' }}
        />
        <section class="panel panel-danger">
          <p>
            If the app still uses it, the app stops working until it has the new one. This cannot be
            undone.
          </p>
          <Form
            class="actions"
            action={applicationPath(clientId, '/old-secret')}
            formToken={props.viewer?.formToken ?? ''}
          >
            <Button look="danger">End the old secret</Button>
            <ButtonLink look="plain" href={back}>
              Cancel
            </ButtonLink>
          </Form>
        </section>
      </>
    ),
  })
}
