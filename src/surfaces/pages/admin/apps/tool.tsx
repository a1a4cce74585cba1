import type { ListedClient } from '../../../../domain/clients/list-clients.ts'
import { SCOPES, type ScopeEntry } from '../../../../domain/clients/scope-catalogue.ts'
import type { InputProblem } from '../../../../domain/operation/refusal.ts'
import { Address, Button, Facts, Form, Name } from '../../../../foundation/html/components.tsx'
import { COPY_SCRIPT, CopyStatus, CopyText } from '../../../../foundation/html/copyable.tsx'
import { Checkbox, Field, Problems, TextArea } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, ButtonLink, PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { adminPaths, toolPath } from '../../frame/paths.ts'
import { type AdminFrame, adminPage } from '../frame/admin-page.tsx'
import {
  type FieldVersions,
  InputProblems,
  Overwrites,
  problemsAt,
} from '../frame/changes-in-form.tsx'
import { PeoplePanel, type PeopleProps } from './activity.tsx'
import { StatusPanel } from './client-status.tsx'

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
          up={{ url: adminPaths.tools, label: 'Operator tools' }}
        >
          <p class="badges">
            <Badge>Your school’s tool</Badge>
            {disabled && <Badge tone="over">Switched off</Badge>}
          </p>
        </PageHead>
        <section class="panel" aria-label="Facts">
          <Facts
            rows={[
              [
                'client_id, and address of its document',
                <>
                  <CopyText id="client-id" what="the client_id">
                    <a href={clientId}>
                      <Address text={clientId} />
                    </a>
                  </CopyText>
                  <CopyStatus />
                </>,
              ],
              ['Kind', 'Public: no secret; PKCE protects each sign-in'],
              ['Created', <Moment at={tool.createdAt} timeZone={props.timeZone} />],
            ]}
          />
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
        <StatusPanel {...props} clientId={clientId} disabled={disabled} />
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

/** A tool as typed in its form. */
export interface ToolDraft {
  slug: string
  name: string
  /** One per line. */
  redirectUris: string
  scopes: readonly string[]
}

export interface ToolFieldsProps {
  draft: ToolDraft
  problems: readonly InputProblem[]
}

export const TOOL_FIELDS = [
  { field: 'name', label: 'Name' },
  { field: 'slug', label: 'Address' },
  { field: 'redirect_uris', label: 'Redirect URIs' },
  { field: 'scopes', label: 'Scopes' },
] as const

/** `address` is the start of the address of a new tool; that of an existing one never changes. */
export function ToolFields({ draft, problems, address }: ToolFieldsProps & { address?: string }) {
  const of = (field: (typeof TOOL_FIELDS)[number]['field']) => problemsAt(problems, field)
  return (
    <>
      <InputProblems fields={TOOL_FIELDS} problems={problems} />
      <Field
        name="name"
        label="Name"
        type="text"
        autocomplete="off"
        hint="Owners and admins see it when they are asked for consent."
        value={draft.name}
        error={of('name')[0]}
      />
      {address !== undefined && (
        <Field
          name="slug"
          label="Address"
          type="text"
          autocomplete="off"
          hint={`A short name in small letters, such as reports. The client_id becomes ${address}reports.json. It cannot be changed, and no other tool ever gets it.`}
          value={draft.slug}
          error={of('slug')[0]}
        />
      )}
      <TextArea
        name="redirect_uris"
        label="Redirect URIs"
        hint="One per line, only on the person’s own computer, such as http://127.0.0.1/callback. The port may differ, the path must match exactly."
        value={draft.redirectUris}
        rows={3}
        problems={of('redirect_uris')}
      />
      <ScopeChoice draft={draft} errors={of('scopes')} />
    </>
  )
}

interface ScopeGroup {
  title: string
  holds: (scope: ScopeEntry) => boolean
  hint?: string
}

const GROUPS: readonly ScopeGroup[] = [
  { title: 'Scopes: who the person is', holds: ({ audience }) => audience === 'identity' },
  {
    title: 'Scopes: what it can see',
    holds: ({ audience, access }) => audience === 'operator' && access === 'read',
    hint: 'An assistant asks for all read scopes; take away what it must not see.',
  },
  {
    title: 'Scopes: what it can change',
    holds: ({ audience, access }) => audience === 'operator' && access === 'write',
  },
]

function ScopeChoice({ draft, errors }: { draft: ToolDraft; errors: readonly string[] }) {
  const errorId = errors.length === 0 ? undefined : 'scopes-error'
  return (
    <>
      <Problems of="scopes" problems={errors} />
      {GROUPS.map(({ title, holds, hint }, place) => (
        <fieldset
          id={place === 0 ? 'scopes' : undefined}
          class="check-columns"
          aria-describedby={errorId}
        >
          <legend>{title}</legend>
          {hint !== undefined && <p class="field-hint">{hint}</p>}
          {SCOPES.filter(holds).map(({ name, meaning }) => (
            <Checkbox
              id={`scope-${name.replace(':', '-')}`}
              name="scopes"
              value={name}
              label={<code>{name}</code>}
              hint={meaning}
              checked={draft.scopes.includes(name)}
            />
          ))}
        </fieldset>
      ))}
    </>
  )
}
