import { Address, Alert, Name } from '../../../../foundation/html/components.tsx'
import {
  COPY_SCRIPT,
  CopyButton,
  CopyStatus,
  CopyText,
} from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { timeLeft } from '../time-left.ts'
import { type AdminFrame, adminPage, applicationPath, paths } from './admin-page.tsx'

interface SecretProps extends AdminFrame {
  clientId: string
  name: string
  secret: string
  /** True if it replaces an earlier secret. */
  rotated: boolean
  /** Until when that one is accepted, as an RFC 3339 time. */
  old_until?: string | null | undefined
}

/** The only page that shows a secret. It shows it once. */
export function secretPage(props: SecretProps): string {
  const { clientId, name, secret, rotated, old_until } = props
  return adminPage({
    ...props,
    here: applicationPath(clientId),
    title: 'Client secret',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={rotated ? 'The new secret' : 'Your application is ready'}
          up={{ url: paths.applications, label: 'OAuth applications' }}
        />
        <section class="panel">
          <Alert tone="warning" title="Copy the secret now">
            <p>
              It is shown only once. We store only a hash of it, so it cannot be looked up later.
              {rotated && !old_until && ' The old secret no longer works.'}
              {old_until && (
                <>
                  {' '}
                  The old secret works until{' '}
                  <Moment at={new Date(old_until)} timeZone={props.timeZone} />,{' '}
                  {timeLeft(new Date(old_until), new Date())}.
                </>
              )}
            </p>
          </Alert>
          <dl class="definitions">
            <div>
              <dt>Application</dt>
              <dd>
                <Name text={name} fallback={clientId} />
              </dd>
            </div>
            <div>
              <dt>client_id</dt>
              <dd>
                <CopyText id="client-id" what="the client_id">
                  <Address text={clientId} />
                </CopyText>
              </dd>
            </div>
            <div>
              <dt>client_secret</dt>
              <dd id="client-secret" class="secret">
                {secret}
              </dd>
              <dd class="copy-text">
                <CopyButton id="client-secret" what="the client_secret" />
              </dd>
            </div>
          </dl>
          <CopyStatus />
          <div class="actions">
            <ButtonLink look="primary" href={applicationPath(clientId)}>
              I have copied it
            </ButtonLink>
            {old_until && (
              <a href={applicationPath(clientId, '/old-secret')}>End the old secret now</a>
            )}
          </div>
        </section>
      </>
    ),
  })
}
