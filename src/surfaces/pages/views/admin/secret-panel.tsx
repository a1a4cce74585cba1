import { OLD_SECRET_HOURS } from '../../../../domain/clients/application-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Alert } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, Panel } from '../../../../foundation/html/site-components.tsx'
import { timeLeft } from '../time-left.ts'
import { type AdminFrame, applicationPath, paths } from './admin-page.tsx'

/** Leads to the pages that renew the secret of a confidential application and end the old one. */
export function SecretPanel(props: AdminFrame & { application: ListedClient }) {
  const { clientId, oldSecretExpiresAt } = props.application
  return (
    <Panel
      title="Secret"
      lead={`A new secret works at once. The one before it works for ${OLD_SECRET_HOURS} hours more, so that you have time to change the app.`}
    >
      {oldSecretExpiresAt !== undefined && (
        <Alert tone="warning" title="Two secrets work at the moment">
          <p>
            The old one works until <Moment at={oldSecretExpiresAt} timeZone={props.timeZone} />,{' '}
            {timeLeft(oldSecretExpiresAt, new Date())}. The{' '}
            <a href={`${paths.audit}?app=${encodeURIComponent(clientId)}`}>audit log</a> says which
            one the app uses. If you renew the secret again, this old one ends at once, and the
            current one becomes the old one.
          </p>
        </Alert>
      )}
      <p class="actions">
        <ButtonLink look="plain" href={applicationPath(clientId, '/renew')}>
          Renew the secret
        </ButtonLink>
        {oldSecretExpiresAt !== undefined && (
          <ButtonLink look="plain" href={applicationPath(clientId, '/old-secret')}>
            End the old secret now
          </ButtonLink>
        )}
      </p>
    </Panel>
  )
}
