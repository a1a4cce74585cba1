import { z } from 'zod'
import { OLD_SECRET_HOURS } from '../../../../domain/clients/application-operations.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { seal, unseal } from '../../../../foundation/crypto/seal.ts'
import { Address, Alert, Name } from '../../../../foundation/html/components.tsx'
import {
  COPY_SCRIPT,
  CopyButton,
  CopyStatus,
  CopyText,
} from '../../../../foundation/html/copyable.tsx'
import { Checkbox } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import {
  findCookie,
  secretCookieName,
  serializeCookie,
  serializeExpiredCookie,
} from '../../../../foundation/http/cookies.ts'
import { adminPaths, applicationPath } from '../../frame/paths.ts'
import { dueIn } from '../../frame/words.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import type { OperatorVisit } from '../frame/operator.ts'
import { questionPage } from '../frame/question-page.tsx'

const PURPOSE = 'new-secrets'
const SECONDS = 300

const newSecret = z.strictObject({
  secret: z.string(),
  /** True if it replaces an earlier secret. */
  rotated: z.boolean(),
  /** Until when that one is accepted; null if it ended. */
  old_until: z.iso.datetime().nullable().optional(),
})

export type NewSecret = z.output<typeof newSecret>

/**
 * Carries a secret from the post that creates it to the page that shows it, so that reloading the
 * page does not create a second one. The secret is in a sealed cookie, valid only for this session
 * and application, and is stored nowhere else.
 */
export function carrySecret(visit: OperatorVisit, clientId: string, made: NewSecret): void {
  const { context, request, reply, session } = visit
  const { origin } = request.school
  const plain = Buffer.from(JSON.stringify(made))
  const sealed = seal(context.keyring.key(PURPOSE), plain, `${session.id} ${clientId}`)
  const value = sealed.toString('base64url')
  reply.header('set-cookie', serializeCookie(origin, secretCookieName(origin), value, SECONDS))
}

/** Returns the secret once: the same answer makes the browser delete the cookie. */
export function takeSecret(visit: OperatorVisit, clientId: string): NewSecret | undefined {
  const { context, request, reply, session } = visit
  const { origin } = request.school
  const name = secretCookieName(origin)
  const value = findCookie(request.headers.cookie, name)
  if (value === undefined) return undefined
  const sealed = Buffer.from(value, 'base64url')
  const plain = unseal(context.keyring.keys(PURPOSE), sealed, `${session.id} ${clientId}`)
  if (plain === undefined) return undefined
  reply.header('set-cookie', serializeExpiredCookie(origin, name))
  return newSecret.parse(JSON.parse(plain.toString()))
}

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
          up={{ url: adminPaths.applications, label: 'OAuth applications' }}
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
                  {dueIn(new Date(old_until), new Date())}.
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
            {dueIn(oldSecretExpiresAt, new Date())}. The{' '}
            <a href={`${adminPaths.audit}?app=${encodeURIComponent(clientId)}`}>audit log</a> says
            which one the app uses. If you renew the secret again, this old one ends at once, and
            the current one becomes the old one.
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
