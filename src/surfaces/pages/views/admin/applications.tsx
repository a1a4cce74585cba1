import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import { Address, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import {
  Badge,
  ButtonLink,
  Empty,
  PageHead,
  Panel,
} from '../../../../foundation/html/site-components.tsx'
import { DOCUMENTS, ENDPOINTS } from '../../../../foundation/protocol/endpoints.ts'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, applicationPath, paths } from './admin-page.tsx'

interface ApplicationsProps extends AdminFrame {
  applications: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
  /** Of the school. */
  origin: string
}

export function applicationsPage(props: ApplicationsProps): string {
  const { applications, people } = props
  return adminPage({
    ...props,
    title: 'OAuth applications',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title="OAuth applications"
          lead="Apps that members of your school can connect to their own account."
        >
          <div class="actions">
            <ButtonLink look="plain" href={paths.assistants}>
              Connect an assistant
            </ButtonLink>
            <ButtonLink look="primary" href={paths.newApplication}>
              New application
            </ButtonLink>
          </div>
        </PageHead>
        <section class="panel" aria-label="Applications">
          {applications.every(({ builtIn }) => builtIn) && (
            <Empty>
              <p>You created no applications yet.</p>
              <p>Create one, and give its client_id to the developer of the app.</p>
            </Empty>
          )}
          {applications.length > 0 && (
            <ul class="rows">
              {applications.map((application) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={applicationPath(application.clientId)}>
                        <Name text={application.name} fallback={application.clientId} />
                      </a>
                      <KindBadges client={application} />
                      {application.disabled && <Badge tone="over">Switched off</Badge>}
                    </p>
                    <p class="row-note">
                      <Address text={application.clientId} />
                    </p>
                  </div>
                  <p class="row-note">
                    {countUpTo(
                      people.get(application.clientId) ?? 0,
                      'person',
                      'people',
                      MOST_PEOPLE,
                    )}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
        <Panel title="Addresses" lead="What a developer asks for, besides the client_id.">
          <dl class="facts">
            {addressesOf(props.origin).map(([id, label, url]) => (
              <div>
                <dt>{label}</dt>
                <dd>
                  <CopyText id={id} what={`the address: ${label}`}>
                    <Address text={url} />
                  </CopyText>
                </dd>
              </div>
            ))}
          </dl>
          <CopyStatus />
        </Panel>
      </>
    ),
  })
}

function addressesOf(origin: string) {
  return [
    ['issuer', 'Issuer', origin],
    ['discovery', 'All endpoints', origin + DOCUMENTS.authorizationServer],
    ['member-api', 'Member API (GraphQL)', origin + ENDPOINTS.memberApi],
    ['mcp-member', 'Assistants of members (MCP)', `${origin}/mcp/member`],
    ['mcp', 'Assistants of owners and admins (MCP)', `${origin}/mcp`],
  ] as const
}

export function KindBadges({ client }: { client: ListedClient }) {
  return (
    <>
      <Badge>{client.confidential ? 'Confidential' : 'Public'}</Badge>
      {client.builtIn && <Badge>Built in</Badge>}
      {client.assistant !== undefined && <Badge>Assistant</Badge>}
    </>
  )
}
