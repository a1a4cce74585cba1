import { templateOf } from '../../../../domain/clients/assistants.ts'
import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, applicationPath, paths } from './admin-page.tsx'
import { ApplicationFields, type ApplicationFieldsProps } from './application-fields.tsx'
import { KindBadges } from './applications.tsx'
import { type FieldVersions, Overwrites } from './both-versions.tsx'
import { LogoPanel } from './logo-panel.tsx'
import { PeoplePanel, type PeopleProps } from './people.tsx'
import { SecretPanel } from './secret-panel.tsx'
import { StandingPanel } from './standing.tsx'

interface ApplicationProps extends AdminFrame, ApplicationFieldsProps {
  application: ListedClient
  people: PeopleProps
  /** Fields of the form itself: what it showed when it was opened. */
  hidden?: Readonly<Record<string, string>>
  /** Fields that another person changed while the form was open. */
  overwrites?: readonly FieldVersions[]
}

const BUILT_IN =
  'People sign in with it at /member/explorer. You can end its access and switch it off, but not change or delete it.'

export function applicationPage(props: ApplicationProps): string {
  const { application, people, problems, overwrites = [] } = props
  const { clientId, confidential, disabled, builtIn } = application
  const formToken = props.viewer?.formToken ?? ''
  const name = plainText(application.name) || clientId
  return adminPage({
    ...props,
    here: applicationPath(clientId),
    title: problems.length + overwrites.length > 0 ? `Error: ${name}` : name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={application.name} fallback={clientId} />}
          up={{ url: paths.applications, label: 'OAuth applications' }}
          lead={builtIn && BUILT_IN}
        >
          <p class="badges">
            <KindBadges client={application} />
            {disabled && <Badge tone="over">Switched off</Badge>}
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <Facts application={application} timeZone={props.timeZone} />
        </section>
        {!builtIn && (
          <Panel title="Details">
            <Form
              action={applicationPath(clientId)}
              formToken={formToken}
              hidden={props.hidden ?? {}}
            >
              <Overwrites fields={overwrites} />
              <ApplicationFields {...props} />
              <Button look="primary">Save details</Button>
            </Form>
          </Panel>
        )}
        {!builtIn && <LogoPanel {...application} />}
        <PeoplePanel
          {...props}
          clientId={clientId}
          canLoseScopes={!builtIn}
          page={people}
          nextUrl={people.next && `${applicationPath(clientId)}?after=${people.next}#people`}
        />
        {confidential && <SecretPanel {...props} />}
        <StandingPanel {...props} clientId={clientId} disabled={disabled} />
        {!builtIn && (
          <Panel
            title="Delete"
            tone="danger"
            lead="Ends all access that people gave it. This cannot be undone."
          >
            <div class="actions">
              <ButtonLink look="plain" href={applicationPath(clientId, '/delete')}>
                Delete this application…
              </ButtonLink>
            </div>
          </Panel>
        )}
      </>
    ),
  })
}

function Facts({ application, timeZone }: { application: ListedClient; timeZone: string }) {
  const { clientId, confidential, builtIn, assistant, createdAt, secretRotatedAt } = application
  return (
    <dl class="facts">
      <div>
        <dt>client_id</dt>
        <dd>
          <CopyText id="client-id" what="the client_id">
            <Address text={clientId} />
          </CopyText>
          <CopyStatus />
        </dd>
      </div>
      <div>
        <dt>Kind</dt>
        <dd>
          {confidential
            ? 'Confidential: sends its secret in the form body (client_secret_post)'
            : 'Public: no secret; PKCE protects each sign-in'}
        </dd>
      </div>
      {assistant !== undefined && (
        <div>
          <dt>Assistant</dt>
          <dd>
            {templateOf(assistant).name}. Members find it, with the steps, at{' '}
            <a href="/account/assistants">Use with an assistant</a>
            {application.disabled && ', once it is switched on again'}.
          </dd>
        </div>
      )}
      {!builtIn && (
        <div>
          <dt>Created</dt>
          <dd>
            <Moment at={createdAt} timeZone={timeZone} />
          </dd>
        </div>
      )}
      {confidential && (
        <div>
          <dt>Secret issued</dt>
          <dd>
            <Moment at={secretRotatedAt ?? createdAt} timeZone={timeZone} />
          </dd>
        </div>
      )}
    </dl>
  )
}
