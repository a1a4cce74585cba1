import { OLD_SECRET_HOURS } from '../../../../domain/clients/application-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Name } from '../../../../foundation/html/components.tsx'
import { Checkbox } from '../../../../foundation/html/form-fields.tsx'
import { type AdminFrame, applicationPath } from './admin-page.tsx'
import { questionPage } from './question-page.tsx'

interface AskProps extends AdminFrame {
  application: ListedClient
}

/** The question before an application gets a new secret. */
export function renewSecretPage(props: AskProps): string {
  const { clientId, name, oldSecretExpiresAt } = props.application
  const back = applicationPath(clientId)
  return questionPage({
    ...props,
    here: back,
    title: 'Renew the secret',
    question: (
      <>
        Renew the secret of <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: 'Back to the application' },
    consequence: (
      <>
        <p>
          You see the new secret once, on the next page. The current one works for{' '}
          {OLD_SECRET_HOURS} hours more. This cannot be undone.
        </p>
        {oldSecretExpiresAt !== undefined && (
          <p>Two secrets work at the moment. The older of the two ends at once.</p>
        )}
      </>
    ),
    form: {
      path: applicationPath(clientId, '/secret'),
      fields: (
        <Checkbox
          id="end_old"
          name="end_old"
          value="yes"
          label="End the current secret at once"
          hint="For a secret that other people may know. The app stops working until it has the new one."
          checked={false}
        />
      ),
      button: 'Renew the secret',
    },
  })
}

/** The question before the secret that was renewed ends. */
export function endOldSecretPage(props: AskProps): string {
  const { clientId, name } = props.application
  const back = applicationPath(clientId)
  return questionPage({
    ...props,
    here: back,
    title: 'End the old secret',
    question: (
      <>
        End the old secret of <Name text={name} fallback={clientId} />?
      </>
    ),
    back: { url: back, label: 'Back to the application' },
    tone: 'danger',
    consequence: (
      <p>
        If the app still uses it, the app stops working until it has the new one. This cannot be
        undone.
      </p>
    ),
    form: { path: applicationPath(clientId, '/old-secret'), button: 'End the old secret' },
  })
}
