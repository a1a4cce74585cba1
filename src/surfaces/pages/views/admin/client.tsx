import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Alert, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, clientPath, paths } from './admin-page.tsx'
import { madeBy, StandingBadges } from './clients.tsx'
import { PeoplePanel, type PeopleProps } from './people.tsx'
import { StandingPanel } from './standing.tsx'

interface ClientProps extends AdminFrame {
  client: ListedClient
  people: PeopleProps
}

/** A client as this school knows it, and the ways to stop it. */
export function clientPage(props: ClientProps): string {
  const { client, people } = props
  const { clientId, disabled, platformDisabled } = client
  return adminPage({
    ...props,
    title: plainText(client.name) || 'App',
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={client.name} fallback={clientId} />}
          up={{ url: paths.clients, label: 'Apps and assistants' }}
        >
          <p class="badges">
            <StandingBadges client={client} />
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <dl class="facts">
            <div>
              <dt>Who made it</dt>
              <dd>{madeBy(client)}</dd>
            </div>
            <div>
              <dt>Id</dt>
              <dd>
                <CopyText id="client-id" what="the id">
                  <Address text={clientId} />
                </CopyText>
                <CopyStatus />
              </dd>
            </div>
            {!client.builtIn && (
              <div>
                <dt>{isOwn(client) ? 'Created' : 'Known since'}</dt>
                <dd>
                  <Moment at={client.createdAt} timeZone={props.timeZone} />
                </dd>
              </div>
            )}
            <div>
              <dt>Sends people back to</dt>
              <dd>
                {client.redirectUris.map((uri, place) => (
                  <span class="line">
                    <CopyText id={`redirect-uri-${place + 1}`} what={`address ${place + 1}`}>
                      <Address text={uri} />
                    </CopyText>
                  </span>
                ))}
              </dd>
            </div>
          </dl>
        </section>
        {client.kind === 'document' &&
          (client.reviewed ? <Reviewed {...props} /> : <Review {...props} />)}
        <PeoplePanel
          {...props}
          clientId={clientId}
          canLoseScopes={!client.builtIn}
          page={people}
          nextUrl={people.next && `${clientPath(clientId)}&after=${people.next}#people`}
        />
        <StandingPanel {...props} {...{ clientId, disabled, platformDisabled }} />
      </>
    ),
  })
}

/** The school made it. The row of any other client is written when it is first allowed or switched off. */
function isOwn({ kind }: ListedClient): boolean {
  return kind === 'application' || kind === 'tool'
}

function Review({ client, viewer }: ClientProps) {
  return (
    <Panel title="Review" lead="Until you review it, the app may read but not change anything.">
      <Alert tone="warning" title="The app chose its own name">
        <p>
          Check the addresses above instead. After the review it may ask owners and admins to let it
          change everything that they can change.
        </p>
      </Alert>
      <Form
        action={`${paths.clients}/review`}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: client.clientId }}
      >
        <Button look="primary">Mark as reviewed</Button>
      </Form>
    </Panel>
  )
}

function Reviewed({ client, viewer }: ClientProps) {
  return (
    <Panel
      title="Review"
      lead="It is reviewed, so it may ask owners and admins to let it change things. Without the review it can only read."
    >
      <Form
        action={`${paths.clients}/withdraw-review`}
        formToken={viewer?.formToken ?? ''}
        hidden={{ client: client.clientId }}
      >
        <Button look="plain">Withdraw the review</Button>
      </Form>
    </Panel>
  )
}
