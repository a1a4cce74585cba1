import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { Badge, ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, paths, toolPath } from './admin-page.tsx'
import { type FieldVersions, Overwrites } from './both-versions.tsx'
import { PeoplePanel, type PeopleProps } from './people.tsx'
import { StandingPanel } from './standing.tsx'
import { ToolFields, type ToolFieldsProps } from './tool-fields.tsx'

interface ToolProps extends AdminFrame, ToolFieldsProps {
  tool: ListedClient
  people: PeopleProps
  /** Fields of the form itself: what it showed when it was opened. */
  hidden?: Readonly<Record<string, string>>
  /** Fields that another person changed while the form was open. */
  overwrites?: readonly FieldVersions[]
}

export function toolPage(props: ToolProps): string {
  const { tool, people, problems, overwrites = [] } = props
  const { clientId, disabled } = tool
  const path = toolPath(tool.slug ?? '')
  const name = plainText(tool.name) || clientId
  return adminPage({
    ...props,
    here: path,
    title: problems.length + overwrites.length > 0 ? `Error: ${name}` : name,
    script: COPY_SCRIPT,
    children: (
      <>
        <PageHead
          title={<Name text={tool.name} fallback={clientId} />}
          up={{ url: paths.tools, label: 'Operator tools' }}
        >
          <p class="badges">
            <Badge>Your school’s tool</Badge>
            {disabled && <Badge tone="over">Switched off</Badge>}
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <dl class="facts">
            <div>
              <dt>client_id, and address of its document</dt>
              <dd>
                <CopyText id="client-id" what="the client_id">
                  <a href={clientId}>
                    <Address text={clientId} />
                  </a>
                </CopyText>
                <CopyStatus />
              </dd>
            </div>
            <div>
              <dt>Kind</dt>
              <dd>Public: no secret; PKCE protects each sign-in</dd>
            </div>
            <div>
              <dt>Created</dt>
              <dd>
                <Moment at={tool.createdAt} timeZone={props.timeZone} />
              </dd>
            </div>
          </dl>
        </section>
        <Panel title="Details">
          <Form action={path} formToken={props.viewer?.formToken ?? ''} hidden={props.hidden ?? {}}>
            <Overwrites fields={overwrites} />
            <ToolFields draft={props.draft} problems={problems} />
            <Button look="primary">Save details</Button>
          </Form>
        </Panel>
        <PeoplePanel
          {...props}
          clientId={clientId}
          page={people}
          nextUrl={people.next && `${path}?after=${people.next}#people`}
        />
        <StandingPanel {...props} clientId={clientId} disabled={disabled} />
        <Panel
          title="Delete"
          tone="danger"
          lead="Ends all access that people gave it, and withdraws its document. This cannot be undone."
        >
          <div class="actions">
            <ButtonLink look="plain" href={`${path}/delete`}>
              Delete this tool…
            </ButtonLink>
          </div>
        </Panel>
      </>
    ),
  })
}
