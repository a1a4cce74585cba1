import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { MOST_PEOPLE } from '../../../../domain/grants/people-of-app.ts'
import { Address, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Badge, ButtonLink, Empty, PageHead } from '../../../../foundation/html/site-components.tsx'
import { countUpTo } from '../words.ts'
import { type AdminFrame, adminPage, paths, toolPath } from './admin-page.tsx'
import { ToolFields, type ToolFieldsProps } from './tool-fields.tsx'

interface ToolsProps extends AdminFrame {
  tools: readonly ListedClient[]
  /** By client_id. */
  people: ReadonlyMap<string, number>
}

export function toolsPage(props: ToolsProps): string {
  const { tools, people } = props
  return adminPage({
    ...props,
    title: 'Operator tools',
    children: (
      <>
        <PageHead
          title="Operator tools"
          lead="Programs that owners and admins run on their own computers: a script, or an MCP client that is no known platform."
        >
          <ButtonLink look="primary" href={paths.newTool}>
            New tool
          </ButtonLink>
        </PageHead>
        <section class="panel" aria-label="Tools">
          {tools.length === 0 ? (
            <Empty>
              <p>No tools yet.</p>
              <p>Create one, and give its client_id to the person who runs it.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {tools.map(({ clientId, slug, name, disabled }) => (
                <li>
                  <div>
                    <p class="row-title">
                      <a href={toolPath(slug ?? '')}>
                        <Name text={name} fallback={clientId} />
                      </a>
                      {disabled && <Badge tone="over">Switched off</Badge>}
                    </p>
                    <p class="row-note">
                      <Address text={clientId} />
                    </p>
                  </div>
                  <p class="row-note">
                    {countUpTo(people.get(clientId) ?? 0, 'person', 'people', MOST_PEOPLE)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </section>
      </>
    ),
  })
}

interface NewToolProps extends AdminFrame, ToolFieldsProps {
  /** The start of the address of every tool. */
  address: string
}

export function newToolPage(props: NewToolProps): string {
  return adminPage({
    ...props,
    here: paths.newTool,
    title: props.problems.length > 0 ? 'Error: New tool' : 'New tool',
    children: (
      <>
        <PageHead
          title="New tool"
          lead="Your school publishes its metadata document. Every owner and admin of your school can connect it."
          up={{ url: paths.tools, label: 'Operator tools' }}
        />
        <section class="panel">
          <Form action={paths.tools} formToken={props.viewer?.formToken ?? ''}>
            <ToolFields {...props} />
            <Button look="primary">Create tool</Button>
          </Form>
        </section>
      </>
    ),
  })
}
