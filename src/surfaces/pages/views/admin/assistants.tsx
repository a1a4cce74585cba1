import {
  ASSISTANT_IDS,
  type Assistant,
  type ConnectedAssistant,
  templateOf,
} from '../../../../domain/clients/assistants.ts'
import { Alert, Button, Form, Name } from '../../../../foundation/html/components.tsx'
import { Badge, ButtonLink, PageHead } from '../../../../foundation/html/site-components.tsx'
import { type AdminFrame, adminPage, applicationPath, paths } from './admin-page.tsx'
import { ApplicationFields, type ApplicationFieldsProps } from './application-fields.tsx'

interface AssistantsProps extends AdminFrame {
  readonly connected: readonly ConnectedAssistant[]
}

/** What the school can offer its members, and what it does offer. */
export function assistantsPage(props: AssistantsProps): string {
  return adminPage({
    ...props,
    title: 'Connect an assistant',
    children: (
      <>
        <PageHead
          title="Connect an assistant"
          lead={
            <>
              Let members use an assistant with their own account. Each one becomes an OAuth
              application; members find it with the steps at{' '}
              <a href="/account/assistants">Use with an assistant</a>.
            </>
          }
        />
        <section class="panel" aria-label="Assistants">
          <ul class="rows">
            {ASSISTANT_IDS.map((assistant) => (
              <Row
                assistant={assistant}
                connected={props.connected.filter((one) => one.assistant === assistant)}
              />
            ))}
          </ul>
        </section>
      </>
    ),
  })
}

function Row({
  assistant,
  connected,
}: {
  assistant: Assistant
  connected: readonly ConnectedAssistant[]
}) {
  const { name, about } = templateOf(assistant)
  return (
    <li>
      <div>
        <p class="row-title">
          {name}
          {connected.some(({ disabled }) => !disabled) && <Badge tone="good">Offered</Badge>}
        </p>
        <p class="row-note">{about}</p>
        {connected.map((one) => (
          <p class="row-note">
            As{' '}
            <a href={applicationPath(one.clientId)}>
              <Name text={one.name} fallback={one.clientId} />
            </a>
            {one.disabled && (
              <>
                {' '}
                <Badge tone="over">Off</Badge> Members do not see it. Open it to switch it on.
              </>
            )}
          </p>
        ))}
      </div>
      <ButtonLink look="plain" href={assistantPath(assistant)}>
        {connected.length > 0 ? 'Connect another' : 'Connect'}
        <span class="visually-hidden"> {name}</span>
      </ButtonLink>
    </li>
  )
}

export function assistantPath(assistant: Assistant): string {
  return `${paths.assistants}/${assistant}`
}

type ConnectAssistantProps = AdminFrame & ApplicationFieldsProps & { readonly assistant: Assistant }

/** The form of a new application, filled in for one assistant. */
export function connectAssistantPage(props: ConnectAssistantProps): string {
  const { name, note } = templateOf(props.assistant)
  const title = `Connect ${name}`
  return adminPage({
    ...props,
    title: props.problems.length > 0 ? `Error: ${title}` : title,
    children: (
      <>
        <PageHead
          title={title}
          lead="The fields are filled in. Change what you want, then connect it for all members of your school."
          up={{ url: paths.assistants, label: 'Connect an assistant' }}
        />
        <section class="panel">
          {note !== undefined && (
            <Alert tone="warning" title="Good to know">
              <p>{note}</p>
            </Alert>
          )}
          <Form action={assistantPath(props.assistant)} formToken={props.viewer?.formToken ?? ''}>
            <ApplicationFields {...props} />
            <p class="field-hint">
              Most assistants ask for all of these scopes, and are refused if one is missing. A
              member sees on the consent page what they allow.
            </p>
            <Button look="primary">Connect {name}</Button>
          </Form>
        </section>
      </>
    ),
  })
}
